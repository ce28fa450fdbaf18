"""Names beside the points of a scatter plot."""

from itertools import pairwise

import pytest

from ensemble_lsp.bench.report.labels import Box, Point, place_labels, set_apart
from ensemble_lsp.bench.report.words import shortened

_FRAME = Box(0, 0, 1000, 400)


def test_points_that_are_far_apart_stay_where_they_are() -> None:
    assert set_apart([300, 10, 100]) == [300, 10, 100]


def test_points_at_one_place_are_spread_around_it() -> None:
    assert set_apart([100, 100, 100], 10) == [90, 100, 110]


def test_spreading_keeps_the_order_and_pushes_no_neighbour_into_another() -> None:
    spread = set_apart([100, 101, 108, 119], 10)
    assert spread == sorted(spread)
    assert all(after - before >= 10 - 1e-9 for before, after in pairwise(spread))


def test_a_name_stands_to_the_right_of_its_point_where_there_is_room() -> None:
    box = place_labels([Point(100, 200, 180, 220)], ["panel"], _FRAME)[0]
    assert box.left > 100
    assert box.top < 200 < box.bottom


def test_a_name_at_the_right_edge_stands_to_the_left() -> None:
    box = place_labels([Point(980, 200, 180, 220)], ["panel"], _FRAME)[0]
    assert box.right < 980


def test_names_of_neighbours_do_not_cover_each_other() -> None:
    points = [Point(400 + 13 * place, 200, 120, 280) for place in range(6)]
    boxes = place_labels(points, ["samples:amber-coder"] * 6, _FRAME)
    assert sum(one.overlap(other) for place, one in enumerate(boxes) for other in boxes[place + 1 :]) == 0


@pytest.mark.parametrize(("most", "expected"), [(20, "samples:amber"), (9, "samp…mber")])
def test_a_long_name_keeps_both_ends(most: int, expected: str) -> None:
    assert shortened("samples:amber", most) == expected
