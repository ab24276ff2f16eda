"""Cleaning of goods, resources, industries and groups: one spelling for each across countries."""

from __future__ import annotations

import re
from collections import Counter

from vocabulary import GOODS, GROUPS, INDUSTRIES

Tables = tuple[dict[str, str], ...]

_UNCLEAN = re.compile(
    r"\b(?:other|others|including|includes|include|such|as|small|smaller|possibly|possible|some|"
    r"none|na|negl|limited|largely|mostly|mainly|also|but|various|several|certain|few|many|"
    r"especially|particularly|primarily|potential|unexploited|undeveloped|undetermined|exploited|"
    r"reserves?|deposits?|quantities|amounts|production discontinued|almost|all|world|largest|"
    r"country|for|from|by|with|which|is|are|was|have|has|been|to|than|per|production of|"
    r"processing of|assembly of|world's|large|extensive|likely|abundant|major|former|not|like|"
    r"on|at|the|type|types|kinds|unspecified|miscellaneous|related|based|light truck|in)\b",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    r"^(?:small-scale |some |production of |processing of |assembly of |large |"
    r"commercial |various |and |or )"
)
# Pairs that are one thing although both halves occur alone.
_PAIRS = frozenset(
    {
        "food and beverages",
        "food and live animals",
        "iron and steel",
        "machinery and equipment",
        "machinery and transport equipment",
        "sand and gravel",
        "hides and skins",
        "pulp and paper",
    }
)


def fold(item: str, tables: Tables = (GOODS,)) -> str:
    """One item in lower case, table spelling, American spelling; "" when it is unclean."""
    name = item if re.match(r"[A-Z][a-z]+ [A-Z]", item) else item.lower()
    name = _PREFIX.sub("", name.replace("transportation equipment", "transport equipment"))
    for table in tables:
        if name in table:
            name = table[name]
            break
    if not name or _UNCLEAN.search(name):
        return ""
    if not re.fullmatch(r"[a-z][a-z' -]*[a-z]", name) or len(name) < 3:
        return ""
    return name


class Spellings:
    """The goods of all countries: decides splits at "and" and which number form a name takes."""

    def __init__(self, lists: list[list[str]], *, industries: bool = False) -> None:
        self._tables: Tables = (INDUSTRIES, GOODS) if industries else (GOODS,)
        self._alone: Counter[str] = Counter()
        for items in lists:
            for item in items:
                name = fold(item, self._tables)
                if name and " and " not in name and "/" not in name:
                    self._alone[name] += 1
        self._forms: dict[str, str] = {}
        groups: dict[str, list[str]] = {}
        for name in self._alone:
            groups.setdefault(_stem(name), []).append(name)
        for stem, names in groups.items():
            self._forms[stem] = min(names, key=lambda name: (-self._alone[name], name))

    def clean(self, items: list[str]) -> list[str]:
        """The names behind a country's list; unclean items are left out."""
        found = []
        for item in items:
            for part in self._parts(item):
                name = fold(part, self._tables)
                if name:
                    found.append(self._forms.get(_stem(name), name))
        return [name for name in dict.fromkeys(found) if self._wanted(name)]

    def _parts(self, item: str) -> list[str]:
        name = item.lower().replace("transportation equipment", "transport equipment")
        if name in _PAIRS:
            return [name]
        if "/" in name:
            return [part for part in name.split("/") if self._known(part)]
        if " and " in name:
            halves = name.split(" and ")
            if all(self._known(half) for half in halves):
                return halves
        return [item]

    def _known(self, part: str) -> bool:
        name = fold(part, self._tables)
        return bool(name) and self._alone[self._forms.get(_stem(name), name)] >= 2

    def _wanted(self, name: str) -> bool:
        words = len(name.split())
        if " and " in name and name not in _PAIRS:
            return False
        return words <= 2 or (words == 3 and self._alone[name] >= 2) or name in _PAIRS


def _stem(name: str) -> str:
    """The name with its last word in a crude singular: a key, never shown."""
    if name.endswith("ies") and len(name) > 5:
        return name[:-3] + "y"
    if name.endswith(("ches", "shes", "oes", "xes")):
        return name[:-2]
    if name.endswith("s") and not name.endswith(("ss", "us", "is")):
        return name[:-1]
    return name


def group_names(items: list[str]) -> list[str]:
    """Ethnic groups with a proper name in a list of plain items."""
    found = []
    for item in items:
        name = re.sub(r"^(?:ethnic |and )", "", item)
        name = re.split(r" (?:over|approximately|less|more|about|nearly)\b", name)[0].strip()
        if not re.fullmatch(r"[A-Z][A-Za-z']+(?:[ -][A-Z][A-Za-z']+){0,2}", name):
            continue
        if re.search(r"\b(?:Other|Mixed|None|Unspecified|Non|Part|Descent)\b", name):
            continue
        found.append(GROUPS.get(name, name))
    return [name for name in dict.fromkeys(found) if name]
