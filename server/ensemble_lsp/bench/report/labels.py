"""Where the names of a scatter plot's points go, so that they cover neither each other nor the intervals."""

from collections.abc import Sequence
from typing import NamedTuple

_CHARACTER = 7.0
_HEIGHT = 15.0
_APART = 13.0
"""Units of the picture: about pixels."""


class Point(NamedTuple):
    """A point and the ends of its interval; y grows downwards, so `high` is the least."""

    x: float
    y: float
    high: float
    low: float


class Box(NamedTuple):
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: "Box") -> float:
        """Return the area that both cover."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, wide) * max(0.0, high)


def set_apart(places: Sequence[float], least: float = _APART) -> list[float]:
    """Return the places with neighbours at least so far apart: those too close are spread around their mean."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    clusters: list[list[int]] = []
    for index in order:
        clusters.append([index])
        # At most as many merges as there are places.
        while (
            len(clusters) > 1
            and _first(clusters[-1], places, least) - _last(clusters[-2], places, least) < least
        ):
            clusters[-2:] = [clusters[-2] + clusters[-1]]
    spread = list(places)
    for cluster in clusters:
        start = _first(cluster, places, least)
        for rank, index in enumerate(cluster):
            spread[index] = start + rank * least
    return spread


def _first(cluster: Sequence[int], places: Sequence[float], least: float) -> float:
    return sum(places[index] for index in cluster) / len(cluster) - least * (len(cluster) - 1) / 2


def _last(cluster: Sequence[int], places: Sequence[float], least: float) -> float:
    return _first(cluster, places, least) + least * (len(cluster) - 1)


def place_labels(points: Sequence[Point], names: Sequence[str], frame: Box) -> list[Box]:
    """Return a box for each name, beside its point where there is room, within the frame."""
    taken = [Box(point.x - 6, point.y - 6, point.x + 6, point.y + 6) for point in points]
    bars = [Box(point.x - 1.5, point.high, point.x + 1.5, point.low) for point in points]
    boxes: list[Box] = []
    for point, name in zip(points, names, strict=True):
        candidates = _candidates(point, len(name) * _CHARACTER)

        def cost(place: int, choices: Sequence[Box] = candidates) -> tuple[float, int]:
            box = choices[place]
            outside = (box.right - box.left) * _HEIGHT - box.overlap(frame)
            covered = sum(map(box.overlap, (*taken, *boxes)))
            # A name across a thin line stays legible, one across a name or a point does not.
            return 4 * outside + 4 * covered + 2 * sum(map(box.overlap, bars)), place

        boxes.append(candidates[min(range(len(candidates)), key=cost)])
    return boxes


def _candidates(point: Point, width: float) -> list[Box]:
    """Right of the point, left of it, then along its interval, above and below."""
    heights = [point.y]
    for step in range(1, 9):
        heights += [point.y - step * 9, point.y + step * 9]
    found: list[Box] = []
    for height in heights:
        top = height - _HEIGHT / 2
        found.append(Box(point.x + 9, top, point.x + 9 + width, top + _HEIGHT))
        found.append(Box(point.x - 9 - width, top, point.x - 9, top + _HEIGHT))
    ends = (point.high - _HEIGHT - 2, point.low + 2)
    return [*found, *(Box(point.x - width / 2, end, point.x + width / 2, end + _HEIGHT) for end in ends)]
