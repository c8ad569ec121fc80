"""The retriever in the real LangChain, where it is installed."""

import asyncio
import importlib.util
import os
import unittest
import uuid

from keepsake_client import AsyncKeepsake, Keepsake

OPEN = os.environ.get("KEEPSAKE_TEST_OPEN_URL", "")


@unittest.skipUnless(importlib.util.find_spec("langchain_core"), "langchain-core is not installed")
class LangChain(unittest.TestCase):
    def setUp(self) -> None:
        from keepsake_client.langchain import KeepsakeRetriever

        self.retriever = KeepsakeRetriever
        self.user = f"user-{uuid.uuid4().hex[:12]}"
        self.client = Keepsake(OPEN, user_id=self.user)
        self.addCleanup(self.client.close)
        self.client.store("Priya is allergic to peanuts.", metadata={"topic": "health"})

    def test_is_a_runnable_that_returns_documents(self) -> None:
        from langchain_core.retrievers import BaseRetriever
        from langchain_core.runnables import RunnableLambda

        retriever = self.retriever(client=self.client, recall={"limit": 1})
        self.assertIsInstance(retriever, BaseRetriever)
        chain = {"documents": retriever} | RunnableLambda(lambda found: found["documents"])
        question = "Who is allergic to peanuts?"
        for documents in (retriever.invoke(question), chain.invoke(question), retriever.batch([question])[0]):
            [document] = documents
            self.assertEqual(document.page_content, "Priya is allergic to peanuts.")
            self.assertEqual(document.metadata["topic"], "health")
            self.assertEqual(document.metadata["keepsake"]["id"], document.id)

    def test_works_asynchronously_with_either_client(self) -> None:
        async def ask() -> None:
            async with AsyncKeepsake(OPEN, user_id=self.user) as other:
                for client in (self.client, other):
                    [document] = await self.retriever(client=client).ainvoke("peanuts")
                    self.assertIn("peanuts", document.page_content)
                with self.assertRaises(TypeError):
                    self.retriever(client=other).invoke("peanuts")

        asyncio.run(ask())

    def test_takes_its_scope_from_the_client_only(self) -> None:
        self.assertEqual(self.retriever(client=self.client.for_user("somebody-else")).invoke("peanuts"), [])
        for recall in ({"user_id": self.user}, {"project": None}, {"spaces": ["own"]}):
            with self.assertRaises(ValueError):
                self.retriever(client=self.client, recall=recall)
        with self.assertRaises(ValueError):
            self.retriever(client=Keepsake(OPEN))

    def test_does_not_show_the_key(self) -> None:
        from langchain_core.load import dumps

        retriever = self.retriever(client=Keepsake(OPEN, api_key="very-secret"))
        self.assertNotIn("very-secret", dumps(retriever) + repr(retriever) + str(retriever.model_dump()))
