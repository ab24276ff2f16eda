"""Settings of models are written down, so they hold no secret, and no error repeats one."""

from __future__ import annotations

import traceback
from typing import Any

import pytest
from pydantic import ValidationError

from graphkit.models import ModelSettings

SECRET = "hunter2-swordfish"


@pytest.mark.parametrize("name", ["base_url", "logged_url"])
@pytest.mark.parametrize(
    "url",
    [
        f"http://me:{SECRET}@host/v1",
        f"http://{SECRET}@host/v1",
        f"http://host/v1?api_key={SECRET}",
        f"http://host/v1#{SECRET}",
        f"http://[{SECRET}/v1",
    ],
)
def test_an_address_holds_no_secret(name: str, url: str) -> None:
    """User, password, query and fragment are refused, and the error does not repeat them."""
    with pytest.raises(ValidationError) as caught:
        ModelSettings.model_validate({"model": "m", name: url})
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert ("api_key_env" in str(caught.value)) == ("[" not in url)


@pytest.mark.parametrize(
    "extra",
    [
        {"api_key": SECRET},
        {"apiKey": SECRET},
        {"headers": {"Authorization": SECRET}},
        {"servers": [{"auth-token": [SECRET]}]},
        {"note": "sk-live-0123456789ABCDEF"},
        {"password": 12345678},
    ],
)
def test_further_fields_hold_no_secret(extra: dict[str, Any]) -> None:
    """What is named or looks like a key is refused, at any depth, with the way to give one."""
    with pytest.raises(ValidationError, match="api_key_env") as caught:
        ModelSettings(model="m", extra=extra)
    told = "".join(traceback.format_exception(caught.value))
    assert not any(word in told for word in (SECRET, "0123456789", "12345678"))


def test_ordinary_fields_and_addresses_pass() -> None:
    """Fields that only sound like keys, and schemas with a property of that name, are taken."""
    extra = {
        "prompt_cache_key": "graphkit",
        "max_completion_tokens": 5,
        "guided_json": {"properties": {"token": {"type": "string"}}, "required": ["token"]},
    }
    found = ModelSettings(model="m", base_url="http://127.0.0.1:8080/v1", extra=extra)
    assert found.extra == extra
