"""Forms that members fill in, read forgivingly where nothing can be misunderstood.

Providers that hold a model to a schema often ignore its bounds, and models that are only asked for JSON add
fields or leave out empty ones. A repair turn for that would cost a call and change nothing: what is too long
is cut, a number out of bounds is moved to the bound, an unknown field is dropped, a missing text is empty.
What carries meaning (a verdict, a severity, a list of findings) is never made up.
"""

from collections.abc import Mapping
from typing import cast

from pydantic import model_validator
from pydantic.fields import FieldInfo

from ensemble_lsp.core.frozen import Frozen


class AnswerForm(Frozen):
    """The parent of every form; the schema that a member is held to is not changed by it."""

    @model_validator(mode="before")
    @classmethod
    def _forgive(cls, data: object) -> object:
        if not isinstance(data, Mapping):
            return data
        given = cast("Mapping[str, object]", data)
        read: dict[str, object] = {}
        for name, field in cls.model_fields.items():
            key = next((each for each in (name, field.alias) if each is not None and each in given), None)
            if key is not None:
                read[name] = _within(given[key], field)
            elif field.annotation is str:
                read[name] = ""
            elif field.annotation is int:
                read[name] = _bound(field, "ge") or 0
        return read


def _within(value: object, field: FieldInfo) -> object:
    if value is None and field.annotation is str:
        return ""
    longest = _bound(field, "max_length")
    if longest is not None and isinstance(value, str | list):
        return cast("str | list[object]", value)[:longest]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    least, most = _bound(field, "ge"), _bound(field, "le")
    value = value if least is None else max(value, least)
    return value if most is None else min(value, most)


def _bound(field: FieldInfo, name: str) -> int | None:
    """Return a bound of the field by its name in pydantic's constraints ("ge", "le", "max_length")."""
    return next((getattr(each, name) for each in field.metadata if hasattr(each, name)), None)
