"""What may be done to evidence without changing its truth: order, size, names, noise, one format less.

On recorded takes of the casebook, a spread of them in the quick suite and all in the slow one, and on processes made up.
"""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from string import Formatter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from goroutine_text import Story, snapshot
from oakum.cli.case import case as case_of
from oakum.diagnose import diagnose
from oakum.model import Case, Diagnosis, Goroutines, Process, Snapshot, Text
from oakum.report.json import document
from oakum.report.words import LANGUAGES, WORDS, say
from recordings import FORMATS, laid_out, loaded, places, renamed, scaled, shuffled, taken, takes, with_noise, without

# Two Go versions, and of each kind of health one: pool, warm-up, traffic, clients, idle connections, resting, heap.
HEALTHY = [
    ("healthy-pool-to-maximum", "healthy-go1.19-modcache"),
    ("healthy-warm-up-harbourhub", "healthy-go1.27-trimpath"),
    ("healthy-traffic-tide-etacalc", "healthy-go1.19-modcache"),
    ("healthy-live-subscribers-deckfeed", "healthy-go1.27-trimpath"),
    ("healthy-client-pools-pricecrawl", "healthy-go1.19-modcache"),
    ("healthy-bounded-cache-partcat", "healthy-go1.27-trimpath"),
    ("accumulating-registration-edgegate", "fixed-go1.27-trimpath"),
]
LEAKING = [
    ("abandoned-sender-freight", "leaking-go1.19-modcache"),
    ("double-send-payouts", "leaking-go1.27-trimpath"),
    ("lock-cycle-stockroom", "leaking-go1.19-modcache"),
    ("nil-channel-gatelog", "leaking-go1.27-trimpath"),
]
NOISE = [("healthy-long-polls", "healthy-go1.19-modcache"), ("healthy-stations-warm-up", "healthy-go1.27-trimpath")]

Take = tuple[str, str]


def _name(take: object) -> str:
    return "/".join(take) if isinstance(take, tuple) else str(take)


quick_healthy = pytest.mark.parametrize("take", HEALTHY, ids=_name)
quick_leaking = pytest.mark.parametrize("take", LEAKING, ids=_name)


def _told(diagnosis: Diagnosis) -> str:
    sure = [one for one in diagnosis.findings if one.confidence != "possible"]
    return "\n".join(
        f"{one.confidence} {one.mechanism} at {one.suspect.sites[0].frame} {sorted(one.suspect.kinds)} "
        f"{[growth.counts for growth in one.suspect.growth]}"
        for one in sure
    )


def _not_leaking(case: Case) -> None:
    said = diagnose(case)
    assert said.verdict != "leaking", _told(said)


def _still_found(case: Case, before: Diagnosis) -> None:
    """The first finding is there still, as sure as it was."""
    said = diagnose(case)
    first = places(before.findings)[0]
    assert first in places(said.findings), f"{first} became\n{_told(said)}"


def _the_same(case: Case, before: Diagnosis) -> None:
    said = diagnose(case)
    assert (said.verdict, places(said.findings)) == (before.verdict, places(before.findings))


def test_the_changes_do_what_they_say() -> None:
    """Nothing below would mean anything otherwise."""
    case, noise = taken(*HEALTHY[0]), taken(*NOISE[0])
    last, stranger = case.processes[0].snapshots[-1].goroutines, noise.processes[0].snapshots[-1].goroutines
    assert last is not None
    assert stranger is not None

    def of(changed: Case) -> Goroutines:
        found = changed.processes[0].snapshots[-1].goroutines
        assert found is not None
        ids = np.concatenate([group.ids for group in found.groups])
        assert len(np.unique(ids)) == len(ids) == found.total
        return found

    mixed = of(shuffled(case, Random(1)))
    assert [group.state for group in mixed.groups] != [group.state for group in last.groups]
    assert {group.stack.key for group in mixed.groups} == {group.stack.key for group in last.groups}
    assert 3 * last.total - 8 <= of(scaled(case, 3)).total <= 3 * last.total  # but main and the runtime's
    assert of(with_noise(case, noise, still=True)).total > last.total + stranger.total - 8
    other = of(loaded(*HEALTHY[0], renamed))
    names = {frame.function for group in other.groups for frame in group.stack.frames}
    assert any(name.startswith("yard.") for name in names)
    assert not any(name.startswith("main.") and not name.startswith("main.main") for name in names)
    assert all(
        not one.goroutines.groups[0].ids.size
        for one in _snapshots(loaded(*HEALTHY[0], without("debug2")))
        if one.goroutines
    )


