"""Work shared among cores comes back in order, and a failure comes back too."""

import pytest

from oakum.model.cores import spread


def test_work_is_spread_and_comes_back_in_order() -> None:
    assert spread(lambda piece: piece * piece, range(1000)) == [piece * piece for piece in range(1000)]
    assert spread(lambda piece: piece, []) == []
    with pytest.raises(ZeroDivisionError):
        spread(lambda piece: 1 // (piece - 700), range(1000))
