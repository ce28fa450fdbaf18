"""Learning the weights of `calibration` from what became of findings: Bayesian logistic regression.

The most probable weights under the prior and the outcomes (Newton's method), with the curvature there as their
uncertainty (Laplace). With few outcomes the prior speaks, with many the outcomes do, for each member, category
and action as for the whole: what is known of one of them only is shrunk towards the rest. In plain Python: at most
`MOST_WEIGHTS` unknowns, a few tens of milliseconds, so that NumPy need not be installed.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ensemble_lsp.ensemble.calibration import (
    PRIOR_WEIGHTS,
    UNLEARNED,
    Calibration,
    Support,
    Weight,
    features,
    prior_of,
    sigmoid,
)

MOST_WEIGHTS = 40
"""Weights that are learned at once; of members and categories those with the most outcomes."""

STEPS = 30
"""Newton steps at most; some six are needed."""

ONE_SIDED, AHEAD = 9.0, 1.0
"""The weight of one answer is at most so many times that of the other, and so many outcomes more.

Who only ever accepts, or only ever dismisses, tells what they do and not what is right. So acceptances count for as
much as would show nine in ten to be right, unless there are dismissals enough to show more; and the other way round.
Without any answer of the other kind one outcome counts: next to nothing is learned.
"""

MISTAKEN = 0.05
"""Share of a person's words that are taken to be mistaken, set: one in twenty.

Without it every slip pulls what is sure towards one half: nine in ten right are heard as 86 in a hundred. A record
without a slip costs a little the other way; `benchmarks.learning` shows both.
"""

CLOSE_ENOUGH = 1e-6
"""Log-odds by which the largest change of a weight must fall short to be done."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What became of one finding: how far it was right, 0..1, and how much that counts, at least 0."""

    support: Support
    right: float
    weight: float = 1.0


