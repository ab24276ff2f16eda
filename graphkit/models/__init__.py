"""The one door to language models: settings, structured answers, tools, budgets, and their log.

The client is loaded when a door first asks; importing this loads none.
"""

from __future__ import annotations

from graphkit.models.costs import CostRow
from graphkit.models.door import ModelDoor
from graphkit.models.exchanges import ExchangeLog, exchange_key
from graphkit.models.messages import (
    Answered,
    Conversed,
    Message,
    Reply,
    Tool,
    ToolCall,
    ToolUse,
    Usage,
)
from graphkit.models.model_settings import Budget, ModelSettings
from graphkit.models.past import PastUse
from graphkit.models.redaction import Redactor

__all__ = [
    "Answered",
    "Budget",
    "Conversed",
    "CostRow",
    "ExchangeLog",
    "Message",
    "ModelDoor",
    "ModelSettings",
    "PastUse",
    "Redactor",
    "Reply",
    "Tool",
    "ToolCall",
    "ToolUse",
    "Usage",
    "exchange_key",
]
