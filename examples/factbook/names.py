"""Names of countries and territories: preferred form, page address, aliases, and lookup."""

from __future__ import annotations

import re
import unicodedata

# Preferred names where the source's short form is missing or does not read well.
PREFERRED: dict[str, str] = {
    "ae": "United Arab Emirates",
    "bf": "Bahamas",
    "cc": "Curacao",
    "cf": "Republic of the Congo",
    "cg": "Democratic Republic of the Congo",
    "ck": "Cocos Islands",
    "ct": "Central African Republic",
    "dr": "Dominican Republic",
    "fk": "Falkland Islands",
    "fm": "Federated States of Micronesia",
    "ga": "Gambia",
    "io": "British Indian Ocean Territory",
    "sh": "Saint Helena, Ascension and Tristan da Cunha",
    "sk": "Sint Maarten",
    "sv": "Svalbard",
    "sx": "South Georgia and the South Sandwich Islands",
    "um": "United States Pacific Island Wildlife Refuges",
    "vq": "United States Virgin Islands",
    "vt": "Holy See",
}

# Page addresses that do not follow from the name (the site's names of 2021 and later).
PAGES: dict[str, str] = {
    "bf": "bahamas-the",
    "cf": "congo-republic-of-the",
    "cg": "congo-democratic-republic-of-the",
    "ck": "cocos-keeling-islands",
    "ez": "czechia",
    "fk": "falkland-islands-islas-malvinas",
    "fm": "micronesia-federated-states-of",
    "ga": "gambia-the",
    "iv": "cote-divoire",
    "kn": "korea-north",
    "ks": "korea-south",
    "mk": "north-macedonia",
    "sx": "south-georgia-and-south-sandwich-islands",
    "tu": "turkey-turkiye",
    "vq": "virgin-islands",
    "vt": "holy-see-vatican-city",
    "wz": "eswatini",
}

# Other names in use, by code. They add to the long and local forms that the source states.
EXTRA_ALIASES: dict[str, tuple[str, ...]] = {
    "ac": ("Antigua",),
    "ae": ("UAE", "Emirates"),
    "bf": ("The Bahamas", "Commonwealth of the Bahamas"),
    "bk": ("Bosnia", "Bosnia-Herzegovina", "BiH"),
    "bm": ("Myanmar", "Republic of the Union of Myanmar"),
    "bo": ("Byelorussia",),
    "bx": ("Brunei Darussalam",),
    "cb": ("Kampuchea",),
    "cc": ("Curaçao", "Korsou"),
    "cf": ("Congo-Brazzaville", "Congo (Brazzaville)", "Congo Republic", "Republic of Congo"),
    "cg": (
        "DRC",
        "DR Congo",
        "Congo-Kinshasa",
        "Congo (Kinshasa)",
        "Democratic Republic of Congo",
        "Zaire",
    ),
    "ch": ("PRC", "Mainland China"),
    "ck": ("Cocos (Keeling) Islands", "Keeling Islands"),
    "ct": ("CAR",),
    "cv": ("Cape Verde",),
    "dr": ("The Dominican",),
    "ei": ("Republic of Ireland", "Eire"),
    "ez": ("Czechia",),
    "fk": ("Islas Malvinas", "Falkland Islands (Islas Malvinas)", "Malvinas"),
    "fm": ("Micronesia", "FSM"),
    "fo": ("Faeroe Islands",),
    "ga": ("The Gambia",),
    "gb": ("Gabonese Republic",),
    "hk": ("Hong Kong SAR", "Xianggang"),
    "io": ("BIOT", "Chagos Archipelago"),
    "iv": ("Ivory Coast", "Côte d'Ivoire"),
    "kn": ("DPRK", "Democratic People's Republic of Korea"),
    "ks": ("ROK", "Republic of Korea"),
    "mc": ("Macao", "Macau SAR", "Macao SAR"),
    "mk": ("North Macedonia", "FYROM", "Former Yugoslav Republic of Macedonia"),
    "nl": ("Holland", "The Netherlands"),
    "nz": ("NZ", "Aotearoa"),
    "pp": ("PNG",),
    "rn": ("Collectivity of Saint Martin", "Saint Martin (France)"),
    "rp": ("The Philippines",),
    "rs": ("Russian Federation",),
    "sc": ("Saint Kitts", "St. Kitts and Nevis"),
    "sf": ("RSA",),
    "sh": ("Saint Helena", "St. Helena"),
    "sk": ("Country of Sint Maarten", "Saint Martin (Dutch part)"),
    "st": ("St. Lucia",),
    "sv": ("Spitsbergen",),
    "sx": ("South Georgia and South Sandwich Islands", "South Georgia"),
    "tb": ("Saint Barthélemy", "St. Barts"),
    "tp": ("São Tomé and Príncipe", "Sao Tome & Principe"),
    "tt": ("East Timor",),
    "tu": ("Türkiye", "Turkiye"),
    "tw": ("Chinese Taipei", "Republic of China"),
    "uk": ("UK", "Great Britain", "Britain"),
    "um": ("United States Minor Outlying Islands",),
    "us": ("US", "USA", "U.S.", "United States of America"),
    "uv": ("Upper Volta",),
    "vc": ("Saint Vincent", "St. Vincent and the Grenadines"),
    "vi": ("BVI",),
    "vq": ("US Virgin Islands", "U.S. Virgin Islands", "Virgin Islands"),
    "vt": ("Vatican City", "Vatican", "Holy See (Vatican City)"),
    "wz": ("Eswatini",),
    "gz": ("Gaza",),
}

