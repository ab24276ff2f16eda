"""Pictures: layout without overlap, the same bytes, everything escaped, fonts that exist."""

from __future__ import annotations

import html.parser
import itertools
import json
import shutil
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphkit.draw import draw_html, draw_png, draw_svg, question_scene
from graphkit.draw.layers import layered
from graphkit.draw.lettering import printable, text_width, wrap
from graphkit.draw.svg import svg_text
from graphkit.errors import InputError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.question import Edge, Node, Op, QuestionGraph
from graphkit.testing.strategies import stores_with_graphs

GRAPHS = stores_with_graphs().map(lambda pair: pair[1])
NASTY = [
    "</script><b>\"&'",
    "a\x00b\x1b",
    "\u0627\u0644\u0639\u0631\u0628\u064a\u0629",
    "北约",
    "\U0001f600\U0001f468\u200d\U0001f469",
    "two\nlines",
    "\ud800",
    "\uffff",
    "$x^2$ $",
    "{{x}}",
]


def graph(name: str = "France", **changes: object) -> QuestionGraph:
    data: dict[str, object] = {
        "id": "q1",
        "question": f"Which city is the capital of {name} and not on the sea?",
        "answer": "Paris",
        "root_node_id": "n3",
        "nodes": [
            Node(node_id="n0", label=name, known_entities=[name]),
            Node(node_id="n1", label="on the sea"),
            Node(node_id="n2", label=f"not {name}"),
            Node(node_id="n3", label="city", is_root=True, reference_entities=["Paris"]),
        ],
        "edges": [
            Edge(edge_id="e0", source_ids=["n0"], target_id="n3", op="projection",
                 relation=f"capital {name}", direction="forward"),
            Edge(edge_id="e1", source_ids=["n1"], target_id="n2", op="complement"),
            Edge(edge_id="e2", source_ids=["n0", "n2"], target_id="n3", op="intersection"),
        ],
    }  # fmt: skip
    return QuestionGraph(**{**data, **changes})  # type: ignore[arg-type]


@given(GRAPHS)
@settings(max_examples=60, deadline=None)
def test_every_part_is_drawn_and_no_two_overlap(graph: QuestionGraph) -> None:
    """Each node and edge has its box or disc, all inside the picture and apart from each other."""
    scene = question_scene(graph)
    spots = {
        **{box.name: (box.at, box.width / 2, box.height / 2) for box in scene.boxes},
        **{disc.name: (disc.at, disc.radius, disc.radius) for disc in scene.discs},
    }
    wanted = {f"n:{node.node_id}" for node in graph.nodes}
    wanted |= {f"e:{edge.edge_id}" for edge in graph.edges}
    assert wanted <= set(spots)
    for middle, wide, high in spots.values():
        assert wide <= middle.x <= scene.width - wide
        assert high <= middle.y <= scene.height - high
    for (a, wide, high), (b, other_wide, other_high) in itertools.combinations(spots.values(), 2):
        assert abs(a.x - b.x) >= wide + other_wide or abs(a.y - b.y) >= high + other_high


@given(GRAPHS)
@settings(max_examples=40, deadline=None)
def test_lines_run_from_left_to_right(graph: QuestionGraph) -> None:
    """Every line leads to the right, from each source to its operation and on to the target."""
    scene = question_scene(graph)
    for link in scene.links:
        assert all(a.x <= b.x for a, b in itertools.pairwise(link.points))
    joins = sum(len(edge.source_ids) + 1 for edge in graph.edges)
    merged = sum(1 for edges in graph.incoming.values() if len(edges) > 1)
    assert len(scene.links) == joins + merged


@given(GRAPHS)
@settings(max_examples=40, deadline=None)
def test_svg_is_xml_with_all_names(graph: QuestionGraph) -> None:
    """The SVG is well formed, and its titles tell every given name in full."""
    root = ElementTree.fromstring(svg_text(question_scene(graph)))
    titles = " ".join(item.text or "" for item in root.iter("{http://www.w3.org/2000/svg}title"))
    told = titles.replace("\n", " ").split()
    for node in graph.nodes:
        for name in node.known_entities[:12]:
            assert set(printable(name).split()) <= {
                word for piece in told for word in (piece, piece.removesuffix(","))
            }