def learn(observations: Sequence[Observation]) -> Calibration:
    """Return what is believed of the weights after the observations."""
    weighed = _balanced([item for item in observations if item.weight > 0])
    if not weighed:
        return UNLEARNED
    rows = _grouped(weighed)
    names = _weights_of(rows)
    index = {name: number for number, name in enumerate(names)}
    sparse = [
        _Row([(index[name], value) for name, value in row.items() if name in index], right, wrong)
        for row, right, wrong in rows
    ]
    means, hessian = _most_probable(names, sparse)
    return Calibration(
        names=names,
        means=tuple(means),
        covariance=tuple(tuple(row) for row in _inverse(hessian)),
        outcomes=sum(item.weight for item in observations),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """One pattern of features, with how much was right and wrong of it."""

    entries: list[tuple[int, float]]
    right: float
    wrong: float


def _balanced(observations: Sequence[Observation]) -> list[Observation]:
    """Bound how much one kind of answer alone can say."""
    right = sum(item.weight * item.right for item in observations)
    wrong = sum(item.weight * (1 - item.right) for item in observations)
    less_right = min(1.0, (ONE_SIDED * wrong + AHEAD) / right) if right else 1.0
    less_wrong = min(1.0, (ONE_SIDED * right + AHEAD) / wrong) if wrong else 1.0
    if less_right == less_wrong == 1.0:
        return list(observations)
    balanced: list[Observation] = []
    for item in observations:
        for_it = item.weight * item.right * less_right
        against = item.weight * (1 - item.right) * less_wrong
        if for_it + against > 0:
            balanced.append(Observation(item.support, for_it / (for_it + against), for_it + against))
    return balanced


def _grouped(observations: Sequence[Observation]) -> list[tuple[dict[str, float], float, float]]:
    """Add up findings of the same pattern, members, category and action: (features, right, wrong)."""
    sums: dict[tuple[object, ...], list[float]] = {}
    supports: dict[tuple[object, ...], Support] = {}
    for item in observations:
        support = item.support
        key = (support.grounds, tuple(sorted(support.members)), support.category, support.action)
        supports.setdefault(key, support)
        total = sums.setdefault(key, [0.0, 0.0])
        total[0] += item.weight * item.right
        total[1] += item.weight * (1 - item.right)
    return [(features(supports[key]), right, wrong) for key, (right, wrong) in sums.items()]


def _weights_of(rows: Sequence[tuple[dict[str, float], float, float]]) -> tuple[str, ...]:
    """Return the names of the weights to learn: all general ones that occur, then the most frequent."""
    counted: dict[str, float] = {}
    for row, right, wrong in rows:
        for name in row:
            counted[name] = counted.get(name, 0.0) + right + wrong
    general = [name for name in PRIOR_WEIGHTS if name in counted]
    others = sorted((name for name in counted if name not in PRIOR_WEIGHTS), key=lambda n: (-counted[n], n))
    return tuple([*general, *others][:MOST_WEIGHTS])


def _most_probable(names: Sequence[str], rows: Sequence[_Row]) -> tuple[list[float], list[list[float]]]:
    """Return the mode of the posterior and the curvature there, by Newton's method with halved steps."""
    priors = [prior_of(name) for name in names]
    means = [weight.mean for weight in priors]
    precisions = [1 / weight.sd**2 for weight in priors]
    size = len(names)
    cost = _cost(means, rows, priors)
    hessian: list[list[float]] = []
    for _ in range(STEPS):
        gradient = [
            precision * (mean - weight.mean)
            for mean, weight, precision in zip(means, priors, precisions, strict=True)
        ]
        hessian = [[0.0] * size for _ in range(size)]
        for number, precision in enumerate(precisions):
            hessian[number][number] = precision
        for row in rows:
            slope, curve = _slope_and_curve(row, sum(means[number] * value for number, value in row.entries))
            for number, value in row.entries:
                gradient[number] += slope * value
                line, scaled = hessian[number], curve * value
                for other, other_value in row.entries:
                    line[other] += scaled * other_value
        step = _solved(_cholesky(hessian), gradient)
        if max(abs(part) for part in step) < CLOSE_ENOUGH:
            break
        means, cost = _moved(means, step, cost, lambda at: _cost(at, rows, priors))
    return means, hessian


def _moved(
    means: list[float], step: Sequence[float], cost: float, cost_of: Callable[[Sequence[float]], float]
) -> tuple[list[float], float]:
    """Return the means one step further down, and their cost; the step is halved until it does not lead up."""
    share = 1.0
    for _ in range(STEPS):
        there = [mean - share * part for mean, part in zip(means, step, strict=True)]
        cost_there = cost_of(there)
        if cost_there <= cost + 1e-12:
            return there, cost_there
        share /= 2
    return means, cost


def _cost(means: Sequence[float], rows: Sequence[_Row], priors: Sequence[Weight]) -> float:
    """Return minus the log of the posterior, up to a constant."""
    cost = sum(
        (mean - prior.mean) ** 2 / (2 * prior.sd**2) for mean, prior in zip(means, priors, strict=True)
    )
    for row in rows:
        heard = _heard_right(sigmoid(sum(means[number] * value for number, value in row.entries)))
        cost -= row.right * math.log(heard) + row.wrong * math.log(1 - heard)
    return cost


def _heard_right(chance: float) -> float:
    """Return how often a finding is called right that is right with this chance; never 0 nor 1."""
    return MISTAKEN + (1 - 2 * MISTAKEN) * chance


def _slope_and_curve(row: _Row, odds: float) -> tuple[float, float]:
    """Return how the cost of a pattern changes with its log-odds, and Fisher's information on them.

    The information stands for the second derivative, which is negative for what is far from what was heard.
    """
    chance = sigmoid(odds)
    heard = _heard_right(chance)
    moves = (1 - 2 * MISTAKEN) * chance * (1 - chance)
    slope = (row.wrong / (1 - heard) - row.right / heard) * moves
    return slope, (row.right + row.wrong) * moves * moves / (heard * (1 - heard))


def _cholesky(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the lower triangle L with LLᵀ = matrix, which is positive definite: the prior sees to that."""
    lower: list[list[float]] = []
    for number, source in enumerate(matrix):
        row: list[float] = []
        for column in range(number):
            above = lower[column]
            done = sum(left * right for left, right in zip(row, above, strict=False))
            row.append((source[column] - done) / above[column])
        row.append(math.sqrt(source[number] - sum(value * value for value in row)))
        lower.append(row)
    return lower


def _solved(lower: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Solve LLᵀx = right."""
    size = len(lower)
    half: list[float] = []
    for number in range(size):
        row = lower[number]
        done = sum(left * value for left, value in zip(row, half, strict=False))
        half.append((right[number] - done) / row[number])
    solution = [0.0] * size
    for number in range(size - 1, -1, -1):
        done = sum(lower[below][number] * solution[below] for below in range(number + 1, size))
        solution[number] = (half[number] - done) / lower[number][number]
    return solution


def _inverse(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    lower, size = _cholesky(matrix), len(matrix)
    return [
        _solved(lower, [1.0 if other == number else 0.0 for other in range(size)]) for number in range(size)
    ]
