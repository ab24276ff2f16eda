"""The scripted model as a server: keys, faults, forms, mistakes, and what it counts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from scripted_model import CONTENT, Faults, Mistakes, ScriptedModel

TOOL = {
    "type": "function",
    "function": {"name": "search", "description": "", "parameters": {"type": "object"}},
}


@pytest.fixture
def exact() -> Iterator[ScriptedModel]:
    with ScriptedModel(mistakes=Mistakes.none()) as running:
        yield running


def body(text: str = "evidence", role: str = "popularity") -> dict[str, Any]:
    return {
        "model": "scripted",
        "messages": [
            {"role": "system", "content": f"graphkit task: {role}/1 (en)\n\nDo it."},
            {"role": "user", "content": f"<evidence_list>\n[]\n</evidence_list>\n{text}"},
        ],
    }


def post(model: ScriptedModel, data: dict[str, Any], key: str = "") -> httpx2.Response:
    headers = {"Idempotency-Key": key} if key else {}
    return httpx2.post(
        f"{model.base_url}/chat/completions", json=data, headers=headers, trust_env=False
    )


def test_the_same_body_has_the_same_reply_from_every_server() -> None:
    """Replies, mistakes included, depend on nothing but the body."""
    replies = []
    for _ in range(2):
        with ScriptedModel(mistakes=Mistakes(fenced=0.5, trailing_comma=0.5)) as model:
            replies.append([post(model, body(str(n))).json()["choices"] for n in range(20)])
    assert replies[0] == replies[1]
    texts = {choices[0]["message"]["content"] for choices in replies[0]}
    assert len(texts) > 2


def test_a_key_is_paid_for_once_and_a_body_under_two_keys_twice(exact: ScriptedModel) -> None:
    """The same idempotency key brings the stored answer back; the ledger tells both cases."""
    first, again = post(exact, body(), "k1"), post(exact, body(), "k1")
    assert first.content == again.content
    assert (exact.stats["paid"], exact.stats["repeated"], exact.stats["paid_twice"]) == (1, 1, 0)
    post(exact, body(), "k2")
    assert (exact.stats["paid"], exact.stats["repeated"], exact.stats["paid_twice"]) == (2, 1, 1)
    usage = first.json()["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"] > 0


@pytest.mark.parametrize(
    ("fault", "status"), [("rate_limit", 429), ("server_error", 500), ("broken_body", 200)]
)
def test_transport_faults_come_once_and_cost_nothing(fault: str, status: int) -> None:
    """A call that fails by its body is answered at the next attempt, and paid for once."""
    with ScriptedModel(mistakes=Mistakes.none(), faults=Faults(share={fault: 1.0})) as model:
        failed = post(model, body(), "k")
        assert failed.status_code == status
        assert (failed.headers.get("retry-after") is not None) == (fault == "rate_limit")
        assert model.stats["paid"] == 0
        assert post(model, body(), "k").json()["choices"]
        assert model.stats["paid"] == 1
        assert model.stats["faults"] == {fault: 1}


def test_a_connection_can_be_dropped_and_faults_can_come_by_number() -> None:
    """Every second call is dropped without an answer."""
    with ScriptedModel(mistakes=Mistakes.none(), faults=Faults(every={"drop": 2})) as model:
        assert post(model, body("1")).status_code == 200
        with pytest.raises(httpx2.RemoteProtocolError):
            post(model, body("2"))


@pytest.mark.parametrize("fault", CONTENT)
def test_useless_answers_are_mended_when_they_are_handed_back(fault: str) -> None:
    """Truncated, of another schema, refused, repeating or empty: the re-ask is answered well."""
    plan = Faults(share={fault: 1.0})
    with ScriptedModel(mistakes=Mistakes.none(), faults=plan) as model:
        choice = post(model, body()).json()["choices"][0]
        content = choice["message"]["content"] or ""
        assert "popularity" not in content or choice["finish_reason"] == "length"
        handed_back = body()
        handed_back["messages"] += [
            {"role": "assistant", "content": content},
            {"role": "user", "content": "Your reply cannot be used."},
        ]
        mended = post(model, handed_back).json()["choices"][0]["message"]["content"]
        assert json.loads(mended) == {"popularity": "non-popular"}
        assert model.stats["paid"] == 2


def test_an_unknown_fault_is_refused() -> None:
    """A plan names only faults that there are."""
    with pytest.raises(ValueError, match="no fault flood"):
        Faults(share={"flood": 0.5})


def test_forms_can_be_refused_and_keys_be_asked_for() -> None:
    """A server without json_schema says 400, one with a key says 401, other paths 404."""
    with ScriptedModel(refuses=("json_schema", "tools"), api_key="right") as model:
        assert post(model, body()).status_code == 401
        send = {"headers": {"Authorization": "Bearer right"}, "trust_env": False}
        url = f"{model.base_url}/chat/completions"
        schema = {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}
        for field in ({"response_format": schema}, {"tools": [TOOL]}):
            assert httpx2.post(url, json=body() | field, **send).status_code == 400
        assert httpx2.post(url, json=body(), **send).status_code == 200
        assert httpx2.post(f"{model.base_url}/embeddings", json={}, **send).status_code == 404


def test_tools_can_be_asked_for_in_words(exact: ScriptedModel) -> None:
    """Where tools are explained in the prompt, calls are lines of JSON, and results are read."""
    told = body(role="gather")
    told["messages"][0]["content"] += '\n\n{"tool": "<name>", "arguments": {...}}'
    told["messages"][1]["content"] = "<seed>\nEgypt\n</seed>"
    content = post(exact, told).json()["choices"][0]["message"]["content"]
    wish = json.loads(content.splitlines()[0])
    assert (wish["tool"], set(wish["arguments"])) == ("search", {"query"})
    told["messages"] += [
        {"role": "assistant", "content": content},
        {"role": "user", "content": 'Result of search:\n{"status": "nothing", "results": []}'},
    ]
    further = post(exact, told).json()["choices"][0]["message"]["content"]
    assert further != content


def test_latency_shows_in_the_average_of_calls_under_way() -> None:
    """Calls wait as long as the server is told to, and the server knows that it was busy."""
    with ScriptedModel(mistakes=Mistakes.none(), latency=0.1) as model:
        for number in range(3):
            post(model, body(str(number)))
        stats = model.stats
    assert stats["busy_seconds"] >= 0.3
    assert 0 < stats["in_flight_average"] <= 1
    assert stats["most_in_flight"] == 1
    assert stats["crashes"] == []


@pytest.mark.parametrize("module", ["scripted_model", "static_web"])
def test_each_server_runs_as_a_process_of_its_own(module: str) -> None:
    """It prints its port first, serves, and ends when it is told to."""
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-m", module, "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": f"{root / 'tests' / 'servers'}:{root}"},
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        assert httpx2.get(f"http://127.0.0.1:{port}/stats", trust_env=False).status_code == 200
        process.terminate()
        assert process.wait(timeout=20) == 0