def test_the_layout_keeps_order_and_avoids_crossings() -> None:
    """Two parallel links that were given crosswise are drawn without a crossing."""
    sizes = dict.fromkeys("abcd", (20.0, 20.0))
    found = layered(sizes, {"a": 0, "b": 0, "c": 1, "d": 1}, [("a", "d"), ("b", "c")])
    heights = {name: y for name, (_, y) in found.middles.items()}
    assert (heights["a"] < heights["b"]) == (heights["d"] < heights["c"])


def test_a_long_link_keeps_clear_of_what_it_passes() -> None:
    """A link over several columns crosses each of them in a straight line beside the items."""
    sizes = dict.fromkeys("abcd", (50.0, 30.0))
    ranks = {"a": 0, "b": 1, "c": 2, "d": 3}
    found = layered(sizes, ranks, [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    route = found.routes["a", "d"]
    assert len(route) == 4
    assert len({round(y, 6) for _, y in route}) == 1
    assert all(abs(route[0][1] - found.middles[name][1]) >= 15 for name in "bc")


@given(st.text(), st.sampled_from([60.0, 120.0]), st.integers(1, 3))
def test_wrapped_lines_fit(text: str, width: float, lines: int) -> None:
    """No line is wider than asked, there are no more than asked, and nothing is invented."""
    found = wrap(text, 10, width, lines=lines)
    assert len(found) <= lines
    for line in found:
        assert text_width(line, 10) <= width or len(line) <= 12
    kept = "".join(found).replace("\u2026", "").replace(" ", "")
    assert set(kept) <= set(printable(text))


def test_marks_and_joined_emoji_are_not_torn() -> None:
    """A letter keeps its accents and a family stays together when a line breaks."""
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert wrap(family * 3, 10, 12, lines=9) == (family,) * 3
    assert wrap("e\u0301" * 3, 10, 7, lines=9) == ("e\u0301",) * 3


@pytest.mark.parametrize("name", NASTY)
def test_any_name_can_be_drawn(tmp_path: Path, name: str) -> None:
    """Markup, control characters, other scripts and emoji go into every kind of picture."""
    one = graph(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw_png(one, tmp_path / "g.png", scale=0.5)
    draw_svg(one, tmp_path / "g.svg")
    ElementTree.parse(tmp_path / "g.svg")
    draw_html([one], tmp_path / "g.html", title=name)
    assert (tmp_path / "g.png").read_bytes().startswith(b"\x89PNG")


class Page(html.parser.HTMLParser):
    """Collects the elements and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of_one(folder: Path) -> str:
    draw_html([graph()], folder / "plain.html")
    return (folder / "plain.html").read_text()


def test_a_page_needs_nothing_else_and_escapes_everything(tmp_path: Path) -> None:
    """No name becomes markup, nothing is loaded, and the policy of the page forbids it."""
    draw_html([graph(name) for name in NASTY], tmp_path / "g.html")
    page = Page((tmp_path / "g.html").read_text())
    assert page.tags.count("script") == 1
    assert page.tags.count("template") == len(NASTY)
    plain = Page(page_of_one(tmp_path))
    assert set(page.tags) == set(plain.tags)
    assert not [
        (key, value)
        for key, value in page.attributes
        if key in ("src", "href") or key.startswith("on")
    ]
    assert any("default-src 'none'" in (value or "") for _, value in page.attributes)
    assert "</script><b>\"&'" in page.text


def test_the_same_graph_gives_the_same_bytes(tmp_path: Path) -> None:
    """PNG, SVG and page are the same in another process with another hash seed."""
    code = (
        "import json, sys\n"
        "from graphkit.draw import draw_html, draw_png, draw_svg\n"
        "from graphkit.question import QuestionGraph\n"
        "graph = QuestionGraph(**json.loads(sys.argv[1]))\n"
        "draw_png(graph, 'g.png'); draw_svg(graph, 'g.svg'); draw_html([graph], 'g.html')\n"
    )
    record = json.dumps(graph("北约").to_record())
    made = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        subprocess.run(
            [sys.executable, "-c", code, record],
            cwd=folder,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            check=True,
        )
        made.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert made[0] == made[1]
    assert set(made[0]) == {"g.png", "g.svg", "g.html"}


def test_an_evaluation_shows_candidates_answers_and_facts() -> None:
    """With an evaluation the numbers of candidates, the answer and its facts are told."""
    facts = FactStore.from_triples(
        [("France", "capital", "Paris"), ("Lyon", "lies on", "Rhone"), ("x", "lies on", "Rhone")]
    )
    question = QuestionGraph(
        root_node_id="n3",
        nodes=[
            Node(node_id="n0", known_entities=["France"]),
            Node(node_id="n1", known_entities=["Rhone"]),
            Node(node_id="n2"),
            Node(node_id="n4"),
            Node(node_id="n3", is_root=True),
        ],
        edges=[
            Edge(edge_id="e0", source_ids=["n0"], target_id="n3", op="projection",
                 relation="capital", direction="forward"),
            Edge(edge_id="e1", source_ids=["n1"], target_id="n2", op="projection",
                 relation="lies on", direction="backward"),
            Edge(edge_id="e2", source_ids=["n2"], target_id="n4", op="complement"),
            Edge(edge_id="e3", source_ids=["n4", "n0"], target_id="n3", op=Op.UNION),
        ],
    )  # fmt: skip
    result = evaluate(question, facts)
    scene = question_scene(question, result)
    written = {box.name: [line.text for line in box.lines] for box in scene.boxes}
    assert "2 candidates" in written["n:n2"]
    assert "all but 2" in written["n:n4"]
    assert "Paris" in written["n:n3"]
    tips = {box.name: box.tip for box in scene.boxes}
    assert ("Fact", "France \u2014 capital \u2192 Paris") in tips["e:e0"]
    assert ("Answers", "1") in tips["n:n3"]
    with pytest.raises(InputError, match="of another graph"):
        question_scene(graph(), result)


def test_without_answers_the_scene_tells_none() -> None:
    """With answers left out neither lettering nor tips hold the answer."""
    scene = question_scene(graph(), answers=False)
    told = [line.text for box in scene.boxes for line in box.lines]
    told += [text for box in scene.boxes for _, text in box.tip]
    assert not any("Paris" in text for text in told)
    assert any("Paris" in line.text for box in question_scene(graph()).boxes for line in box.lines)


def test_a_page_without_graphs_is_refused(tmp_path: Path) -> None:
    """Nothing to draw is an error, and so are more evaluations than graphs."""
    with pytest.raises(InputError, match="no question graph"):
        draw_html([], tmp_path / "g.html")
    with pytest.raises(InputError, match="2 evaluations for 1 graphs"):
        draw_html([graph()], tmp_path / "g.html", [None, None])


def test_drawing_is_loaded_only_for_a_picture() -> None:
    """SVG and pages need no matplotlib."""
    code = "import sys, graphkit.draw, graphkit.draw.page\nsys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_very_long_graph_still_becomes_a_picture(tmp_path: Path) -> None:
    """A picture is drawn smaller before its sides become too long to be opened."""
    count = 260
    chain = QuestionGraph(
        root_node_id=f"n{count}",
        nodes=[Node(node_id=f"n{place}") for place in range(count + 1)],
        edges=[
            Edge(edge_id=f"e{place}", source_ids=[f"n{place}"], target_id=f"n{place + 1}",
                 op="projection", relation="r")
            for place in range(count)
        ],
    )  # fmt: skip
    draw_png(chain, tmp_path / "g.png")
    header = (tmp_path / "g.png").read_bytes()[16:24]
    assert 20_000 < int.from_bytes(header[:4], "big") <= 30_000


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium browser")
@pytest.mark.parametrize("number", [1, 2])
def test_the_page_works_in_a_browser(tmp_path: Path, number: int) -> None:
    """The script of the page runs: it opens the question that the address names, and fits it."""
    path = tmp_path / "g.html"
    draw_html([graph(NASTY[0]), graph(NASTY[3], question="")], path)
    command = [str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
               f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=3000",
               f"file://{path}#{number}"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    page = Page(done.stdout)
    current = [value for key, value in page.attributes if key == "aria-current"]
    assert current == ["true"]
    picked = done.stdout.split('aria-current="true"')[0].count("data-sheet=")
    assert picked == number
    stage = done.stdout.split('id="stage"')[1].split("<footer")[0]
    assert 'class="scene" transform="translate(' in stage
    assert ("\u5317\u7ea6" in stage) == (number == 2)
