"""Every miss and every false alarm of the diagnosis that was ever seen, recorded: none of them comes back.

Each folder has captures and a truth.toml that says what is so and what it teaches; README.md says how to write one.
"""

import pickle
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from msgspec.structs import replace

from oakum.cli.case import case
from oakum.collect.code.sources import LocalSources
from oakum.diagnose import diagnose
from oakum.model import Case, CauseSite, Diagnosis, Finding, Snapshot
from oakum.report.json import document

HERE = Path(__file__).parent
SETTINGS = ("all", "late", "dump", "pb", "source")
TRUTHS = {path.parent.name: tomllib.loads(path.read_text()) for path in sorted(HERE.glob("*/truth.toml"))}
KNOWN_KEYS = {
    "teaches",
    "recorded",
    "verdict",
    "place",
    "cause",
    "victims",
    "settings",
    "anywhere",
    "unnamed",
    "silent",
    "sure",
    "known",
    "open",
}


def _moments(name: str) -> list[Path]:
    return sorted((HERE / name / "captures").iterdir())


@cache
def _everything(name: str) -> Case:
    return case([str(moment) for moment in _moments(name)])


def _given(name: str, setting: str) -> Case:
    """Return what the diagnosis is given: every moment, the last two, the last dump alone, or no text at all.

    The source beside it is given by `_answer`.
    """
    if setting == "pb":
        return case([str(path) for moment in _moments(name) for path in moment.glob("*.pb.gz")])
    whole = _everything(name)
    (process,) = whole.processes
    if setting == "late":
        return replace(whole, processes=(replace(process, snapshots=process.snapshots[-2:]),))
    if setting == "dump":
        return replace(whole, processes=(replace(process, snapshots=(_dump(process.snapshots[-1]),)),))
    return whole


def _dump(moment: Snapshot) -> Snapshot:
    sources = MappingProxyType({"goroutines": moment.sources["goroutines"]})
    return Snapshot(moment.label, goroutines=moment.goroutines, sources=sources)


def _settings(name: str) -> Iterator[str]:
    """Yield the settings that a truth asks for, or those that its captures allow."""
    moments = _moments(name)
    text = any(moments[-1].glob("*.txt.gz"))
    possible = {"all": True, "late": len(moments) > 2, "dump": text and len(moments) > 1}
    possible["pb"] = any(moments[-1].glob("goroutine.pb.gz")) and text
    possible["source"] = _source(name).is_dir()
    yield from TRUTHS[name].get("settings", [setting for setting in SETTINGS if possible[setting]])


def _source(name: str) -> Path:
    return HERE / name / "src"


def _with_source(name: str) -> Diagnosis:
    """Return what is said with the source of the program; what this machine has of Go and of modules is not read."""
    return diagnose(_everything(name), sources=LocalSources([str(_source(name))], env={}))


def _at(finding: Finding, place: dict[str, Any]) -> bool:
    frame = finding.suspect.sites[0].frame
    return bool(frame.function == place["function"] and place.get("line", frame.line) == frame.line)


def _told(diagnosis: Diagnosis) -> str:
    lines = [f"verdict {diagnosis.verdict}"]
    for one in diagnosis.findings:
        site = one.suspect.sites[0]
        lines.append(
            f"{one.rank}. {one.confidence} {one.mechanism} {site.frame.function}:{site.frame.line} [{site.state}] x{site.count} "
            f"{sorted(one.suspect.kinds)} {[growth.counts for growth in one.suspect.growth]}"
        )
        lines += [f"   {site.role} {site.frame.file}:{site.frame.line}" for site in _cause_sites(one)]
    return "\n".join(lines)


def _cause_sites(finding: Finding) -> Sequence[CauseSite]:
    return finding.suspect.cause.sites if finding.suspect.cause else ()


def _names(site: CauseSite, cause: dict[str, Any]) -> bool:
    return site.frame.file.endswith(f"/{cause['file']}") and site.frame.line in (cause["line"], *cause.get("also", ()))


def _wrongly_explained(truth: dict[str, Any], finding: Finding) -> list[str]:
    """Return what is wrong with the cause of a finding, where the truth has lines that are to be named."""
    sites, causes = _cause_sites(finding), truth.get("cause", ())
    if not causes:
        return []
    if not sites:
        return ["no cause"]
    missing = [cause for cause in causes if not any(_names(site, cause) for site in sites)]
    if len(missing) == len(causes):
        return ["wrong cause"]
    return [f"cause without {cause['file']}:{cause['line']}" for cause in missing]


