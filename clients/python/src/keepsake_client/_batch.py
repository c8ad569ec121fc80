"""The items of a batch, as they are sent."""

from typing import Any, Dict, Mapping, Sequence, Union

from ._scope import check_space
from ._wire import wire_ttl
from .api_types import Message
from .errors import ValidationError

#: A text, messages, or a mapping with `text` and the parameters of `store`.
BatchItem = Union[str, Sequence[Message], Mapping[str, Any]]


def batch_item(item: BatchItem, defaults: Mapping[str, Any]) -> Dict[str, Any]:
    """An item's own space and project override those of the batch. None means none."""
    fields: Dict[str, Any] = dict(item) if isinstance(item, Mapping) else {"text": item}
    if "text" not in fields:
        raise ValidationError("text: is required in every item of a batch")
    text = fields.pop("text")
    if fields.get("space") is not None:
        check_space(fields["space"])
    named = {**defaults, **fields, "ttl": wire_ttl(fields.get("ttl"))}
    given = {name: value for name, value in named.items() if value is not None}
    return {**({"content": text} if isinstance(text, str) else {"messages": text}), **given}
