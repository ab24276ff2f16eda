"""How sentences about the sub-world are worded: by relation, language and style; no facts here.

The static web writes its pages with these forms. Who knows the forms can read the pages, and
nothing more: the scripted model does so, as a large model knows English and Chinese.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FRESH", "RELATIONS", "RELATIONS_BY_NAME", "Relation", "chinese_name", "stable"]


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation of the sub-world and its words.

    Attributes:
        name: As in the evidence.
        fresh: Whether its facts are news, with a publication date after the timestamp.
        head_type: The type of heads.
        tail_type: The type of tails.
        functional: Whether a head has one tail only.
        english: Style -> sentence with ``{h}`` and ``{t}``.
        phrases: How a question says it in English: (true of tails, true of heads).
        chinese_name: What a Chinese evidence list calls it; empty where there are no such pages.
        chinese: Three sentences in Chinese, one a style.
        spellings: Other names that a careless reader gives it.
        chinese_phrases: How a question says it in Chinese: (true of tails, true of heads).
        other_phrases: The same in English, in other words.
    """

    name: str
    fresh: bool
    head_type: str
    tail_type: str
    functional: bool
    english: dict[str, str]
    phrases: tuple[str, str]
    chinese_name: str = ""
    chinese: tuple[str, ...] = ()
    spellings: tuple[str, ...] = ()
    chinese_phrases: tuple[str, str] = ("", "")
    other_phrases: tuple[str, str] = ("", "")


def _forms(atlas_or_courier: str, gazette: str, almanac: str, *, fresh: bool) -> dict[str, str]:
    first = "courier" if fresh else "atlas"
    return {first: atlas_or_courier, "gazette": gazette, "almanac": almanac}


