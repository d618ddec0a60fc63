"""Evaluations of nested mentions, by type and by level, against trying every pairing."""

import pytest
from tests.oracles.nested import differences


@pytest.mark.slow(quick=3)
@pytest.mark.parametrize("seed", range(70))  # 100,000 cells, each in five ways
def test_no_cell_differs_by_type_and_level_in_any_order_and_direction(seed: int) -> None:
    for name, (cells, wrong) in differences(seed).items():
        assert cells > 1_000
        assert not wrong, (name, wrong[:3])


def test_equal_spans_go_to_the_same_types_read_from_either_end() -> None:
    # Two pairings have the same names; in one of them A has the equal span, in the other C.
    [(_, wrong)] = [
        difference for name, difference in differences(77).items() if name == "backwards, one word"
    ]
    assert not wrong, wrong[:3]