def _snapshots(case: Case) -> tuple[Snapshot, ...]:
    return case.processes[0].snapshots


# Recorded takes, healthy: nothing below turns one into a leak.


@quick_healthy
def test_healthy_is_not_leaking(take: Take) -> None:
    _not_leaking(taken(*take))


@quick_healthy
def test_order_changes_nothing(take: Take) -> None:
    for seed in range(2):
        _the_same(shuffled(taken(*take), Random(seed)), diagnose(taken(*take)))


@pytest.mark.parametrize("times", [2, 3])
@quick_healthy
def test_a_busier_program_is_as_healthy(take: Take, times: int) -> None:
    _not_leaking(scaled(taken(*take), times))


@quick_healthy
def test_healthy_noise_makes_no_leak(take: Take) -> None:
    for noise in NOISE:
        _not_leaking(with_noise(taken(*take), taken(*noise), still=True))


@pytest.mark.parametrize("take", HEALTHY[:2], ids=_name)
def test_names_of_the_users_packages_do_not_matter(take: Take) -> None:
    before, after = diagnose(taken(*take)), diagnose(loaded(*take, renamed))
    assert after.verdict == before.verdict, _told(after)
    assert [one.mechanism for one in after.findings] == [one.mechanism for one in before.findings]


@pytest.mark.parametrize(
    ("take", "dropped"), [(HEALTHY[n % len(HEALTHY)], one) for n, one in enumerate(FORMATS)], ids=_name
)
def test_one_format_less_makes_no_leak(take: Take, dropped: str) -> None:
    _not_leaking(loaded(*take, without(dropped)))


# Recorded takes, leaking: what is found is found still.


@quick_leaking
def test_a_leak_is_found_in_any_order(take: Take) -> None:
    before = diagnose(taken(*take))
    assert before.verdict == "leaking"
    for seed in range(2):
        _the_same(shuffled(taken(*take), Random(seed)), before)


@quick_leaking
def test_noise_hides_no_leak(take: Take) -> None:
    for noise in NOISE:
        _still_found(with_noise(taken(*take), taken(*noise), still=True), diagnose(taken(*take)))


@pytest.mark.parametrize("take", LEAKING[:2], ids=_name)
def test_a_leak_is_found_whatever_its_name(take: Take) -> None:
    before, after = diagnose(taken(*take)).findings[0], diagnose(loaded(*take, renamed)).findings[0]
    assert (after.mechanism, after.confidence) == (before.mechanism, before.confidence)
    assert [(site.role, site.frame.line) for site in after.suspect.sites] == [
        (site.role, site.frame.line) for site in before.suspect.sites
    ]


@pytest.mark.parametrize("take", [HEALTHY[0], LEAKING[0]], ids=_name)
def test_names_and_order_of_files_do_not_matter(take: Take, tmp_path: Path) -> None:
    before = diagnose(taken(*take))
    random = Random(7)

    def other_name(name: str, data: bytes) -> tuple[str, bytes]:
        return f"{random.randrange(10**9)}.bin", data

    arguments = laid_out(*take, tmp_path / "first", other_name)
    _the_same(case_of(arguments), before)
    # Times stand in the profiles: the order in which snapshots are named does not matter either.
    _the_same(case_of(random.sample(arguments, len(arguments))), before)
    moved = tmp_path / "zz-other"
    (tmp_path / "first").rename(moved)
    _the_same(case_of([str(moved)]), before)


@pytest.mark.parametrize("take", [HEALTHY[1], LEAKING[1]], ids=_name)
def test_the_same_input_gives_the_same_json(take: Take) -> None:
    def printed(case: Case) -> str:
        written = document(diagnose(case))
        return json.dumps([written[part] for part in ("verdict", "findings", "explained", "gaps", "memory")])

    assert printed(taken(*take)) == printed(taken(*take))


