# Generated from _async by scripts/generate.py; do not edit.
"""Lists that are fetched as they are read."""

from typing import Any, Iterator, Callable, Generic, List, Mapping, Optional, TypeVar

from .._answer import part_of
from ..errors import UnexpectedAnswerError

Item = TypeVar("Item")
Page = TypeVar("Page", bound=Mapping[str, Any])


class Listing(Generic[Item, Page]):
    """Use `for` for single items, and `pages()` for whole pages.

    Nothing is fetched before the loop starts, in advance, or after a `break`.
    """

    def __init__(self, items: str, pages: "Callable[[], Iterator[Page]]") -> None:
        self._items = items
        self._pages = pages

    def pages(self) -> "Iterator[Page]":
        return self._pages()

    def __iter__(self) -> "Iterator[Item]":
        for page in self._pages():
            for item in part_of(page, self._items):
                yield item

    def to_list(self) -> List[Item]:
        """Fetches the whole list into memory."""
        return [item for item in self]


def by_cursor(
    items: str, fetch_page: "Callable[[Optional[str]], Page]", first: Optional[str]
) -> "Listing[Any, Page]":
    """Pages by cursor. Items added while reading do not affect the result."""

    def pages() -> "Iterator[Page]":
        cursor = first
        while True:
            page = fetch_page(cursor)
            yield page
            following = part_of(page, "next_cursor")
            if following is None:
                return
            # Otherwise a faulty response would cause an endless loop.
            if following == cursor:
                raise UnexpectedAnswerError("The list never ends: the next cursor did not change")
            cursor = following

    return Listing(items, pages)


def by_number(items: str, fetch_page: "Callable[[int], Page]") -> "Listing[Any, Page]":
    """Pages by number. Items added or deleted while reading can move others to another page."""

    def pages() -> "Iterator[Page]":
        number = 1
        while True:
            page = fetch_page(number)
            yield page
            if not part_of(page, items) or number * part_of(page, "limit") >= part_of(page, "total"):
                return
            number += 1

    return Listing(items, pages)
