"""Parses server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html."""

import codecs
import re
from typing import Dict, List, NamedTuple, Optional

from .errors import UnexpectedAnswerError

#: Longer than any event of the service.
_LONGEST_BLOCK = 1024 * 1024


class ServerEvent(NamedTuple):
    id: Optional[str]
    type: str
    data: str


class EventParser:
    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""

    def feed(self, data: bytes) -> List[ServerEvent]:
        self._text += self._decoder.decode(data)
        *blocks, self._text = re.split(r"\r?\n\r?\n", self._text)
        if len(self._text) > _LONGEST_BLOCK:
            raise UnexpectedAnswerError("An event is too long")
        return [event for event in map(_read_block, blocks) if event is not None]


def _read_block(block: str) -> Optional[ServerEvent]:
    fields: Dict[str, str] = {}
    for line in re.split(r"\r?\n", block):
        match = re.fullmatch(r"([a-z]+): ?(.*)", line)
        if match is not None:
            fields[match[1]] = match[2]
    if "data" not in fields:
        return None
    return ServerEvent(fields.get("id"), fields.get("event", "message"), fields["data"])