@quick_leaking
def test_one_snapshot_without_gos_own_profile_is_never_proven(take: Take) -> None:
    whole = taken(*take)
    for at in range(len(whole.processes[0].snapshots)):
        alone = Process("p1", "one", whole.processes[0].snapshots[at : at + 1])
        assert all(one.confidence != "proven" for one in diagnose(Case((alone,))).findings)


def _texts(value: object) -> Iterator[Text]:
    """Yield every sentence in a diagnosis, however deep."""
    if isinstance(value, Text):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _texts(one)
    elif hasattr(value, "__struct_fields__"):
        for name in value.__struct_fields__:
            yield from _texts(getattr(value, name))


def _all_said(diagnosis: Diagnosis) -> None:
    for text in _texts(diagnosis):
        assert text.key in WORDS, text.key
        for lang, template in zip(LANGUAGES, WORDS[text.key], strict=True):
            wanted = {field for _, field, _, _ in Formatter().parse(template) if field}
            assert wanted <= text.args.keys(), (text.key, wanted - text.args.keys())
            told = say(text, lang)
            brought = str(text.args.get(lang, ""))  # sentences of the catalogue may hold code
            assert "{" not in told.replace(brought, "").replace("map[string]interface {}", ""), told
            assert not told.startswith(text.key), f"{text.key}: the arguments {dict(text.args)} do not fit"


@pytest.mark.parametrize("take", [*HEALTHY, *LEAKING], ids=_name)
def test_every_sentence_can_be_said(take: Take) -> None:
    _all_said(diagnose(taken(*take)))


# The whole casebook.


@pytest.fixture(scope="module")
def healthy() -> list[Take]:
    return list(takes("healthy"))


@pytest.fixture(scope="module")
def leaking() -> list[Take]:
    return list(takes("leaking"))


def _wrong(said: Diagnosis, take: Take, why: str) -> list[str]:
    return [f"{_name(take)}, {why}: {_told(said)}"] if said.verdict == "leaking" else []


