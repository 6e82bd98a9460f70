"""Record what a real Parca or Pyroscope answers: `python record.py WORD FILE`, with the program of testdata/packages
profiled by it for some minutes. FILE gets every question and its answer, once."""

import json
import sys
from base64 import b64encode
from pathlib import Path

from oakum.collect.target import CaptureOptions
from oakum.collect.targets import open_targets
from oakum.collect.web import Access
from oakum.collect.web.endpoint import Answer, HttpEndpoint


def record(word: str, file: Path) -> None:
    """Take everything that a word names, and keep the exchanges."""
    exchanges: dict[tuple[str, bytes], dict[str, str]] = {}
    ask = HttpEndpoint.post

    def post(
        endpoint: HttpEndpoint, path: str, data: bytes, kind: str = "", *, seconds: float = 30.0, most: int = 1 << 30
    ) -> Answer:
        answer = ask(endpoint, path, data, kind, seconds=seconds, most=most)
        said = {"path": path, "asked": b64encode(data).decode(), "type": answer.headers.get("content-type", "")}
        exchanges.setdefault((path, data), said | {"answer": b64encode(bytes(answer.data)).decode()})
        return answer

    HttpEndpoint.post = post  # type: ignore[method-assign, assignment]
    for target in open_targets([word], Access()):
        for step in target.plan(CaptureOptions()).steps:
            target.take(step, CaptureOptions())
    file.write_text(json.dumps(list(exchanges.values()), indent=1) + "\n")


if __name__ == "__main__":
    record(sys.argv[1], Path(sys.argv[2]))
