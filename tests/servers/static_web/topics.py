"""Topics of pages: which facts belong on one page, and what such a page is called on a host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from static_web.chinese import in_chinese
from static_web.wording import RELATIONS_BY_NAME
from static_web.world import COUNTRIES, Fact, World

__all__ = ["KINDS", "Kind", "Topic", "topics"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of page.

    Attributes:
        name: Short; part of paths.
        fresh: Whether its facts are news.
        forward: Relations whose facts with this head are on it.
        backward: Relations whose facts with this tail are on it.
        titles: Style -> title with ``{name}``.
        chinese_titles: Three titles, one a style.
    """

    name: str
    fresh: bool
    forward: tuple[str, ...]
    backward: tuple[str, ...]
    titles: dict[str, str]
    chinese_titles: tuple[str, str, str]


def _titles(first: str, gazette: str, almanac: str, *, fresh: bool = False) -> dict[str, str]:
    return {"courier" if fresh else "atlas": first, "gazette": gazette, "almanac": almanac}


_COUNTRY = (
    "borders",
    "member of",
    "region",
    "lies on",
    "official language",
    "currency",
    "capital",
    "natural resource",
)

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "country",
            False,
            _COUNTRY,
            ("borders",),
            _titles(
                "Country profile: {name}",
                "{name}, a country profile at a glance",
                "Profile of {name} in brief",
            ),
            ("{name}国家概况", "认识{name}：国家概况", "{name}概况简介"),
        ),
        Kind(
            "organization",
            False,
            (),
            ("member of",),
            _titles(
                "Members: {name}",
                "The members of {name} by name",
                "{name}: list of members",
            ),
            ("{name}成员一览", "{name}有哪些成员", "{name}成员名单"),
        ),
        Kind(
            "water",
            False,
            (),
            ("lies on",),
            _titles(
                "Coast: {name}",
                "On the coast of {name}",
                "{name}: countries on the coast",
            ),
            ("{name}沿岸国家一览", "{name}沿岸有哪些国家", "{name}沿岸国名单"),
        ),
        Kind(
            "language",
            False,
            (),
            ("official language",),
            _titles(
                "Official language: {name}",
                "Where {name} is the official language",
                "{name}: use as an official language",
            ),
            ("{name}作为官方语言", "哪些国家以{name}为官方语言", "{name}：官方语言国名单"),
        ),
        Kind(
            "region",
            False,
            (),
            ("region",),
            _titles(
                "Region: {name}",
                "Countries of the region {name}",
                "{name}: list of the region",
            ),
            ("{name}地区国家一览", "{name}地区有哪些国家", "{name}地区国家名单"),
        ),
        Kind(
            "currency",
            False,
            (),
            ("currency",),
            _titles(
                "Currency: {name}",
                "Who pays with the currency {name}",
                "{name}: where this currency is used",
            ),
            ("", "", ""),
        ),
        Kind(
            "mineral",
            False,
            (),
            ("natural resource",),
            _titles(
                "Mineral deposits: {name}",
                "Where deposits of {name} are found",
                "{name}: deposits by country",
            ),
            ("{name}矿藏分布", "哪些国家有{name}矿藏", "{name}矿藏国名单"),
        ),
        Kind(
            "trade",
            True,
            ("exports to", "imports from", "exports"),
            (),
            _titles(
                "Exports and imports in 2026: {name}",
                "{name}: exports and imports, the figures of 2026",
                "Exports and imports of {name}, 2026 edition",
                fresh=True,
            ),
            ("2026年{name}进出口", "{name}进出口数据2026", "{name}进出口（2026年版）"),
        ),
        Kind(
            "partners",
            True,
            (),
            ("exports to", "imports from"),
            _titles(
                "Trade partners in 2026: who deals with {name}",
                "{name}: its trade partners in the figures of 2026",
                "Trade partners of {name}, 2026 edition",
                fresh=True,
            ),
            ("2026年{name}的贸易伙伴", "{name}贸易伙伴数据2026", "{name}的贸易伙伴（2026年版）"),
        ),
        Kind(
            "affairs",
            True,
            ("head of government", "chief of state", "takes part in", "hosts refugees from"),
            ("hosts refugees from",),
            _titles(
                "Public affairs in 2026: {name}",
                "{name}: public affairs and missions of 2026",
                "Public affairs of {name}, 2026 edition",
                fresh=True,
            ),
            ("2026年{name}公共事务", "{name}公共事务与维和2026", "{name}公共事务（2026年版）"),
        ),
        Kind(
            "leaders",
            True,
            (),
            (),
            _titles(
                "Leaders in 2026: {name} by country",
                "{name}: the leaders of 2026",
                "World leaders, 2026 edition: {name}",
                fresh=True,
            ),
            (
                "2026年各国领导人：{name}",
                "{name}：各国领导人2026",
                "各国领导人（2026年版）：{name}",
            ),
        ),
        Kind(
            "commodity",
            True,
            (),
            ("exports",),
            _titles(
                "Exporters in 2026: {name}",
                "{name}: its exporters in 2026",
                "Exporters of {name}, 2026 edition",
                fresh=True,
            ),
            ("2026年{name}出口国", "{name}出口国名单2026", "{name}出口国（2026年版）"),
        ),
        Kind(
            "mission",
            True,
            (),
            ("takes part in",),
            _titles(
                "Contributors in 2026: {name}",
                "{name}: its contributors in 2026",
                "Contributors to {name}, 2026 edition",
                fresh=True,
            ),
            ("2026年{name}参加国", "{name}参加国名单2026", "{name}参加国（2026年版）"),
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Topic:
    """What one page is about.

    Attributes:
        kind: The kind of page.
        name: The entity, in English; for lists of leaders the relation.
        facts: All facts of the sub-world that belong on it.
    """

    kind: Kind
    name: str
    facts: tuple[Fact, ...]

    @property
    def has_chinese(self) -> bool:
        """Whether Chinese hosts have such a page."""
        return bool(self.kind.chinese_titles[0]) and bool(self.chinese_facts)

    @property
    def chinese_facts(self) -> tuple[Fact, ...]:
        """The facts that can be told in Chinese."""
        return tuple(fact for fact in self.facts if RELATIONS_BY_NAME[fact.relation].chinese)

    def title(self, style: str) -> str:
        """Return the title on a host that writes in a style, English or ``zh0`` to ``zh2``."""
        if style.startswith("zh"):
            return self.kind.chinese_titles[int(style[2])].format(name=in_chinese(self.name))
        title = self.kind.titles[style].format(name=self.name)
        return title[0].upper() + title[1:]


def topics(world: World) -> Iterator[Topic]:
    """Yield every topic of the sub-world that has facts."""
    for kind in KINDS.values():
        if kind.name == "leaders":
            for name in ("head of government", "chief of state"):
                facts = [fact for fact in world.facts if fact.relation == name]
                yield Topic(kind, name, tuple(facts))
            continue
        if kind.forward or kind.name == "partners":
            names = list(COUNTRIES)
        else:
            names = world.tails(kind.backward[0])
        for name in names:
            facts = [
                fact for relation in kind.forward for fact in world.of(head=name, only=relation)
            ]
            facts += [
                fact for relation in kind.backward for fact in world.of(tail=name, only=relation)
            ]
            if facts:
                yield Topic(kind, name, tuple(facts))
