"""A retriever for LangChain. The only module of this package that needs another one: `langchain-core`."""

from typing import Any, Dict, List, Mapping, Union

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field, model_validator

from . import AsyncKeepsake, Keepsake
from ._outdated import marked_content

#: The client determines whose memories are searched.
_SCOPE = {"query", "user_id", "space", "spaces", "project"}


class KeepsakeRetriever(BaseRetriever):
    """Searches the memories of the client's user, space and project.

    `recall` has options of `Keepsake.recall`, such as `{"limit": 5}`. With a `Keepsake`, asynchronous calls run in a thread;
    with an `AsyncKeepsake`, only asynchronous calls work.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Union[Keepsake, AsyncKeepsake] = Field(exclude=True)
    recall: Dict[str, Any] = {}

    @model_validator(mode="after")
    def _check(self) -> "KeepsakeRetriever":
        # Without a user and a key, and with authentication off, a search would cover everyone.
        if self.client.user_id is None and not self.client.has_api_key:
            raise ValueError("The client needs a user_id or an api_key, so that it is clear whose memories are used")
        taken = sorted(_SCOPE & self.recall.keys())
        if taken:
            raise ValueError(f"recall must not contain {', '.join(taken)}: the client has the scope")
        return self

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> List[Document]:
        if isinstance(self.client, AsyncKeepsake):
            raise TypeError("An AsyncKeepsake has no synchronous calls: use ainvoke, or give the retriever a Keepsake")
        return _documents(self.client.recall(query, **self.recall))

    async def _aget_relevant_documents(self, query: str, *, run_manager: Any) -> List[Document]:
        if isinstance(self.client, AsyncKeepsake):
            return _documents(await self.client.recall(query, **self.recall))
        return await super()._aget_relevant_documents(query, run_manager=run_manager)


def _documents(answer: Mapping[str, Any]) -> List[Document]:
    return [
        Document(
            id=memory["id"],
            page_content=marked_content(memory),
            metadata={
                **memory["metadata"],
                "keepsake": {name: value for name, value in memory.items() if name not in ("content", "metadata")},
            },
        )
        for memory in answer["memories"]
    ]