def _wrong(truth: dict[str, Any], setting: str, diagnosis: Diagnosis) -> list[str]:
    """Return what is wrong with a diagnosis, worst first."""
    places = truth.get("place", ())
    sure = [one for one in diagnosis.findings if one.confidence != "possible"]
    accused = [one for one in sure if not any(_at(one, place) for place in places)]
    wrong = [f"accused: {one.suspect.sites[0].frame.function}" for one in accused]
    if truth["verdict"] == "healthy":
        shown = [one for one in diagnosis.findings if one.suspect.kinds.any("cause-in-source", "never-removed")]
        wrong += [f"cause shown: {one.suspect.sites[0].frame.function}" for one in shown]
        wrong += ["verdict leaking"] * (diagnosis.verdict == "leaking")
        return wrong + ["only undecided"] * (setting in truth.get("sure", ()) and diagnosis.verdict == "undecided")
    wrong += ["one cause became several findings"] * (len(sure) - len(accused) > 1)
    wrong += ["verdict healthy"] * (diagnosis.verdict == "healthy")
    if setting in truth.get("silent", ()):
        return wrong
    hits = [(one, place) for one in diagnosis.findings for place in places if _at(one, place)]
    if not hits:
        return [*wrong, "not found"]
    first, place = hits[0]
    if first.rank != 1 and setting not in truth.get("anywhere", ()):
        wrong.append("not first")
    if first.mechanism not in place["mechanisms"] and setting not in truth.get("unnamed", ()):
        wrong.append(f"mechanism {first.mechanism}")
    named = [known.id for known in first.known]
    if "known" in truth and named != ([truth["known"]] if truth["known"] else []):
        wrong.append(f"known {named}")
    if setting in truth.get("sure", ()) and first not in sure:
        wrong.append(f"only {first.confidence}")
    if setting == "source":
        wrong += _wrongly_explained(truth, first)
    if setting == "all":
        called = {
            f"{one.suspect.sites[0].frame.function}:{one.suspect.sites[0].frame.line}" for one in diagnosis.findings
        }
        wrong += [f"victim named: {victim}" for victim in truth.get("victims", ()) if victim in called]
    return wrong


@cache
def _diagnosed(name: str) -> Diagnosis:
    return diagnose(_everything(name))


def _answer(name: str, setting: str) -> Diagnosis:
    if setting == "source":
        return _with_source(name)
    return _diagnosed(name) if setting == "all" else diagnose(_given(name, setting))


@pytest.mark.parametrize("name", TRUTHS)
def test_a_case_and_its_diagnosis_travel_between_processes(name: str) -> None:
    given, diagnosis = (pickle.loads(pickle.dumps(one)) for one in (_everything(name), _diagnosed(name)))  # noqa: S301 - our own
    assert diagnosis == _diagnosed(name)
    assert document(diagnose(given)) == document(diagnosis)


@pytest.mark.parametrize(("name", "setting"), [(name, setting) for name in TRUTHS for setting in _settings(name)])
def test_what_was_once_wrong_is_right(name: str, setting: str) -> None:
    truth = TRUTHS[name]
    diagnosis = _answer(name, setting)
    wrong = _wrong(truth, setting, diagnosis)
    still_open = truth.get("open", {})
    if setting not in still_open:
        assert not wrong, f"{wrong}\n{truth['teaches']}\n{_told(diagnosis)}"
    else:
        assert wrong, f"right now: take {setting!r} out of [open] in {name}/truth.toml\n{_told(diagnosis)}"
        assert wrong == still_open[setting]["wrong"], f"wrong in another way than [open] says\n{_told(diagnosis)}"


def test_every_truth_is_complete() -> None:
    for name, truth in TRUTHS.items():
        assert set(truth) <= KNOWN_KEYS, name
        assert truth["teaches"].endswith("."), name
        assert truth["recorded"], name
        assert (truth["verdict"] == "healthy") != ("place" in truth), name
        asked = set(_settings(name))
        assert "cause" not in truth or "source" in asked, f"{name}: a cause is read in src/"
        for cause in truth.get("cause", ()):
            assert {"file", "line"} <= set(cause) <= {"file", "line", "also", "code"}, f"{name}: {cause}"
            lines = (_source(name) / cause["file"]).read_text(encoding="utf-8").splitlines()
            assert lines[cause["line"] - 1].strip() == cause.get("code", lines[cause["line"] - 1].strip()), name
        for key in ("anywhere", "unnamed", "silent", "sure", "open"):
            assert set(truth.get(key, ())) <= asked, f"{name}: {key}"
        assert all(one["why"].endswith(".") and one["wrong"] for one in truth.get("open", {}).values()), name
