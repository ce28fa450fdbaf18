"""All messages of our own as one JSON schema: `python -m ensemble_lsp.lsp.schema`.

The document has `version`, `commands` (name → `argument`, `answer`), `messages` (method → `direction`, `params`,
`result`), `events` (kind → schema), `codeActionKinds`, `statuses`, `phases`, and the shared `$defs`.
"""

import json
import sys
from typing import Any, get_args

from pydantic.json_schema import models_json_schema

from ensemble_lsp.core.events import Action, EventBody, Mode, Phase, Status
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.lsp.features.code_action import KINDS
from ensemble_lsp.lsp.messages import COMMANDS, MESSAGES, VERSION

STAMP: dict[str, dict[str, object]] = {
    "job": {"type": "string"},
    "seq": {"type": "integer", "minimum": 0},
    "time": {"type": "number"},
}
"""What stands beside every event's own keys."""


def schema() -> dict[str, Any]:
    """Return the whole document; every model stands once, under `$defs`."""
    bodies: dict[str, type[Frozen]] = {
        body.model_fields["kind"].default: body for body in get_args(EventBody)
    }
    commands = [model for pair in COMMANDS.values() for model in pair]
    messages = [model for message in MESSAGES.values() for model in (message.params, message.result) if model]
    models = dict.fromkeys([*commands, *messages, *bodies.values()])
    references, definitions = models_json_schema(
        [(model, "validation") for model in models], ref_template="#/$defs/{model}"
    )
    by_model = {model: reference for (model, _), reference in references.items()}
    for body in bodies.values():
        name = str(by_model[body]["$ref"]).rpartition("/")[2]
        event = definitions["$defs"][name]
        event["properties"] = {**STAMP, **event["properties"]}
        event["required"] = [*STAMP, "kind", *(key for key in event.get("required", ()) if key != "kind")]
    events = {kind: by_model[body] for kind, body in bodies.items()}
    return {
        "version": VERSION,
        "commands": {
            name: {"argument": by_model[argument], "answer": by_model[answer]}
            for name, (argument, answer) in COMMANDS.items()
        },
        "messages": {
            method: {
                "direction": message.direction,
                "kind": "notification" if message.result is None else "request",
                "params": {"oneOf": list(events.values())}
                if message.params is None
                else by_model[message.params],
                "result": None if message.result is None else by_model[message.result],
            }
            for method, message in MESSAGES.items()
        },
        "events": events,
        "codeActionKinds": [str(getattr(kind, "value", kind)) for kind in KINDS],
        "actions": [each.value for each in Action],
        "modes": [each.value for each in Mode],
        "phases": [each.value for each in Phase],
        "statuses": [each.value for each in Status],
        "$defs": definitions["$defs"],
    }


if __name__ == "__main__":
    json.dump(schema(), sys.stdout, indent=2, sort_keys=True, ensure_ascii=False)
    sys.stdout.write("\n")
