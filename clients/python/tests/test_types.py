"""The types and methods match the OpenAPI document of the running service."""

import inspect
import json
import os
import sys
import unittest
import urllib.request
from pathlib import Path
from typing import Any, Dict, Iterator, Set, Tuple

from keepsake_client import AsyncKeepsake, Keepsake, api_types
from keepsake_client.errors import SERVICE_ERRORS

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
import generate  # noqa: E402

OPEN = os.environ.get("KEEPSAKE_TEST_OPEN_URL", "")

#: The method of each operation, and the names of parameters that differ from the fields of the request.
METHODS: Dict[str, str] = {
    "storeMemories": "store",
    "storeBatch": "store_batch",
    "recallMemories": "recall",
    "updateMemory": "update",
    "deleteMemories": "forget",
    "releaseMemory": "release",
    "getMemory": "get",
    "getMemoryHistory": "history_page",
    "listMemories": "list_page",
    "getProfile": "profile",
    "runCleanup": "cleanup",
    "listEvents": "events_page",
    "listUsers": "users_page",
    "listProjects": "projects",
    "getActivity": "activity",
    "getHealth": "health",
    "listEntities": "entities.list_page",
    "getGraph": "entities.graph",
    "getEntity": "entities.get",
    "getEntityRelationships": "entities.relationships",
    "getEntityMemories": "entities.memories_page",
    "listEntityMerges": "entities.merges",
    "mergeEntity": "entities.merge",
    "revertMerge": "entities.revert_merge",
    "listContradictions": "contradictions.list_page",
    "getContradiction": "contradictions.get",
    "acceptContradiction": "contradictions.accept",
    "revertContradiction": "contradictions.revert",
    "getDecayReport": "decay.report",
    "getMemoryDecay": "decay.get",
    "createKey": "keys.create",
    "listKeys": "keys.list",
    "revokeKey": "keys.revoke",
    "listGrants": "grants.list",
    "revokeGrant": "grants.revoke",
    "putItem": "items.put",
    "getItem": "items.get",
    "listItemVersions": "items.versions",
    "deleteItem": "items.delete",
    "deleteItems": "items.delete_all",
    "listItems": "items.list_page",
    "listNamespaces": "items.namespaces_page",
    "searchItems": "items.search",
    "createSpace": "spaces.create",
    "listSpaces": "spaces.list",
    "getSpace": "spaces.get",
    "renameSpace": "spaces.rename",
    "deleteSpace": "spaces.delete",
    "listMembers": "spaces.members",
    "setMember": "spaces.set_member",
    "removeMember": "spaces.remove_member",
    "leaveSpaces": "spaces.leave_all",
}
#: Operations that the TypeScript client has no method for either.
WITHOUT_METHOD = {
    "cleanupExpired",
    "consolidate",
    "createWebhook",
    # `forget` with one id
    "deleteMemory",
    "deleteWebhook",
    "getWebhook",
    "listDeadLetters",
    "listWebhooks",
    "redeliverEvents",
}
#: Fields that a method takes under another name, or fills in by itself.
RENAMED: Dict[Tuple[str, str], Set[str]] = {
    ("store", "content"): {"text"},
    ("store", "messages"): {"text"},
    ("forget", "memory_ids"): {"ids"},
    ("spaces.list", "page"): set(),
    ("spaces.members", "page"): set(),
    ("grants.revoke", "user_id"): set(),
}


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        with urllib.request.urlopen(f"{OPEN}/api/v1/openapi.json", timeout=30) as answer:
            cls.document: Dict[str, Any] = json.load(answer)

    def test_generated_files_are_up_to_date(self) -> None:
        files = generate.generated_files(self.document)
        stale = [str(path) for path, text in files.items() if path.read_text(encoding="utf-8") != text]
        self.assertEqual(stale, [], "run npm run generate:python")
        present = set((generate.PACKAGE / "_sync").glob("*.py"))
        self.assertEqual(present - files.keys(), set())

    def test_fields_are_those_of_the_document(self) -> None:
        compared = 0
        for name, schema in self.document["components"]["schemas"].items():
            kind = getattr(api_types, "ErrorAnswer" if name == "Error" else name, None)
            if kind is None:
                continue
            self._compare(kind, schema)
            compared += 1
        for operation in generate._operations(self.document):
            schema = generate.query_schema(operation)
            if schema["properties"]:
                id = operation["operationId"]
                self._compare(getattr(api_types, f"{id[0].upper()}{id[1:]}Query"), schema)
                compared += 1
        self.assertGreater(compared, 80)

    def _compare(self, kind: Any, schema: Dict[str, Any]) -> None:
        properties, required = set(schema.get("properties", {})), set(schema.get("required", []))
        self.assertEqual(kind.__required_keys__, required & properties, kind)
        self.assertEqual(kind.__optional_keys__, properties - required, kind)

    def test_every_operation_has_a_method_with_a_parameter_for_each_field(self) -> None:
        operations = {each["operationId"]: each for each in generate._operations(self.document)}
        self.assertEqual(operations.keys() - METHODS.keys(), WITHOUT_METHOD)
        self.assertEqual(METHODS.keys() - operations.keys(), set())
        for id, method in METHODS.items():
            for client in (Keepsake("http://x"), AsyncKeepsake("http://x")):
                parameters = set(inspect.signature(_member(client, method)).parameters)
                for field in self._fields(operations[id]):
                    wanted = RENAMED.get((method, field), {field})
                    self.assertTrue(wanted <= parameters, f"{method} has no parameter for {field}")

    def _fields(self, operation: Dict[str, Any]) -> Iterator[str]:
        if operation.get("requestBody") is None:
            yield from generate.query_schema(operation)["properties"]
            return
        for content in operation["requestBody"]["content"].values():
            name = content["schema"]["$ref"][len(generate.REFERENCE) :]
            yield from self.document["components"]["schemas"][name]["properties"]

    def test_every_code_has_a_class(self) -> None:
        codes = self.document["components"]["schemas"]["ErrorBody"]["properties"]["code"]["enum"]
        self.assertEqual(set(codes), SERVICE_ERRORS.keys())

    def test_both_clients_have_the_same_signatures(self) -> None:
        for part in ("", "entities", "contradictions", "decay", "items", "keys", "spaces", "grants"):
            one, other = (
                getattr(client, part) if part else client for client in (Keepsake("http://x"), AsyncKeepsake("http://x"))
            )
            names = [name for name in dir(one) if not name.startswith("_") and callable(getattr(one, name))]
            self.assertEqual(names, [n for n in dir(other) if not n.startswith("_") and callable(getattr(other, n))])
            for name in names:
                self.assertEqual(
                    list(inspect.signature(getattr(one, name)).parameters.values()),
                    list(inspect.signature(getattr(other, name)).parameters.values()),
                )


def _member(client: Any, path: str) -> Any:
    for name in path.split("."):
        client = getattr(client, name)
    return client