RELATIONS: tuple[Relation, ...] = (
    Relation(
        "borders",
        False,
        "country",
        "country",
        False,
        _forms(
            "{h} shares a land border with {t}.",
            "{t} is a neighbour of {h}.",
            "The frontier of {h} runs along {t}.",
            fresh=False,
        ),
        ("is bordered by {}", "borders {}"),
        "接壤",
        ("{h}与{t}有陆地边界。", "{t}是{h}的陆上邻国。", "{h}的国界线另一侧是{t}。"),
        ("shares a border with", "neighbours", "has a land border with", "is adjacent to"),
        ("被{}接壤", "与{}接壤"),
        other_phrases=("is a neighbour of {}", "shares a frontier with {}"),
    ),
    Relation(
        "member of",
        False,
        "country",
        "organization",
        False,
        _forms(
            "{h} is a member of {t}.",
            "{t} counts {h} among its members.",
            "{h} belongs to {t}.",
            fresh=False,
        ),
        ("has {} as a member", "is a member of {}"),
        "成员",
        ("{h}是{t}的成员。", "{t}的成员名单中有{h}。", "{h}已经加入{t}。"),
        ("is a member of", "membership", "belongs to", "has joined"),
        ("有成员{}", "是{}的成员"),
        other_phrases=("counts {} among its members", "belongs to {}"),
    ),
    Relation(
        "region",
        False,
        "country",
        "region",
        False,
        _forms(
            "{h} lies in the region of {t}.",
            "{t} is the region where {h} is found.",
            "Geographers place {h} in {t}.",
            fresh=False,
        ),
        ("contains {}", "lies in {}"),
        "所在地区",
        ("{h}位于{t}地区。", "{t}地区包括{h}。", "地理学家把{h}归入{t}地区。"),
        ("located in region", "world region", "is situated in"),
        ("所辖国家有{}", "位于{}"),
        other_phrases=("is the region of {}", "is situated in {}"),
    ),
    Relation(
        "lies on",
        False,
        "country",
        "body of water",
        False,
        _forms(
            "{h} has a coast on {t}.",
            "{t} washes the shores of {h}.",
            "The coast of {h} faces {t}.",
            fresh=False,
        ),
        ("washes the shores of {}", "has a coast on {}"),
        "濒临",
        ("{h}濒临{t}。", "{t}的沿岸国家有{h}。", "{h}的海岸面向{t}。"),
        ("has coast on", "coastline on", "is washed by"),
        ("流经{}之滨", "濒临{}"),
        other_phrases=("touches the shore of {}", "has a shore on {}"),
    ),
    Relation(
        "official language",
        False,
        "country",
        "language",
        False,
        _forms(
            "{t} is an official language of {h}.",
            "{h} recognises {t} as an official language.",
            "Officials in {h} use {t}.",
            fresh=False,
        ),
        ("is an official language of {}", "has {} as an official language"),
        "官方语言",
        ("{h}的官方语言包括{t}。", "{t}是{h}的官方语言之一。", "{h}的公文使用{t}。"),
        ("has official language", "state language", "officially speaks"),
        ("是{}的官方语言", "以{}为官方语言"),
        other_phrases=("is officially used in {}", "officially uses {}"),
    ),
    Relation(
        "currency",
        False,
        "country",
        "currency",
        True,
        _forms(
            "The currency of {h} is {t}.",
            "{t} is legal tender in {h}.",
            "People in {h} pay with {t}.",
            fresh=False,
        ),
        ("is the currency of {}", "has {} as its currency"),
        spellings=("uses currency", "money", "legal tender"),
        other_phrases=("is the money of {}", "pays with {}"),
    ),
    Relation(
        "capital",
        False,
        "country",
        "city",
        True,
        _forms(
            "The capital of {h} is {t}.",
            "{t} is the capital city of {h}.",
            "{h} is governed from {t}.",
            fresh=False,
        ),
        ("is the capital of {}", "has {} as its capital"),
        spellings=("has capital", "capital city", "seat of government"),
        other_phrases=("is the seat of government of {}", "has {} as its seat of government"),
    ),
    Relation(
        "natural resource",
        False,
        "country",
        "commodity",
        False,
        _forms(
            "{h} has deposits of {t}.",
            "In {h} one finds {t} in the ground.",
            "Miners in {h} extract {t}.",
            fresh=False,
        ),
        ("is found in {}", "has deposits of {}"),
        "矿产",
        ("{h}境内有{t}矿藏。", "在{h}可以开采{t}。", "{t}矿床分布在{h}。"),
        ("has natural resource", "mineral resource", "mines"),
        ("是{}的矿产", "出产矿物{}"),
        other_phrases=("is mined in {}", "mines {}"),
    ),
    Relation(
        "exports to",
        True,
        "country",
        "country",
        False,
        _forms(
            "{h} ships exports to {t}.",
            "{t} is one of the main export markets of {h}.",
            "Goods made in {h} are sold above all in {t}.",
            fresh=True,
        ),
        ("is a market for the exports of {}", "exports goods to {}"),
        "出口到",
        ("{h}向{t}出口货物。", "{t}是{h}的主要出口市场之一。", "{h}的产品大量销往{t}。"),
        ("export partner", "sells goods to", "exports towards", "export market"),
        ("是{}的出口市场", "向{}出口货物"),
        other_phrases=("receives exports from {}", "ships goods to {}"),
    ),
    Relation(
        "imports from",
        True,
        "country",
        "country",
        False,
        _forms(
            "{h} brings in imports from {t}.",
            "{t} is one of the main suppliers of {h}.",
            "Much of what {h} buys abroad comes from {t}.",
            fresh=True,
        ),
        ("is a source of the imports of {}", "imports goods from {}"),
        "进口自",
        ("{h}从{t}进口货物。", "{t}是{h}的主要供货国之一。", "{h}购买的外国商品多来自{t}。"),
        ("import partner", "buys goods from", "is supplied by"),
        ("是{}的进口来源", "从{}进口货物"),
        other_phrases=("supplies {}", "receives goods from {}"),
    ),
    Relation(
        "exports",
        True,
        "country",
        "commodity",
        False,
        _forms(
            "{h} sells {t} abroad.",
            "The exports of {h} include {t}.",
            "Foreign buyers order {t} from {h}.",
            fresh=True,
        ),
        ("is an export of {}", "sells {} abroad"),
        "出口商品",
        ("{h}对外销售{t}。", "{h}的出口商品包括{t}。", "外国买家从{h}订购{t}。"),
        ("exports commodity", "export product", "sells abroad"),
        ("是{}的出口商品", "对外销售{}"),
        other_phrases=("is sold abroad by {}", "exports {}"),
    ),
    Relation(
        "takes part in",
        True,
        "country",
        "mission",
        False,
        _forms(
            "{h} contributes personnel to {t}.",
            "{t} includes personnel from {h}.",
            "Peacekeepers from {h} serve in {t}.",
            fresh=True,
        ),
        ("includes personnel from {}", "takes part in {}"),
        "参加行动",
        ("{h}向{t}派出人员。", "{t}中有来自{h}的人员。", "{h}的维和人员在{t}服役。"),
        ("participates in", "contributes to mission", "sends personnel to"),
        ("有来自{}的人员", "参加{}"),
        other_phrases=("has personnel from {}", "contributes personnel to {}"),
    ),
    Relation(
        "hosts refugees from",
        True,
        "country",
        "country",
        False,
        _forms(
            "{h} shelters refugees from {t}.",
            "People who fled {t} have found refuge in {h}.",
            "Refugees from {t} are registered in {h}.",
            fresh=True,
        ),
        ("is a source of the refugees in {}", "hosts refugees from {}"),
        "收容难民来自",
        ("{h}收容来自{t}的难民。", "逃离{t}的人在{h}避难。", "来自{t}的难民在{h}登记。"),
        ("shelters refugees of", "refugees from", "gives refuge to people from"),
        ("有难民逃往{}", "收容来自{}的难民"),
        other_phrases=("has refugees in {}", "shelters refugees from {}"),
    ),
    Relation(
        "head of government",
        True,
        "country",
        "person",
        True,
        _forms(
            "The head of government of {h} is {t}.",
            "{t} leads the government of {h}.",
            "{h} has {t} as head of government.",
            fresh=True,
        ),
        ("is the head of government of {}", "has {} as its head of government"),
        "政府首脑",
        ("{h}的政府首脑是{t}。", "{t}领导{h}政府。", "{h}由{t}出任政府首脑。"),
        ("prime minister", "government led by", "premier"),
        ("是{}的政府首脑", "以{}为政府首脑"),
        other_phrases=("leads the government of {}", "has a government led by {}"),
    ),
    Relation(
        "chief of state",
        True,
        "country",
        "person",
        True,
        _forms(
            "The chief of state of {h} is {t}.",
            "{t} stands at the head of the state of {h}.",
            "{h} has {t} as chief of state.",
            fresh=True,
        ),
        ("is the chief of state of {}", "has {} as its chief of state"),
        "国家元首",
        ("{h}的国家元首是{t}。", "{t}是{h}的元首。", "{h}由{t}出任国家元首。"),
        ("head of state", "president", "monarch"),
        ("是{}的国家元首", "以{}为国家元首"),
        other_phrases=("is the head of state of {}", "has {} as its head of state"),
    ),
)

RELATIONS_BY_NAME = {relation.name: relation for relation in RELATIONS}

FRESH = frozenset(relation.name for relation in RELATIONS if relation.fresh)


def stable() -> tuple[Relation, ...]:
    """Return the relations whose facts are older than the timestamp."""
    return tuple(relation for relation in RELATIONS if not relation.fresh)


def chinese_name(name: str) -> str:
    """Return what Chinese pages call a relation, or an empty string."""
    return RELATIONS_BY_NAME[name].chinese_name
