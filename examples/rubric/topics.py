"""The invented tasks of this example: places, people and numbers in them do not exist."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["TOPICS", "FactText", "Topic"]


class FactText(NamedTuple):
    """A fact: what a report should state, where it comes from, and which sites say so."""

    claim: str
    origin: str
    sites: tuple[str, ...]


class Topic(NamedTuple):
    """A task: a short video, and what a research report on it should cover."""

    id: str
    category: str
    form: str
    video: str
    facts: tuple[FactText, ...]
    cause: str
    comparison: str
    wrong: str


TOPICS = (
    Topic(
        "tram-lift", "engineering", "how", "The tram lift of Oldbrook",
        (
            FactText("the lift raises a tram by 14 metres", "video", ("oldbrook-trams.example",)),
            FactText("it is moved by water ballast, without a motor", "video",
                     ("oldbrook-trams.example", "lifts-review.example")),
            FactText("it was opened in 1911", "web", ("oldbrook-archive.example",)),
            FactText("it was closed for repair from 1964 to 1971", "web",
                     ("oldbrook-archive.example", "valley-news.example")),
            FactText("one ride takes 95 seconds", "video", ()),
            FactText("about 60,000 passengers used it last year", "web", ("valley-news.example",)),
        ),
        "why water ballast was chosen over an engine",
        "the water used per ride before and after the repair",
        "the lift is driven by an electric winch",
    ),
    Topic(
        "night-market", "society", "what", "A night at the Sefton Quay market",
        (
            FactText("the market opens at 18:00 on Fridays", "video", ("sefton-quay.example",)),
            FactText("it has 84 licensed stalls", "web",
                     ("sefton-quay.example", "stalls-register.example")),
            FactText("a third of the stalls sell cooked food", "web", ("stalls-register.example",)),
            FactText("traders pay by the metre of frontage", "video", ()),
            FactText("the quay was a coal wharf until 1978", "web", ("harbour-history.example",)),
            FactText("the council caps the noise at 62 decibels", "web",
                     ("council-papers.example",)),
        ),
        "why the frontage fee replaced a flat fee",
        "the takings of cooked food and of crafts",
        "the market is open every night",
    ),
    Topic(
        "peat-bog", "nature", "why", "Rewetting the Harrow bog",
        (
            FactText("the bog covers 310 hectares", "video", ("harrow-bog.example",)),
            FactText("drains were blocked with 2,400 peat dams", "video",
                     ("harrow-bog.example", "wetland-notes.example")),
            FactText("the water table rose by 19 centimetres in two years", "web",
                     ("wetland-notes.example",)),
            FactText("sphagnum returned to half of the monitored plots", "web",
                     ("field-station.example",)),
            FactText("sheep were kept off the centre of the bog", "video", ()),
            FactText("methane rose before it fell", "web",
                     ("field-station.example", "gas-flux.example")),
        ),
        "why methane rose in the first summer",
        "blocked and open drains in a dry year",
        "the bog was planted with willow",
    ),
    Topic(
        "paper-mill", "engineering", "how", "Making paper by hand at Lowmill",
        (
            FactText("the fibre is cotton rag", "video", ("lowmill.example",)),
            FactText("the stampers are driven by a breastshot wheel", "video",
                     ("lowmill.example", "mill-survey.example")),
            FactText("a vatman makes about 1,200 sheets a day", "web", ("craft-journal.example",)),
            FactText("the watermark is sewn onto the mould", "video", ()),
            FactText("the mill has made paper since 1742", "web", ("mill-survey.example",)),
            FactText("most sheets are sold to bookbinders", "web",
                     ("craft-journal.example", "binders-guild.example")),
        ),
        "why rag is beaten for two days",
        "handmade and machine-made sheets when folded",
        "the mill bleaches its pulp with chlorine",
    ),
    Topic(
        "ferry-line", "society", "what", "The last chain ferry on the Wend",
        (
            FactText("the ferry crosses 210 metres of water", "video", ("wend-ferry.example",)),
            FactText("it carries up to eight cars", "video",
                     ("wend-ferry.example", "county-roads.example")),
            FactText("the chains are replaced every fourth year", "web", ("county-roads.example",)),
            FactText("a bridge was refused in 1988", "web", ("wend-courier.example",)),
            FactText("cyclists cross without paying", "video", ()),
            FactText("fog stopped it on eleven days last winter", "web",
                     ("wend-courier.example",)),
        ),
        "why the bridge was refused",
        "the crossing and the detour by road, in minutes",
        "the ferry is free for cars",
    ),
    Topic(
        "bat-tower", "nature", "why", "The bat tower of Quarry Lane",
        (
            FactText("the tower is a disused water tower", "video", ("quarry-lane.example",)),
            FactText("pipistrelles moved in three years after it was sealed", "web",
                     ("bat-group.example", "quarry-lane.example")),
            FactText("the slots are 18 millimetres wide", "video", ()),
            FactText("at its peak 740 bats were counted", "web", ("bat-group.example",)),
            FactText("street lamps beside it are dimmed at 22:00", "web",
                     ("council-papers.example",)),
            FactText("the south wall is painted black to warm it", "video",
                     ("quarry-lane.example", "roost-design.example")),
        ),
        "why the south wall is painted black",
        "counts before and after the lamps were dimmed",
        "the bats were brought in from another roost",
    ),
)  # fmt: skip
"""Six tasks of three kinds."""