# Spellings that occur inside the source's lists; not published as aliases.
SPELLINGS: dict[str, str] = {
    "Congo": "cf",
    "Democratic Republic of the Congo": "cg",
    "French Guiana": "fr",
    "Metropolitan France": "fr",
    "Macau": "mc",
    "Serbia and Montenegro": "",
    "Curacao": "cc",
    "Moroccan": "mo",
    "Cape Verde": "cv",
    "Viet Nam": "vm",
    "Republic of the Congo": "cf",
    "Trinidad": "td",
    "Western Saharan": "wi",
    "Great Britain": "uk",
    "Northern Marianas": "cq",
    "Bahamas, The": "bf",
}

SKIPPED_CODES = frozenset({"ee", "oo", "xo", "xq", "zh", "zn", "xx"})

_LOCAL_FIELDS = (
    "conventional long form",
    "local short form",
    "local long form",
    "Dutch short form",
    "Dutch long form",
    "English short form",
    "English long form",
    "Papiamentu short form",
    "Papiamentu long form",
    "abbreviation",
)


def nfc(text: str) -> str:
    """The text in Unicode NFC, with single spaces."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()


def slug(text: str) -> str:
    """A lower-case ASCII key for evidence ids and page addresses."""
    plain = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("ł", "l"))
    ascii_text = plain.encode("ascii", "ignore").decode().lower().replace("'", "")
    return re.sub(r"[^a-z0-9]+", "-", ascii_text).strip("-")


def split_forms(text: str) -> list[str]:
    """Names in a local-form field: `Belgique/Belgie`, `Schweiz (German); Suisse (French)`."""
    bare = re.sub(r"[(\[][^)\]]*[)\]]", "", text.split("; note")[0])
    forms = [nfc(part) for part in re.split(r"[;/]| or ", bare)]
    return [form for form in forms if _is_name(form)]


def _is_name(form: str) -> bool:
    if form.lower() in {"", "none", "na"} or "note" in form.lower():
        return False
    return len(form) > 1 and not re.search(r"[\d()\[\]:]", form)


class Countries:
    """Every country or territory of the package, with lookup by any of its names."""

    def __init__(self, names: dict[str, str], aliases: dict[str, list[str]]) -> None:
        self.names = names
        self.aliases = aliases
        self._codes: dict[str, str] = {}
        for code, forms in aliases.items():
            for form in forms:
                self._codes[form.casefold()] = code
        for spelling, code in SPELLINGS.items():
            self._codes.setdefault(spelling.casefold(), code)
        for code, name in names.items():
            self._codes[name.casefold()] = code

    @classmethod
    def read(cls, profiles: dict[str, dict[str, object]]) -> Countries:
        """Names and unambiguous aliases from the `Country name` field of each profile."""
        names: dict[str, str] = {}
        claims: dict[str, list[str]] = {}
        for code, profile in profiles.items():
            forms = _stated_forms(profile)
            short = forms.pop("conventional short form", "")
            names[code] = nfc(PREFERRED.get(code, short))
            wanted = [*EXTRA_ALIASES.get(code, ()), *split_forms(short)]
            for field in _LOCAL_FIELDS:
                stated = split_forms(forms.get(field, ""))
                wanted += [form for form in stated if len(form) > 2]
            claims[code] = [nfc(form) for form in wanted]
        owners: dict[str, set[str]] = {}
        for code, wanted in claims.items():
            for form in (names[code], *wanted):
                owners.setdefault(form.casefold(), set()).add(code)
        aliases: dict[str, list[str]] = {}
        for code, wanted in claims.items():
            kept = {
                form for form in wanted if form != names[code] and owners[form.casefold()] == {code}
            }
            aliases[code] = sorted(kept)
        return cls(names, aliases)

    def code(self, text: str) -> str | None:
        """The code of the country that a name in a list stands for."""
        bare = nfc(re.sub(r"\([^)]*\)", "", text))
        for form in (nfc(text), bare, re.sub(r"^[Tt]he ", "", bare)):
            code = self._codes.get(form.casefold())
            if code:
                return code
        return None

    def page(self, code: str) -> str:
        """The address of the country's page."""
        return (
            "https://www.cia.gov/the-world-factbook/countries/"
            f"{PAGES.get(code, slug(self.names[code]))}/"
        )


def _stated_forms(profile: dict[str, object]) -> dict[str, str]:
    government = profile.get("Government")
    table = government.get("Country name") if isinstance(government, dict) else None
    forms: dict[str, str] = {}
    if isinstance(table, dict):
        for field, value in table.items():
            text = value.get("text") if isinstance(value, dict) else None
            if isinstance(text, str):
                forms[field] = text
    return forms
