"""The server that other tests rely on, as a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[2]


def test_it_serves_a_script_as_a_process_and_records_what_was_asked(tmp_path: Path) -> None:
    script, record = tmp_path / "script.json", tmp_path / "record.jsonl"
    answers = [{"text": "first"}, {"text": "special", "contains": "magic"}]
    script.write_text(json.dumps({"script": {"m": answers}}))
    command = [sys.executable, "-m", "tests.support.fake_model_server", "--script", str(script)]
    with subprocess.Popen(
        [*command, "--record", str(record)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        base = json.loads(process.stdout.readline())["base_url"]
        with httpx.Client(base_url=base, trust_env=False) as client:
            assert [model["id"] for model in client.get("/v1/models").json()["data"]] == ["m"]
            texts = [
                client.post(
                    "/v1/chat/completions",
                    json={"model": "m", "messages": [{"role": "user", "content": words}]},
                ).json()["choices"][0]["message"]["content"]
                for words in ("plain", "magic words")
            ]
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=20) == 0
    assert texts == ["first", "special"]
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert [line["path"] for line in lines] == ["/v1/models", *["/v1/chat/completions"] * 2]
    assert not any(line["disconnected"] for line in lines)
