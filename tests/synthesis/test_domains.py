"""Domains: nine with fifty parts that ship with the package, or a file of the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphkit.errors import FormatError
from synthesis.domains import read_domains

GOOD = """
[[domain]]
name = "News"
name_zh = "新闻"
subdomains = [{name = "People", name_zh = "人物"}, {name = "Places"}]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "domains.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_nine_domains_with_fifty_parts_ship_with_the_package() -> None:
    """Each has a name in both languages, and no name is there twice in its place."""
    domains = read_domains()
    parts = [part for domain in domains for part in domain.subdomains]
    assert (len(domains), len(parts)) == (9, 50)
    for group in (domains, *(domain.subdomains for domain in domains)):
        for language in ("en", "zh"):
            names = [part.named(language) for part in group]
            assert all(names)
            assert len(set(names)) == len(names)
    assert all(part.name_zh and part.name_zh != part.name for part in (*domains, *parts))


def test_a_file_of_the_user_takes_their_place(tmp_path: Path) -> None:
    """Names in Chinese are optional; without one the English name stands."""
    (domain,) = read_domains(written(tmp_path, GOOD))
    assert domain.named("zh") == "新闻"
    assert [part.named("zh") for part in domain.subdomains] == ["人物", "Places"]
    assert [part.named("en") for part in domain.subdomains] == ["People", "Places"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "domain"),
        ("[[domain]]\n", "name"),
        ('[[domain]]\nname = "a"\nsubdomains = []\n', "subdomains"),
        ('[[domain]]\nname = ""\nsubdomains = [{name = "b"}]\n', "domain.0.name"),
        ('[[domain]]\nname = "a"\nsubdomains = [{nmae = "b"}]\n', "nmae"),
        ('[[domain]]\nname = "a"\nsubdomains = ["b"]\n', "subdomains.0"),
        ("domain = 7", "domain"),
        ("[[domain", "not a TOML document"),
        (GOOD + GOOD, "'News' is there twice"),
        (
            '[[domain]]\nname = "a"\nsubdomains = [{name = "b"}, {name = "b"}]\n',
            "'b' is there twice",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    """The file and the key are named."""
    path = written(tmp_path, text)
    with pytest.raises(FormatError) as caught:
        read_domains(path)
    assert said in str(caught.value)
    assert {problem.file for problem in caught.value.problems} == {str(path)}


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    """Three mistakes, each with its place."""
    text = '[[domain]]\nnmae = "a"\nsubdomains = [{name = ""}]\n'
    with pytest.raises(FormatError) as caught:
        read_domains(written(tmp_path, text))
    said = str(caught.value)
    assert all(place in said for place in ("domain.0.name:", "domain.0.nmae", "subdomains.0.name"))


@pytest.mark.parametrize("data", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, data: bytes | None) -> None:
    """Missing, or not text."""
    path = tmp_path / "d.toml"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(FormatError, match=r"d\.toml"):
        read_domains(path)
