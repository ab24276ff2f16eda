"""The names that ``graphkit`` offers at its top."""

import importlib
import inspect

import pytest

import graphkit


@pytest.mark.parametrize("name", graphkit.__all__)
def test_every_exported_name_is_the_one_of_its_module(name: str) -> None:
    """A name at the top is the very object of its home module, and no module hides it."""
    value = getattr(graphkit, name)
    assert not inspect.ismodule(value)
    home = importlib.import_module(f"graphkit.{graphkit._HOMES[name]}")
    assert value is getattr(home, name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A name that is not offered raises what Python raises for it."""
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = graphkit.nonsense
