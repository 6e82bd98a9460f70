"""What `oakum store add` and an upload put into a store: bundles, recordings, saved diagnoses, each once."""

import json
from pathlib import Path

import pytest

from oakum.model import NotAssembled
from oakum.pipeline.evidence import read_evidence
from oakum.report.json import diagnosis, document
from oakum.store import open_reader, open_writer
from oakum.store.adding import Added, add_evidence, add_inputs
from support import ROOT, oakum

TAKES = ROOT / "casebook" / "kubernetes-98653" / "captures"
LEADER, STANDBY = TAKES / "leaking-go1.26-modcache", TAKES / "standby-go1.26-modcache"
NOW = 1_790_000_000_000_000


def add(store: Path, *files: Path) -> Added:
    with open_writer(store) as writer:
        return add_evidence(writer, [str(file) for file in files], NOW)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a diagnosis of the leader beside its standby, with words that only it has."""
    file = tmp_path_factory.mktemp("saved") / "report.json"
    assert oakum("diagnose", "--no-source", "--baseline", STANDBY, LEADER, "-o", file).code == 1
    return file


def test_a_saved_diagnosis_of_the_same_captures_is_theirs(tmp_path: Path, saved: Path) -> None:
    added = add(tmp_path / "store", LEADER, saved)
    assert (added.snapshots, added.findings) == (5, 1)
    with open_reader(tmp_path / "store") as reader:
        (finding,) = reader.findings()
        assert diagnosis(json.loads(reader.document(finding.document))) == diagnosis(json.loads(saved.read_text()))
        assert reader.citing(finding.document)[0][:2] == (added.services[0], "")
    assert add(tmp_path / "store", LEADER, saved).findings == 0  # known already
    assert add(tmp_path / "store", saved).findings == 0


def test_a_baseline_is_not_what_its_diagnosis_is_of(tmp_path: Path, saved: Path) -> None:
    with open_writer(tmp_path / "store") as writer:
        made = [diagnosis(json.loads(saved.read_text()))]
        assert add_evidence(writer, [str(STANDBY)], NOW, saved=made).findings == 0
        assert add_evidence(writer, [str(LEADER)], NOW, saved=made).findings == 1
    with open_reader(tmp_path / "store") as reader:
        assert sorted(row.replica for row in reader.runs()) == sorted(one.name for one in (LEADER, STANDBY))
        assert all(row.modules for row in reader.runs())


def test_bundles_and_pages_are_added(tmp_path: Path, saved: Path) -> None:
    bundle = tmp_path / "leader.tar.gz"
    assert oakum("capture", LEADER, "-o", bundle).code == 0
    assert add(tmp_path / "store", bundle).snapshots == 5
    page = tmp_path / "report.html"
    assert oakum("report", saved, "-o", page).code == 0
    assert add(tmp_path / "store", page).findings == 1
    again = tmp_path / "again.json"
    again.write_text(json.dumps(document(diagnosis(json.loads(saved.read_text())))))
    assert add(tmp_path / "store", again).findings == 0


def test_who_only_stood_beside_what_leaks_does_not_leak(tmp_path: Path) -> None:
    take = ROOT / "casebook" / "kubernetes-83333" / "captures" / "leaking-go1.26-modcache"
    with open_writer(tmp_path / "store") as writer:
        add_inputs(writer, read_evidence((str(take),)), NOW, incident="i-1")
    with open_reader(tmp_path / "store") as reader:
        told = {service: json.loads(args)["verdict"] for service, args in reader.told("diagnosis").items()}
        assert told == {"apiserver": "leaking", "adminplatform": "healthy"}
        (incident,) = reader.incidents()
        times = [row.at for row in reader.snapshots("apiserver")]
    # It began between the last snapshot without and the first with it.
    assert (incident.since_low, incident.since_high, incident.since) == (times[0], times[1], times[1])


def test_what_is_no_evidence_adds_nothing(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing of this is evidence")
    with pytest.raises(NotAssembled):
        add(tmp_path / "store", tmp_path / "notes.txt")
    with open_reader(tmp_path / "store") as reader:
        assert not reader.runs()
