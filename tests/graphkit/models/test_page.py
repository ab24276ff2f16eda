"""docs/models.md: its example runs, and its table lists the settings that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from model_faults import FaultServer, said

from graphkit.models import ModelSettings

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "models.md").read_text(encoding="utf8")


def test_the_example_runs_and_asks_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run twice as the page says: the second time nothing is asked."""
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    with FaultServer([said('{"name": "Paris", "inhabitants": 2100000}')]) as server:
        code = code.replace("http://127.0.0.1:8080/v1", server.base_url)
        for _ in range(2):
            exec(compile(code, "models.md", "exec"), {"__name__": "page"})  # noqa: S102
        assert server.count == 1
    shown = capsys.readouterr().out
    assert shown.count("name='Paris' inhabitants=2100000 () 1") == 2
    assert "cached=1" in shown


def test_every_setting_is_listed_with_its_default() -> None:
    """The table has the fields of the settings, no more, and the defaults that they have."""
    table = PAGE.split("## Settings")[1].split("## Measured")[0]
    listed = {}
    for names, default in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| (.*?) \|", table, re.M):
        for name in re.findall(r"`(\w+)`", names):
            listed[name] = default.strip("`")
    assert list(listed) == list(ModelSettings.model_fields)
    for name, info in ModelSettings.model_fields.items():
        if info.default is not None and not info.is_required() and name != "extra":
            assert (
                listed[name] == f"{info.default:g}"
                if isinstance(info.default, float)
                else (listed[name] == str(info.default))
            )
