"""What is found, as SARIF, is valid by the published schema of SARIF 2.1.0, which a module of the Go proxy carries."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from diagnoses import rich
from oakum.report.findings_sarif import document
from support import ROOT
from support import oakum_process as oakum
from toolchain import DownloadFailed, download, environment, need_go

CARRIER = "github.com/owenrumney/go-sarif/v3"
VERSION = "v3.3.1"
LEAK = """package desk

import "time"

func Quote() int {
	offers := make(chan int)
	go func() { offers <- ask() }()
	select {
	case offer := <-offers:
		return offer
	case <-time.After(time.Second):
		return 0
	}
}
"""
VALIDATE = """
import json, sys
from jsonschema import Draft4Validator
schema, log = (json.load(open(name)) for name in sys.argv[1:])
errors = [f"{list(error.path)}: {error.message}" for error in Draft4Validator(schema).iter_errors(log)]
print("\\n".join(errors))
sys.exit(bool(errors))
"""


def schema(folder: Path) -> Path:
    """Return the schema in a file; it stands in the module's source as a string."""
    (folder / "go.mod").write_text("module example.com/schema\n\ngo 1.21\n")
    download([str(need_go()), "mod", "download", f"{CARRIER}@{VERSION}"], folder)
    cache = subprocess.run(
        [need_go(), "env", "GOMODCACHE"], env=environment(), capture_output=True, text=True, check=True
    )
    source = Path(cache.stdout.strip()) / f"{CARRIER}@{VERSION}" / "pkg" / "report" / "v210" / "sarif" / "schema.go"
    file = folder / "schema.json"
    file.write_text(source.read_text(encoding="utf-8").split("`")[1], encoding="utf-8")
    return file


@pytest.mark.live
def test_valid_by_the_published_schema(tmp_path: Path) -> None:
    (tmp_path / "schema").mkdir()
    library = tmp_path / "library"
    try:
        published = schema(tmp_path / "schema")
        download([sys.executable, "-m", "pip", "install", "-q", "--target", str(library), "jsonschema"], tmp_path)
    except DownloadFailed as reason:
        pytest.skip(str(reason))
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "desk.go").write_text(LEAK)
    (tree / "broken.go").write_text("package desk\n\nfunc f( {\n")
    (tree / "go.mod").write_text(
        "module example.com/desk\n\ngo 1.21\n\nrequire (\n\tk8s.io/apimachinery v0.18.8\n"
        "\tgithub.com/containerd/ttrpc v1.0.1\n)\n\nreplace github.com/containerd/ttrpc => ../ttrpc\n"
    )
    build = tree / "build.txt"
    build.write_text("/srv/app: go1.26.8\n\tpath\texample.com/app\n\tdep\tk8s.io/apimachinery\tv0.18.8\th1:x=\n")
    for lang in ("en", "zh"):
        found = tmp_path / f"{lang}.sarif"
        assert oakum("scan", tree, build, "--lang", lang, "-o", found).code == 1
        results = json.loads(found.read_text(encoding="utf-8"))["runs"][0]["results"]
        assert {"abandoned-sender", "kubernetes-98653", "ttrpc-94"} <= {one["ruleId"] for one in results}
        check(found, published, library)
    for case in ("kubernetes-98653", "accumulating-registration-storefront", "healthy-live-streams"):
        found = tmp_path / f"{case}.sarif"
        captures = next((ROOT / "casebook" / case / "captures").iterdir())
        oakum("diagnose", captures, "--source", ROOT / "casebook" / case, "--no-compile", "-o", found)
        check(found, published, library)
    found = tmp_path / "rich.sarif"
    found.write_text(json.dumps(document(rich())), encoding="utf-8")
    check(found, published, library)


def check(log: Path, published: Path, library: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", VALIDATE, str(published), str(log)],
        env={**os.environ, "PYTHONPATH": str(library)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
