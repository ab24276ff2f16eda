"""The folder of a run: its settings, and where its log, journal, pages and results lie."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphkit.errors import FormatError, InputError, OperationError, Problem, SettingsError
from graphkit.evidence import EvidenceRecord
from graphkit.formats.evidence import evidence_text, read_evidence
from graphkit.formats.writing import write_text
from graphkit.models import ModelSettings
from graphkit.models.wrong_setting import wrong_setting
from graphkit.relations import RelationSheet
from graphkit.stores.schema import package_version
from synthesis.domains import Domain
from synthesis.loop_settings import LoopSettings
from synthesis.prompting import prompt_digests
from synthesis.seeds import Seed, deduplicated, seed_records
from synthesis.web import WebSettings

__all__ = ["RunFolder", "RunPlan", "web_settings"]


class RunPlan(BaseModel):
    """All that a run depends on, apart from the outside world; written down when it begins.

    Attributes:
        loop: The parameters of the loop.
        web: Search provider and limits of visits; keys are named, never held.
        models: Agent -> its model; ``default`` for the rest.
        seeds: The seeds, in their order; those that are found come after them.
        find_seeds: How many seeds are to be found.
        domains: Where they are looked for.
        sheet: The relation sheet as TOML, or nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    loop: LoopSettings = LoopSettings()
    web: WebSettings = WebSettings()
    models: dict[str, ModelSettings] = Field(min_length=1)
    seeds: tuple[Seed, ...] = ()
    find_seeds: int = Field(default=0, ge=0)
    domains: tuple[Domain, ...] = ()
    sheet: str = ""

    @property
    def relations(self) -> RelationSheet:
        """The relation sheet."""
        return RelationSheet.parse(self.sheet) if self.sheet else RelationSheet()


def web_settings(table: Mapping[str, Any], *, origin: str | None = None) -> WebSettings:
    """Build the web settings from a table ``[web]``; whatever does not fit is told at once.

    Args:
        table: Setting -> value.
        origin: The file that they come from, for errors.

    Raises:
        SettingsError: Unknown names and values that do not fit.
    """
    try:
        return WebSettings.model_validate(dict(table))
    except ValidationError as error:
        raise SettingsError(
            Problem(
                wrong_setting(item, "web", WebSettings.model_fields), code="setting", file=origin
            )
            for item in error.errors()
        ) from None


class RunFolder:
    """A folder with everything that a run needs to be taken up again and to be audited.

    ``run.json`` holds the plan, ``exchanges.jsonl`` every call, ``journal.jsonl`` every step,
    ``snapshots/`` the pages, ``evidence/`` the evidence of each finished seed; at the end
    ``questions.jsonl``, ``evidence.jsonl``, ``set_aside.jsonl``, ``costs.json`` and
    ``summary.json``.

    Attributes:
        path: The folder.
        run: The name of the run.
        plan: What it depends on.
        graphkit: The version of graphkit that it was begun with, ``source`` where it was not
            installed; None where that was not yet written down.
    """

    def __init__(self, path: Path, run: str, plan: RunPlan, graphkit: str | None = None) -> None:
        self.path = path
        self.run = run
        self.plan = plan
        self.graphkit = graphkit

    @classmethod
    def create(cls, path: Path, plan: RunPlan, *, run: str | None = None) -> RunFolder:
        """Begin a run in a new or empty folder.

        Args:
            path: The folder.
            plan: What the run depends on.
            run: Its name; by default one that is not used elsewhere.

        Raises:
            InputError: The folder holds something already.
            OperationError: It cannot be written.
        """
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise InputError(
                Problem(
                    "is not an empty folder, expected a new one; to go on with a run give it as "
                    "--resume",
                    code="not_empty",
                    file=str(path),
                )
            )
        name = run or f"r{secrets.token_hex(6)}"
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OperationError(
                Problem(f"cannot be made: {error.strerror}", "unwritable", str(path))
            ) from error
        record = {
            "run": name,
            "graphkit": package_version(),
            "plan": plan.model_dump(mode="json"),
            "prompts": prompt_digests(),
            "pid": os.getpid(),
        }
        folder = cls(path, name, plan, package_version())
        folder.write_json("run.json", record)
        return folder

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Open a run that was begun.

        Raises:
            FormatError: There is no ``run.json``, or it is not what a run writes.
            SettingsError: The prompts are others than when it began: replies to the new ones would
                be mixed with replies to the old.
        """
        file = path / "run.json"
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
            name, told = str(record["run"]), dict(record["prompts"])
            plan = RunPlan.model_validate(record["plan"])
            version = record.get("graphkit")
        except FileNotFoundError as error:
            raise FormatError(
                Problem("there is no run in this folder", "no_run", str(file))
            ) from error
        except ValidationError as error:
            raise FormatError(
                Problem(
                    f"not a run: plan.{'.'.join(map(str, item['loc']))}: {item['msg'].lower()}",
                    "run",
                    str(file),
                )
                for item in error.errors()
            ) from error
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise FormatError(Problem(f"not a run: {error}", "run", str(file))) from error
        now = prompt_digests()
        changed = sorted(key for key in told if now.get(key) != told[key])
        if changed:
            raise SettingsError(
                Problem(
                    f"the prompts {', '.join(changed)} have changed since the run began, expected "
                    "a new run",
                    code="prompts_changed",
                    file=str(file),
                )
            )
        return cls(path, name, plan, None if version is None else str(version))

    def with_seeds(self, seeds: Iterable[Seed]) -> RunFolder:
        """Return the run with seeds that were found, in a file of their own: ``seeds.jsonl``."""
        found = tuple(deduplicated([*self.plan.seeds, *seeds]))
        self.write_lines("seeds.jsonl", seed_records(found))
        return RunFolder(
            self.path, self.run, self.plan.model_copy(update={"seeds": found}), self.graphkit
        )

    def mended(self, plan: RunPlan, changes: Sequence[Mapping[str, Any]]) -> RunFolder:
        """Return the run with another plan, which is written down with what has changed.

        Args:
            plan: What the run depends on from now on.
            changes: What is another in it; it stands in ``run.json`` as ``mended``.
        """
        record = json.loads(self.file("run.json").read_text(encoding="utf-8"))
        record["plan"] = plan.model_dump(mode="json")
        mend = {"graphkit": package_version(), "changes": list(changes)}
        record["mended"] = [*record.get("mended", ()), mend]
        self.write_json("run.json", record)
        return RunFolder(self.path, self.run, plan, self.graphkit)

    def file(self, name: str) -> Path:
        """Return the place of a file of the run."""
        return self.path / name

    def write_json(self, name: str, data: Any) -> None:
        """Write a file of the run as JSON, whole or not at all."""
        text = json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)
        write_text(self.path / name, [text, "\n"])

    def write_lines(self, name: str, records: Iterable[Any]) -> None:
        """Write a file of the run as JSONL, whole or not at all."""
        write_text(
            self.path / name,
            (json.dumps(item, ensure_ascii=False, allow_nan=False) + "\n" for item in records),
        )

    def keep_evidence(self, seed: str, records: Iterable[EvidenceRecord]) -> str:
        """Keep the evidence that a seed came to; return its digest."""
        (self.path / "evidence").mkdir(exist_ok=True)
        text = "".join(evidence_text(records))
        write_text(self.path / "evidence" / f"{seed}.jsonl", [text])
        return hashlib.sha256(text.encode()).hexdigest()

    def kept_evidence(self, seed: str) -> list[EvidenceRecord]:
        """Return the evidence that a finished seed came to."""
        return list(read_evidence(self.path / "evidence" / f"{seed}.jsonl"))
