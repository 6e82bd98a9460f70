"""Record what a real Parca or Pyroscope answers: `python record.py WORD FILE`, with the program of testdata/packages
profiled by it for some minutes. FILE gets every question and its answer, once."""

import json
import sys
from base64 import b64encode
from pathlib import Path

from oakum.collect.target import Wishes
from oakum.collect.targets import open_targets
from oakum.collect.web import Access
from oakum.collect.web.door import Answer, Door


def record(word: str, file: Path) -> None:
    """Take everything that a word names, and keep the exchanges."""
    exchanges: dict[tuple[str, bytes], dict[str, str]] = {}
    ask = Door.post

    def post(
        door: Door, path: str, data: bytes, kind: str = "", *, seconds: float = 30.0, most: int = 1 << 30
    ) -> Answer:
        answer = ask(door, path, data, kind, seconds=seconds, most=most)
        said = {"path": path, "asked": b64encode(data).decode(), "type": answer.headers.get("content-type", "")}
        exchanges.setdefault((path, data), said | {"answer": b64encode(bytes(answer.data)).decode()})
        return answer

    Door.post = post  # type: ignore[method-assign, assignment]
    for target in open_targets([word], Access()):
        for step in target.plan(Wishes()).steps:
            target.take(step, Wishes())
    file.write_text(json.dumps(list(exchanges.values()), indent=1) + "\n")


if __name__ == "__main__":
    record(sys.argv[1], Path(sys.argv[2]))
