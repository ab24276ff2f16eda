"""What a resumed run is to have instead of what it was begun with, by options and settings file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cli.endings import note
from cli.model_options import model_settings
from cli.state import State

if TYPE_CHECKING:
    from graphkit.models import ModelSettings
    from synthesis.mending import Mend
    from synthesis.run_folder import RunFolder, RunPlan

__all__ = ["mended"]


def mended(
    run: RunFolder, model: str | None, base_url: str | None, parallel: int | None
) -> RunFolder:
    """Return a run as the options and the settings file that was named want it from now on.

    A settings file counts only where ``graphkit --settings FILE`` names it: its tables ``[models]``
    and ``[web]`` are read as for a new run, of ``[synthesis]`` only ``parallel``.

    Args:
        run: The run.
        model: The option ``--model``.
        base_url: The option ``--base-url``.
        parallel: The option ``--parallel``.

    Raises:
        SettingsError: What was answered already would have been asked otherwise, or a setting
            does not fit.
    """
    from synthesis.mending import Mend, mend

    named = State.current().settings_file
    if named is None:
        models = _over(run.plan.models, model, base_url)
        wanted = Mend(models=models, parallel=parallel)
    else:
        wanted = _of_file(Path(named), run.plan, model, base_url, parallel)
    run, changes = mend(run, wanted, origin=named)
    for change in changes:
        note(str(change))
    return run


def _of_file(
    file: Path, plan: RunPlan, model: str | None, base_url: str | None, parallel: int | None
) -> Mend:
    from synthesis.loop_settings import LoopSettings, read_table
    from synthesis.mending import Mend
    from synthesis.run_folder import web_settings

    table, web = read_table(file, "models"), read_table(file, "web")
    default, begun = table.get("default"), plan.models.get("default")
    given = default if isinstance(default, Mapping) else {}
    if begun is not None:  # options of the first call that the file does not tell
        model = model or (None if "model" in given else begun.model)
        base_url = base_url or (None if "base_url" in given else begun.base_url)
    models = model_settings(table, model, base_url) if table else None
    if not table:
        models = _over(plan.models, model, base_url)
    loop = LoopSettings.checked(read_table(file, "synthesis"), origin=str(file))
    for name in sorted(loop.model_fields_set - {"parallel"}):
        kept = getattr(plan.loop, name)
        if getattr(loop, name) != kept:
            note(f"synthesis.{name} stays {kept!r}: a run keeps what it was begun with")
    if parallel is None and "parallel" in loop.model_fields_set:
        parallel = loop.parallel
    return Mend(
        models=models,
        web=web_settings(web, origin=str(file)) if web else None,
        parallel=parallel,
    )


def _over(
    models: Mapping[str, ModelSettings], model: str | None, base_url: str | None
) -> dict[str, ModelSettings] | None:
    """Return models with the values of options, for ``default`` and whoever has it from there."""
    if model is None and base_url is None:
        return None
    options = {"model": model, "base_url": base_url}
    default = models.get("default")
    table = {
        agent: {
            name: value
            for name, value in dict(own).items()
            if options.get(name) is None or value != getattr(default, name, None)
        }
        for agent, own in models.items()
    }
    return model_settings(table, model, base_url)
