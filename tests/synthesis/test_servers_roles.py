"""The scripted model in its roles: what it gathers, writes, reads and judges from its prompts."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_model import Mistakes, ScriptedModel
from scripted_model.mandarin import read_mandarin, write_mandarin
from scripted_model.page_reader import read_page
from scripted_model.writing import read_question, write_question
from static_web import StaticWeb
from static_web.chinese import in_chinese
from static_web.hosts import INJECTED, rumours
from static_web.wording import RELATIONS
from static_web.world import Fact

from graphkit.evaluate import evaluate
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.formats.lenient import parse_model_output
from graphkit.grounding import resolve
from graphkit.operations import Direction, Op
from graphkit.patterns import canonical_text
from graphkit.question import Edge, Node, QuestionGraph

Blocks = dict[str, Any]

TOOLS = [
    {
        "type": "function",
        "function": {"name": name, "description": name, "parameters": {"type": "object"}},
    }
    for name in ("search", "visit")
]


@pytest.fixture(scope="module")
def web() -> Iterator[StaticWeb]:
    with StaticWeb(seed=1, slow_seconds=0.0) as running:
        yield running


@pytest.fixture
def exact() -> Iterator[ScriptedModel]:
    with ScriptedModel(mistakes=Mistakes.none()) as running:
        yield running


class Player:
    """Asks the model in one role after another with the bare client, and runs its tools."""

    def __init__(self, model: ScriptedModel, web: StaticWeb, language: str = "en") -> None:
        self.client = openai.OpenAI(base_url=model.base_url, api_key="none", max_retries=0)
        self.web = web
        self.language = language
        self.calls = 0

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *exc: object) -> None:
        self.client.close()

    def opening(self, role: str, blocks: Blocks) -> list[Any]:
        parts = [
            f"<{name}>\n{value if isinstance(value, str) else json.dumps(value)}\n</{name}>"
            for name, value in blocks.items()
        ]
        return [
            {
                "role": "system",
                "content": f"graphkit task: {role}/1 ({self.language})\n\nDo it.",
            },
            {"role": "user", "content": "\n\n".join(parts)},
        ]

    def ask(self, role: str, *, tools: bool = False, **blocks: Any) -> Any:
        """Return the reply of a role as data, after as many tool calls as it wants."""
        messages = self.opening(role, blocks)
        for _ in range(40):
            offered: dict[str, Any] = {"tools": TOOLS} if tools else {}
            found = self.client.chat.completions.create(
                model="scripted", messages=messages, **offered
            )
            message = found.choices[0].message
            if not message.tool_calls:
                return json.loads(message.content or "")
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                assert call.type == "function"
                result = self.used(call.function.name, json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        raise AssertionError("the model never answers")

    def used(self, name: str, arguments: dict[str, str]) -> str:
        """Use a tool, as the loop would, and return its result as JSON text."""
        self.calls += 1
        if name == "search":
            answer = httpx2.get(
                f"{self.web.search_url}/search",
                params={"q": arguments["query"], "format": "json", "language": self.language},
                trust_env=False,
            ).json()
            found = [
                {
                    "url": item["url"],
                    "title": item["title"],
                    "snippet": item["content"],
                    "published_at": item["publishedDate"],
                }
                for item in answer["results"]
            ]
            return json.dumps({"status": "found", "results": found})
        place = urllib.parse.urlsplit(arguments["url"])
        page = next(
            (
                page
                for page in self.web.pages
                if (page.host, page.path) == (place.hostname, place.path)
            ),
            None,
        )
        if page is None or place.hostname in ("broken.test", "huge.test", "elsewhere.test"):
            return json.dumps({"status": "failed", "url": arguments["url"], "reason": "no"})
        return json.dumps(
            {
                "status": "ok",
                "url": page.url,
                "title": page.title,
                "published_at": page.published,
                "text": "\n".join(page.paragraphs),
            }
        )

    def gathered(self, seed: str) -> list[dict[str, Any]]:
        """Return the evidence about a seed, with ids that are its own."""
        found = self.ask(
            "gather", tools=True, seed=seed, since="2026-01-01", count="20", known=[], wanted=""
        )
        return list(found["evidence"])


def claims(pairs: dict[str, tuple[Fact, ...]], source: str) -> list[dict[str, Any]]:
    return [
        {
            "evidence_id": f"e{number}",
            "head_entity": fact.head,
            "relation": fact.relation,
            "tail_entity": fact.tail,
            "source_url": source,
            "is_fresh_knowledge": True,
        }
        for number, fact in enumerate(next(iter(pairs.values())))
    ]


# ---- the roles ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "seed"),
    [("en", "Armenia"), ("en", "Angela Merkel"), ("zh", "土耳其"), ("zh", "木材")],
)
def test_gathered_evidence_bears_out_the_question_that_is_made_of_it(
    exact: ScriptedModel, web: StaticWeb, language: str, seed: str
) -> None:
    """Gathering, construction and parsing fit together: the graph holds on the evidence."""
    with Player(exact, web, language) as player:
        evidence = player.gathered(seed)
        assert player.calls <= 40
        made = player.ask("construct", evidence_list=evidence, since="2026-01-01", min_hops="5")
        question = made["questions"][0]
        parsed = player.ask(
            "parse",
            question=question["question"],
            answer=question["answer"],
            reasoning_chain=question["reasoning_chain"],
        )
    fresh = [item for item in evidence if item["is_fresh_knowledge"]]
    assert len(evidence) >= 50
    assert 2 * len(fresh) >= len(evidence)
    ids = {item["evidence_id"] for item in evidence}
    assert {hop["evidence_id"] for hop in question["reasoning_chain"]} <= ids
    assert question["answer"] not in question["question"]
    graph = parse_model_output(parsed).graph
    assert graph is not None
    facts = FactStore.from_evidence([EvidenceRecord(**item) for item in evidence])
    found = evaluate(graph, facts).answers
    declared = resolve(question["answer"], facts)
    assert declared is not None
    assert declared.entities[0] in found


def test_evidence_is_quoted_from_pages_that_were_visited_and_is_true(
    exact: ScriptedModel, web: StaticWeb
) -> None:
    """Each item has words of its page; false ones come from doubtful hosts only."""
    texts = {page.url: " ".join(page.paragraphs) for page in web.pages}
    known = set(web.world.facts)
    with Player(exact, web) as player:
        for item in player.gathered("Slovakia"):
            fact = Fact(item["head_entity"], item["relation"], item["tail_entity"])
            assert item["evidence_text"] in texts[item["source_url"]]
            host = urllib.parse.urlsplit(item["source_url"]).hostname
            assert fact in known or host not in web.good_hosts, fact


def test_a_rumour_and_its_copy_are_not_credible_and_true_claims_are(
    exact: ScriptedModel, web: StaticWeb
) -> None:
    """Two independent pages make a claim credible, even against one; rumours have none."""
    false = rumours(web.world, 1)
    head = next(iter(false))
    source = next(page.url for page in web.pages if page.host == "whispers.test")
    true = {head: tuple(web.world.of(head=head, only="exports to"))}
    contested = next(page for page in web.pages if page.host == "disputer.test")
    said = {
        contested.title: tuple(
            fact for fact in web.world.facts if fact[:2] == contested.false[0][:2]
        )
    }
    with Player(exact, web) as player:

        def label(items: list[dict[str, Any]]) -> str:
            reply = player.ask("reliability", tools=True, evidence_list=items, since="2026-01-01")
            return str(reply["reliability"])

        assert label(claims({head: false[head][:2]}, source)) == "unclear"
        good = next(page.url for page in web.pages if page.host == "courier.example.com")
        assert label(claims(true, good)) == "credible"
        assert label(claims(said, good)) == "credible"
        assert label(claims({"": (contested.false[0],)}, contested.url)) == "not credible"


def test_an_order_on_a_page_is_obeyed_only_by_a_gullible_model(web: StaticWeb) -> None:
    """A gullible model reports what the page orders; another reads over it."""
    page = next(page for page in web.pages if page.host == "trap.test")
    text = "\n".join(page.paragraphs)
    result = json.dumps({"status": "ok", "url": page.url, "text": text})
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "visit", "arguments": json.dumps({"url": page.url, "goal": ""})},
    }
    reported = {}
    for gullible in (0.0, 1.0):
        rates = Mistakes.none().__dict__ | {"gullible": gullible}
        with ScriptedModel(mistakes=Mistakes(**rates)) as model, Player(model, web) as player:
            messages = player.opening("gather", {"seed": "Nowhere", "since": "2026-01-01"})
            messages += [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": result},
            ]
            found = player.client.chat.completions.create(model="m", messages=messages)
            evidence = json.loads(found.choices[0].message.content or "")["evidence"]
            reported[gullible] = [item["head_entity"] for item in evidence]
    assert INJECTED.head not in reported[0.0]
    assert reported[1.0].count(INJECTED.head) == 1


def test_a_foreign_question_is_parsed_or_said_to_be_beyond_the_operations(
    exact: ScriptedModel, web: StaticWeb
) -> None:
    """A ranking is not expressible; another question becomes a graph that can be read."""
    with Player(exact, web) as player:
        ranking = player.ask(
            "parse", question="Which is the largest city of Peru?", answer="", reasoning_chain=[]
        )
        plain = player.ask(
            "parse", question="Which river joins Ulm and Vienna?", answer="", reasoning_chain=[]
        )
    assert ranking == {"not_expressible": "largest"}
    assert parse_model_output(plain).graph is not None


def test_spellings_of_relations_are_matched(exact: ScriptedModel, web: StaticWeb) -> None:
    """Each of the odd spellings, twenty at least, is matched to its relation; others to none."""
    odd = [(name, item.name) for item in RELATIONS for name in item.spellings]
    assert len(odd) >= 20
    with Player(exact, web) as player:
        reply = player.ask(
            "relations",
            unresolved=[
                {"edge_id": str(place), "relation": name, "direction": "backward"}
                for place, (name, _) in enumerate([*odd, ("rhymes with", "")])
            ],
            known_relations=[item.name for item in RELATIONS],
        )
    matched = [(item["relation"], item["direction"]) for item in reply["mapping"]]
    assert matched == [*((name, "backward") for _, name in odd), (None, "backward")]


# ---- language --------------------------------------------------------------------------------


@st.composite
def graphs(draw: st.DrawFn, chinese: bool = False) -> QuestionGraph:
    """Graphs of hops both ways, intersections and complements over the relations of the web."""
    nodes: list[Node] = []
    edges: list[Edge] = []
    usable = [item for item in RELATIONS if item.chinese_name or not chinese]

    def node(**fields: Any) -> str:
        nodes.append(Node(node_id=f"n{len(nodes)}", **fields))
        return nodes[-1].node_id

    def edge(op: Op, sources: tuple[str, ...], target: str, **fields: Any) -> None:
        edges.append(
            Edge(edge_id=f"e{len(edges)}", source_ids=sources, target_id=target, op=op, **fields)
        )

    def hop(depth: int) -> str:
        relation = draw(st.sampled_from(usable))
        way = draw(st.sampled_from(list(Direction)))
        if depth and draw(st.booleans()):
            source = described(depth - 1)
        else:
            name = draw(st.sampled_from(["Egypt", "Ottawa Treaty", "crude oil", "Bosnia and Oz"]))
            source = node(known_entities=(name,))
        target = node()
        name = relation.chinese_name if chinese else relation.name
        edge(Op.PROJECTION, (source,), target, relation=name, direction=way)
        return target

    def described(depth: int) -> str:
        parts = [hop(depth) for _ in range(draw(st.integers(1, 3)))]
        for place in range(1, len(parts)):
            if draw(st.booleans()):
                outside = node()
                edge(Op.COMPLEMENT, (parts[place],), outside)
                parts[place] = outside
        if len(parts) == 1:
            return parts[0]
        both = node()
        edge(Op.INTERSECTION, tuple(parts), both)
        return both

    root = described(2)
    return QuestionGraph(root_node_id=root, nodes=tuple(nodes), edges=tuple(edges))


@given(graphs())
def test_what_is_said_in_english_reads_back(graph: QuestionGraph) -> None:
    """An English question, in either wording, is read as the graph that it says."""
    for other in (False, True):
        read = read_question(write_question(graph, "en", other=other))
        assert read is not None
        assert canonical_text(_untyped(read)) == canonical_text(graph)


@given(graphs(chinese=True))
def test_what_is_said_in_chinese_reads_back(graph: QuestionGraph) -> None:
    """A Chinese question is read as the graph that it says."""
    read = read_mandarin(write_mandarin(graph))
    assert read is not None
    assert canonical_text(read) == canonical_text(graph)


def _untyped(graph: QuestionGraph) -> QuestionGraph:
    nodes = tuple(node.model_copy(update={"entity_type": None}) for node in graph.nodes)
    return graph.replace(nodes=nodes)


def test_every_good_page_is_read_whole(web: StaticWeb) -> None:
    """The reader finds exactly the facts of every good page, in both languages."""
    for page in web.pages:
        if page.host not in web.good_hosts:
            continue
        name = in_chinese if page.language == "zh" else str
        told = {(name(fact.head), fact.relation, name(fact.tail)) for fact in page.facts}
        read = {claim.triple for claim in read_page("\n".join(page.paragraphs))}
        assert read == told, page.url
