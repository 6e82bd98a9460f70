"""The incidents with the upstream modules' own source: the cause names every line of the missing or wrong operation."""

import pytest

from casebook.runner.build import for_live
from casebook.runner.case import case
from casebook.runner.causes import causes, leaking, report
from casebook.runner.staging import required
from toolchain import need_go

INCIDENTS = ("rancher-30122", "open-simulator-88", "ttrpc-94", "kubernetes-98653", "kubernetes-83333")


@pytest.mark.live
@pytest.mark.parametrize("name", INCIDENTS)
def test_an_incident_is_explained_from_the_upstream_source(name: str) -> None:
    """The modules at the versions that leak are in the module cache once the program is built."""
    need_go()
    one = case(name)
    for build in {take.build.name: take.build for take in leaking(one)}.values():
        assert required(one.folder / build.modfile)
        for_live(one, build)
    results = causes([one])
    told = "\n".join(report(results, verbose=True))
    assert results
    for result in results:
        assert result.score.mechanism, told
        assert all(explanation.complete for explanation in result.score.explanations), told
