"""The base of every value that crosses a boundary."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Frozen(BaseModel):
    """An immutable value; camelCase on the wire, snake_case in Python, unknown fields refused.

    Text may hold lone surrogates (bytes that do not decode, see `core.text`), which pydantic's own JSON
    writer refuses: serialise with `to_wire` and `json.dumps`, never with `model_dump_json`.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        defer_build=True,
    )

    def to_wire(self) -> dict[str, object]:
        """Return JSON-ready data with camelCase keys; fields that are None are left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
