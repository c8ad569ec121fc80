"""Lists that are fetched as they are read."""

from typing import Any, AsyncIterator, Awaitable, Callable, Generic, List, Mapping, Optional, TypeVar

from .._answer import part_of
from ..errors import UnexpectedAnswerError

Item = TypeVar("Item")
Page = TypeVar("Page", bound=Mapping[str, Any])


class AsyncListing(Generic[Item, Page]):
    """Use `async for` for single items, and `pages()` for whole pages.

    Nothing is fetched before the loop starts, in advance, or after a `break`.
    """

    def __init__(self, items: str, pages: "Callable[[], AsyncIterator[Page]]") -> None:
        self._items = items
        self._pages = pages

    def pages(self) -> "AsyncIterator[Page]":
        return self._pages()

    async def __aiter__(self) -> "AsyncIterator[Item]":
        async for page in self._pages():
            for item in part_of(page, self._items):
                yield item

    async def to_list(self) -> List[Item]:
        """Fetches the whole list into memory."""
        return [item async for item in self]


def by_cursor(
    items: str, fetch_page: "Callable[[Optional[str]], Awaitable[Page]]", first: Optional[str]
) -> "AsyncListing[Any, Page]":
    """Pages by cursor. Items added while reading do not affect the result."""

    async def pages() -> "AsyncIterator[Page]":
        cursor = first
        while True:
            page = await fetch_page(cursor)
            yield page
            following = part_of(page, "next_cursor")
            if following is None:
                return
            # Otherwise a faulty response would cause an endless loop.
            if following == cursor:
                raise UnexpectedAnswerError("The list never ends: the next cursor did not change")
            cursor = following

    return AsyncListing(items, pages)


def by_number(items: str, fetch_page: "Callable[[int], Awaitable[Page]]") -> "AsyncListing[Any, Page]":
    """Pages by number. Items added or deleted while reading can move others to another page."""

    async def pages() -> "AsyncIterator[Page]":
        number = 1
        while True:
            page = await fetch_page(number)
            yield page
            if not part_of(page, items) or number * part_of(page, "limit") >= part_of(page, "total"):
                return
            number += 1

    return AsyncListing(items, pages)
