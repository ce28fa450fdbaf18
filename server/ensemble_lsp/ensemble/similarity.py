"""How alike two short texts are: TF-IDF vectors and their cosine.

scikit-learn has this too, but brings numpy and scipy (some 150 MB and a second of import) for what is forty
lines here. The definition is its default one (words of two letters or more, smoothed inverse document
frequency, unit length), since the merging thresholds were measured with it. English function words are left
out: in the few texts of one job their document frequency says nothing, and they would make all texts alike.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

_WORD = re.compile(r"\w\w+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_FUNCTION_WORDS = frozenset(
    """an and any are as at be because been being but by can could did do does for from had has have here how
    if in into is it its may might more must no not of on only or other should so some such than that the
    their them then there these they this those to was were what when where which while who will with
    would you your""".split()  # noqa: SIM905  (a word list is read as a text)
)

Vector = Mapping[str, float]


def words_of(text: str) -> list[str]:
    """Return the lower-case words that count; `total_price` and `totalPrice` also give their parts."""
    words: list[str] = []
    for word in _WORD.findall(text):
        whole = word.lower()
        parts = [part.lower() for part in _PARTS.findall(word)]
        words.extend(name for name in ((whole, *parts) if len(parts) > 1 else (whole,)) if len(name) > 1)
    return [word for word in words if word not in _FUNCTION_WORDS]


def vectors_of(texts: Sequence[str]) -> list[Vector]:
    """Return one unit vector per text; the document frequencies are those of `texts` themselves."""
    counts = [Counter(words_of(text)) for text in texts]
    frequency = Counter(word for count in counts for word in count)
    vectors: list[Vector] = []
    for count in counts:
        # Sorted, so that float sums do not depend on the order of the texts.
        weights = {
            word: count[word] * (math.log((1 + len(texts)) / (1 + frequency[word])) + 1)
            for word in sorted(count)
        }
        length = math.sqrt(sum(weight * weight for weight in weights.values()))
        vectors.append({word: weight / length for word, weight in weights.items()} if length else {})
    return vectors


def cosine(first: Vector, second: Vector) -> float:
    """Return the similarity of two unit vectors, 0 to 1."""
    shared = sorted(first.keys() & second.keys())
    return min(1.0, sum(first[word] * second[word] for word in shared))