@pytest.mark.slow
def test_no_healthy_take_becomes_leaking(healthy: list[Take]) -> None:
    wrong: list[str] = []
    for take in healthy:
        case = taken(*take)
        before = diagnose(case)
        wrong += _wrong(before, take, "as it is")
        mixed = diagnose(shuffled(case, Random(1)))
        if (mixed.verdict, places(mixed.findings)) != (before.verdict, places(before.findings)):
            wrong.append(f"{_name(take)}, shuffled: {places(before.findings)} became {places(mixed.findings)}")
        for times in (2, 3):
            wrong += _wrong(diagnose(scaled(case, times)), take, f"{times} times as many")
        for noise in NOISE:
            if noise[0] != take[0]:
                wrong += _wrong(diagnose(with_noise(case, taken(*noise), still=True)), take, f"beside {noise[0]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("ends", [False, True], ids=["the last snapshot", "the first and the last snapshot"])
def test_no_healthy_take_becomes_leaking_when_little_is_seen(healthy: list[Take], ends: bool) -> None:
    wrong: list[str] = []
    for take in healthy:
        case = _seen(taken(*take), ends)
        wrong += _wrong(diagnose(case), take, "as it is")
        wrong += _wrong(diagnose(scaled(case, 3)), take, "3 times as many")
        for noise in NOISE:
            if noise[0] != take[0]:
                both = with_noise(case, _seen(taken(*noise), ends), still=True)
                wrong += _wrong(diagnose(both), take, f"beside {noise[0]}")
    assert not wrong, "\n".join(wrong)


def _seen(case: Case, ends: bool) -> Case:
    """Return the case with its last snapshot alone, or with the first too."""

    def some(process: Process) -> Process:
        snapshots = process.snapshots
        return replace(process, snapshots=(*(snapshots[:-1][:1] if ends else ()), snapshots[-1]))

    return replace(case, processes=tuple(some(process) for process in case.processes))


@pytest.mark.slow
def test_no_healthy_take_becomes_leaking_by_its_captures(healthy: list[Take]) -> None:
    wrong: list[str] = []
    for take in healthy:
        wrong += _wrong(diagnose(loaded(*take, renamed)), take, "renamed")
        for dropped in FORMATS:
            wrong += _wrong(diagnose(loaded(*take, without(dropped))), take, f"without {dropped}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_no_leak_is_hidden(leaking: list[Take]) -> None:
    lost: list[str] = []
    for take in leaking:
        case = taken(*take)
        before = diagnose(case)
        mixed = diagnose(shuffled(case, Random(1)))
        if places(mixed.findings) != places(before.findings):
            lost.append(f"{_name(take)}, shuffled: {places(before.findings)} became {places(mixed.findings)}")
        if before.verdict != "leaking":
            continue
        first = places(before.findings)[0]
        for noise in NOISE:
            loud = diagnose(with_noise(case, taken(*noise), still=True))
            if first not in places(loud.findings):
                lost.append(f"{_name(take)}, beside {noise[0]}: {first} became {places(loud.findings)}")
    assert not lost, "\n".join(lost)


@pytest.mark.slow
def test_everything_in_the_casebook_can_be_said(healthy: list[Take], leaking: list[Take]) -> None:
    for take in [*healthy, *leaking]:
        whole = taken(*take)
        _all_said(diagnose(whole))
        for process in whole.processes:
            _all_said(diagnose(Case((Process("p1", "one", process.snapshots[-1:]),))))


# Processes made up.

_PLACES = ["main.(*Desk).ask", "example.com/mill/press.(*Bed).wait", "main.(*feed).run"]
_STATES = ["chan send", "chan receive", "select", "sync.Mutex.Lock", "sync.Cond.Wait", "IO wait", "sleep"]


@st.composite
def steady(draw: st.DrawFn) -> Story:
    """Return a healthy process: crews that never grow, and traffic of which nobody stays."""
    story = Story(every=draw(st.integers(1, 60)))
    for at in range(draw(st.integers(0, 4))):
        resting = draw(st.sampled_from(["select", "chan receive", "sync.Cond.Wait", "IO wait", "sleep"]))
        story.join(story.crew(resting, f"main.(*rest{at}).run", aged=draw(st.booleans())), draw(st.integers(1, 40)))
    traffic = [
        story.crew(draw(st.sampled_from(_STATES)), f"main.(*desk{at}).serve", by=f"main.(*desk{at}).Accept")
        for at in range(draw(st.integers(0, 3)))
    ]
    for _ in range(draw(st.integers(2, 5))):
        story.work(draw(st.integers(50, 400)))
        for crew in traffic:
            crew.members.clear()
            story.join(crew, draw(st.integers(0, 60)))
        story.snapshot(draw(st.integers(0, 100)))
    return story


def _case(story: Story) -> Case:
    return Case(
        (Process("p1", "shop", tuple(snapshot(text, at, every=story.every) for at, text in enumerate(story.dumps))),)
    )


few = settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


@few
@given(steady(), st.integers(1, 3), st.randoms(use_true_random=False))
def test_a_process_that_keeps_nobody_is_not_leaking(story: Story, times: int, random: Random) -> None:
    case = _case(story)
    _not_leaking(case)
    _not_leaking(scaled(shuffled(case, random), times))


@few
@given(steady(), st.integers(2, 30), st.sampled_from(_PLACES), st.integers(4, 6), st.randoms(use_true_random=False))
def test_senders_that_stay_are_found_in_any_company(
    quiet: Story, step: int, place: str, snapshots: int, random: Random
) -> None:
    story = Story()
    lost = story.crew("chan send", place, by="main.(*Desk).Handle")
    for _ in range(snapshots):
        story.snapshot()
        story.join(lost, step)
    story.snapshot()
    case, noise = _case(story), _case(quiet)
    for one in (case, shuffled(case, random), with_noise(case, noise, still=True), scaled(case, 3)):
        said = diagnose(one)
        assert said.verdict == "leaking"
        first = next(found for found in said.findings if found.suspect.sites[0].frame.function == place)
        assert first.confidence == "likely"
        counts = first.suspect.growth[0].counts
        assert len({b - a for a, b in pairwise(counts) if a is not None and b is not None}) == 1
