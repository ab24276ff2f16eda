"""A scripted model on loopback: OpenAI-compatible, plays every role from what its prompts show.

It knows English and Chinese, the forms of the sentences on the pages, and where one looks things
up; it knows no facts. In process::

    with ScriptedModel(latency=0.2, faults=Faults(share={"rate_limit": 0.05})) as model:
        settings = ModelSettings(model="scripted", base_url=model.base_url)

or ``python -m scripted_model --port 0``, which prints its port; ``/stats`` tells what was paid.
"""

from scripted_model.faults import CONTENT, TRANSPORT, Faults
from scripted_model.mistakes import Mistakes
from scripted_model.server import ScriptedModel

__all__ = ["CONTENT", "TRANSPORT", "Faults", "Mistakes", "ScriptedModel"]
