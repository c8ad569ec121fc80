"""Both clients against failing and hostile servers over a real socket."""

import asyncio
import gc
import json
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
import warnings
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple
from unittest import mock

import keepsake_client as k
from keepsake_client import AsyncKeepsake, Keepsake
from stub import BothKinds, Floods, Hangs, Seen, answers, both, breaks_off, fails, raw, resets, text

JSON_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


class Errors(BothKinds):
    def failure(self, *behaviours: Any, call: Any = lambda client: client.recall("x"), **options: Any) -> Any:
        stub = self.stub()
        stub.behave(*behaviours)
        self.last = stub
        with self.assertRaises(k.KeepsakeError) as caught:
            self.run_call(call(self.patient(stub, **options)))
        return caught.exception

    def test_each_code_has_a_class_with_status_message_and_request_id(self) -> None:
        for status, code, kind in [
            (400, "validation_error", k.ValidationError),
            (413, "validation_error", k.ValidationError),
            (401, "authentication_error", k.AuthenticationError),
            (403, "forbidden", k.ForbiddenError),
            (404, "not_found", k.NotFoundError),
            (409, "conflict", k.ConflictError),
            (429, "rate_limit_exceeded", k.RateLimitError),
            (500, "internal_error", k.InternalError),
            (503, "unavailable", k.UnavailableError),
        ]:
            error = self.failure(fails(status, code), max_retries=0)
            self.assertIs(type(error), kind)
            self.assertEqual(
                (error.code, error.status, error.message, str(error), error.request_id),
                (code, status, f"it is {code}", f"it is {code}", "req-1"),
            )

    def test_an_unknown_code_is_a_plain_error(self) -> None:
        error = self.failure(fails(409, "of_a_newer_service"))
        self.assertIs(type(error), k.KeepsakeError)
        self.assertEqual((error.code, error.status), ("of_a_newer_service", 409))

    def test_details_are_those_of_the_service(self) -> None:
        details = [{"path": "content", "message": "too bad", "trust_score": 0.1}]
        body = {"error": {"code": "validation_error", "message": "m", "details": details, "request_id": "r"}}
        self.assertEqual(self.failure(answers(400, body)).details, details)

    def test_a_response_of_a_proxy_is_told_apart_from_one_of_the_service(self) -> None:
        for status, kind in [
            (404, k.UnexpectedAnswerError),
            (401, k.UnexpectedAnswerError),
            (429, k.RateLimitError),
            (502, k.UnavailableError),
            (504, k.UnavailableError),
        ]:
            error = self.failure(text(status, "text/html", "<h1>No</h1>", {"x-request-id": "proxy-7"}), max_retries=0)
            self.assertIs(type(error), kind, status)
            self.assertEqual((error.status, error.request_id), (status, "proxy-7"))
            self.assertNotIn("<h1>", str(error))

    def test_a_success_that_is_no_answer_is_unexpected_and_not_retried(self) -> None:
        zipped = {"content-encoding": "gzip"}
        for name, behaviour in {
            "a web page": text(200, "text/html", "<html></html>"),
            "broken JSON": text(200, "application/json", '{"memories":['),
            "not an object": text(200, "application/json", "[1]"),
            "empty": text(200, "application/json", ""),
            "NaN": text(200, "application/json", '{"a":NaN}'),
            "a long number": text(200, "application/json", '{"a":' + "9" * 10_000 + "}"),
            "nested too deeply": text(200, "application/json", '{"a":' + "[" * 200_000 + "]" * 200_000 + "}"),
            "not UTF-8": raw(JSON_HEAD + b'content-length: 9\r\n\r\n{"a":"\xff"}', True),
            "compressed": text(200, "application/json", "{}", zipped),
            "another protocol": raw(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"),
            "two lengths": raw(JSON_HEAD + b"content-length: 2\r\ncontent-length: 3\r\n\r\n{}"),
            "length and chunks": raw(JSON_HEAD + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}"),
            "a negative length": raw(JSON_HEAD + b"content-length: -1\r\n\r\n{}"),
            "a bad chunk": raw(JSON_HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}"),
            "endless headers": raw(b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 20_000),
            "a folded header": raw(b"HTTP/1.1 200 OK\r\nx: y\r\n z\r\ncontent-length: 2\r\n\r\n{}"),
        }.items():
            with self.subTest(name):
                self.assertIs(type(self.failure(behaviour)), k.UnexpectedAnswerError)
                self.assertEqual(len(self.last.seen), 1)

    def test_a_response_over_the_limit_is_not_read_to_its_end(self) -> None:
        for start, chunk in [
            (JSON_HEAD + b'\r\n{"memories":[', b'"' + b"x" * 65536 + b'",'),
            (JSON_HEAD + b"transfer-encoding: chunked\r\n\r\n", b"10000\r\n" + b"x" * 65536 + b"\r\n"),
        ]:
            flood = Floods(start, chunk)
            error = self.failure(flood, max_answer_bytes=1_000_000)
            self.assertIs(type(error), k.UnexpectedAnswerError)
            self.assertIn("1000000 bytes", str(error))
            self.assertTrue(flood.left.wait(5))
            # Socket buffers hold more than was read.
            self.assertLess(flood.sent, 30_000_000)

    def test_a_redirect_is_not_followed_and_the_key_stays_here(self) -> None:
        other = self.stub()
        for status in (301, 302, 303, 307, 308):
            behaviour = text(status, "text/plain", "", {"location": f"{other.url}/api/v1/store"})
            error = self.failure(behaviour, call=lambda client: client.store("private words"), api_key="secret")
            self.assertIs(type(error), k.UnexpectedAnswerError)
        self.assertEqual((other.seen, other.connections), ([], 0))

    def test_a_request_that_cannot_be_serialized_is_not_sent(self) -> None:
        cycle: Dict[str, Any] = {}
        cycle["self"] = cycle
        deep: List[Any] = []
        for _ in range(100_000):
            deep = [deep]
        stub = self.stub()
        client = self.patient(stub)
        for call in [
            lambda: client.store("x", metadata=cycle),
            lambda: client.store("x", metadata={"a": deep}),
            lambda: client.store("x", metadata={"a": {1, 2}}),
            lambda: client.store("x", metadata={"a": b"bytes"}),
            lambda: client.store("x", metadata={"a": float("nan")}),
            lambda: client.store("x", created_at=datetime(2024, 3, 1)),
            lambda: client.list_page(q="\ud800"),
            lambda: client.store("x", idempotency_key="line\nbreak"),
            lambda: client.store("x", idempotency_key="at the end\n"),
            lambda: client.get(".."),
            lambda: client.get(""),
            lambda: client.get("\ud800"),
            lambda: client.forget(),
            lambda: client.forget("a", all=True),
            lambda: client.forget(all=None),
        ]:
            with self.assertRaises(k.ValidationError):
                self.run_call(call())
        self.assertEqual(stub.seen, [])

    def test_no_error_and_no_text_about_a_client_contains_the_key(self) -> None:
        error = self.failure(resets, max_retries=0, api_key="very-secret")
        client = self.clients[-1]
        shown = [repr(client), str(client), repr(error), str(error), repr(client._caller.transport._settings)]
        self.assertNotIn("very-secret", " ".join(shown))
        for key in ("", "very secret", "very-secret\n", "very-secret\r\nx: y", "ü"):
            with self.assertRaises(ValueError) as caught:
                self.kind("http://x", api_key=key)
            self.assertTrue(str(caught.exception).startswith("api_key must be"))
            self.assertNotIn("secret", str(caught.exception))

    def test_a_missing_field_is_an_unexpected_answer(self) -> None:
        for call in [
            lambda client: client.get("mem_1"),
            lambda client: client.history("mem_1"),
            lambda client: client.list().to_list(),
            lambda client: client.entities.list().to_list(),
            lambda client: client.keys.list(),
        ]:
            self.assertIs(type(self.failure(answers(200, {}), call=call)), k.UnexpectedAnswerError)

    def test_a_list_that_never_ends_is_an_error(self) -> None:
        call = lambda client: client.list().to_list()  # noqa: E731
        error = self.failure(answers(200, {"memories": [], "next_cursor": "same"}), call=call)
        self.assertIn("never ends", str(error))
        self.assertEqual(len(self.last.seen), 2)

    def test_a_numbered_list_ends_at_an_empty_page(self) -> None:
        stub = self.stub()
        stub.behave(answers(200, {"entities": [], "total": 1000, "page": 1, "limit": 10}))
        self.assertEqual(self.run_call(self.patient(stub).entities.list().to_list()), [])
        self.assertEqual(len(stub.seen), 1)


Call = Callable[[Any], Any]

SAFE: List[Tuple[str, Call]] = [
    ("recall", lambda c: c.recall("x")),
    ("search", lambda c: c.search("x")),
    ("get", lambda c: c.get("mem_1")),
    ("history", lambda c: c.history("mem_1")),
    ("history_page", lambda c: c.history_page("mem_1")),
    ("list", lambda c: c.list().to_list()),
    ("list_page", lambda c: c.list_page()),
    ("profile", lambda c: c.profile()),
    ("users_page", lambda c: c.users_page()),
    ("projects", lambda c: c.projects()),
    ("activity", lambda c: c.activity()),
    ("release", lambda c: c.release("mem_1")),
    ("forget", lambda c: c.forget("mem_1")),
    ("cleanup", lambda c: c.cleanup(dry_run=False)),
    ("health", lambda c: c.health()),
    ("events_page", lambda c: c.events_page()),
    ("entities.list", lambda c: c.entities.list().to_list()),
    ("entities.list_page", lambda c: c.entities.list_page()),
    ("entities.graph", lambda c: c.entities.graph()),
    ("entities.get", lambda c: c.entities.get("ent_1")),
    ("entities.relationships", lambda c: c.entities.relationships("ent_1")),
    ("entities.memories", lambda c: c.entities.memories("ent_1").to_list()),
    ("entities.memories_page", lambda c: c.entities.memories_page("ent_1")),
    ("entities.merges", lambda c: c.entities.merges("ent_1")),
    ("entities.revert_merge", lambda c: c.entities.revert_merge("mrg_1")),
    ("contradictions.list", lambda c: c.contradictions.list().to_list()),
    ("contradictions.list_page", lambda c: c.contradictions.list_page()),
    ("contradictions.get", lambda c: c.contradictions.get("con_1")),
    ("contradictions.accept", lambda c: c.contradictions.accept("con_1")),
    ("contradictions.revert", lambda c: c.contradictions.revert("con_1")),
    ("decay.report", lambda c: c.decay.report()),
    ("decay.get", lambda c: c.decay.get("mem_1")),
    ("keys.list", lambda c: c.keys.list()),
    ("keys.revoke", lambda c: c.keys.revoke("key_1")),
    ("grants.list", lambda c: c.grants.list()),
    ("grants.revoke", lambda c: c.grants.revoke("grt_1")),
    ("spaces.list", lambda c: c.spaces.list().to_list()),
    ("spaces.get", lambda c: c.spaces.get("spc_1")),
    ("spaces.delete", lambda c: c.spaces.delete("spc_1")),
    ("spaces.members", lambda c: c.spaces.members("spc_1").to_list()),
    ("spaces.set_member", lambda c: c.spaces.set_member("spc_1", "ben", "reader")),
    ("spaces.remove_member", lambda c: c.spaces.remove_member("spc_1", "ben")),
    ("store", lambda c: c.store("x", idempotency_key="k")),
    ("store", lambda c: c.store("x", idempotent=True)),
    ("store_batch", lambda c: c.store_batch(["x"], idempotency_key="k")),
]
IF_REFUSED: List[Tuple[str, Call]] = [
    ("update", lambda c: c.update("mem_1", content="x")),
    ("forget", lambda c: c.forget(all=True)),
    ("forget", lambda c: c.forget(filter={"source": "x"})),
    ("entities.merge", lambda c: c.entities.merge("ent_1", "ent_2")),
    ("keys.create", lambda c: c.keys.create("ana", "x")),
    ("spaces.create", lambda c: c.spaces.create("x")),
    ("spaces.rename", lambda c: c.spaces.rename("spc_1", "x")),
    ("spaces.leave_all", lambda c: c.spaces.leave_all("ana")),
]
NEVER: List[Tuple[str, Call]] = [
    ("store", lambda c: c.store("x")),
    ("store_batch", lambda c: c.store_batch(["x"])),
    ("add", lambda c: c.add([{"role": "user", "content": "x"}])),
]
#: These send nothing, or have a test of their own.
OTHERS = {"close", "events", "for_user", "in_space"}

TROUBLES = [
    ("a reset", resets),
    ("an incomplete response", breaks_off),
    ("a 503", fails(503, "unavailable", {"retry-after": "1"})),
    ("a 502 of a proxy", text(502, "text/html", "bad gateway")),
]
REFUSAL = fails(429, "rate_limit_exceeded", {"retry-after": "2"})
FINE = answers(
    200,
    {
        **{name: [] for name in "versions provenance memories entities contradictions keys grants spaces members users projects days".split()},
        **{name: {} for name in "memory entity contradiction space".split()},
        **{"next_cursor": None, "total": 0, "page": 1, "limit": 10},
    },
)


class Retries(BothKinds):
    def requests_after(self, trouble: Any, call: Call) -> int:
        self.last.behave(trouble, FINE)
        try:
            self.run_call(call(self.one))
        except k.KeepsakeError:
            pass
        return len(self.last.seen)

    def setUp(self) -> None:
        super().setUp()
        self.last = self.stub()
        self.one = self.patient(self.last)

    def test_follow_the_table_for_every_method(self) -> None:
        for calls, after_trouble, after_refusal in [(SAFE, 2, 2), (IF_REFUSED, 1, 2), (NEVER, 1, 1)]:
            for name, call in calls:
                for what, trouble in TROUBLES:
                    self.assertEqual(self.requests_after(trouble, call), after_trouble, (name, what))
                self.assertEqual(self.requests_after(REFUSAL, call), after_refusal, name)

    def test_the_table_has_every_method(self) -> None:
        parts = ["", "entities.", "contradictions.", "decay.", "keys.", "grants.", "spaces."]
        methods = set()
        for part in parts:
            holder = getattr(self.one, part[:-1]) if part else self.one
            methods |= {
                part + name
                for name in dir(type(holder))
                if not name.startswith("_") and callable(getattr(type(holder), name))
            }
        self.assertEqual({name for name, _ in SAFE + IF_REFUSED + NEVER} | OTHERS, methods)

    def test_use_one_idempotency_key_per_store(self) -> None:
        stub = self.stub()
        stub.behave(resets, fails(409, "conflict"), answers(200, {}))
        client = self.patient(stub, idempotent=True)
        self.run_call(client.store("x"))
        self.run_call(client.store("x"))
        self.run_call(client.store("x", idempotent=False))
        first, second, third, following, without = [seen.headers.get("idempotency-key") for seen in stub.seen]
        self.assertRegex(first or "", "^[0-9a-f]{32}$")
        self.assertEqual([second, third], [first, first])
        self.assertRegex(following or "", "^[0-9a-f]{32}$")
        self.assertNotEqual(following, first)
        self.assertIsNone(without)

    def test_wait_as_long_as_the_service_asks(self) -> None:
        for header, wait in [("3", 3.125), (_http_date(time.time() + 3.5), None)]:
            stub = self.stub()
            stub.behave(fails(429, "rate_limit_exceeded", {"retry-after": header}), answers(200, {}))
            client = self.patient(stub)
            self.run_call(client.recall("x"))
            if wait is None:
                self.assertTrue(2.1 < client.waits[0] < 4.2, client.waits)
            else:
                self.assertEqual(client.waits, [wait])

    def test_stop_at_max_retries_with_increasing_waits(self) -> None:
        stub = self.stub()
        stub.behave(fails(503, "unavailable"))
        client = self.patient(stub, max_retries=4)
        with self.assertRaises(k.UnavailableError):
            self.run_call(client.recall("x"))
        self.assertEqual((len(stub.seen), client.waits), (5, [0.25, 0.5, 1.0, 2.0]))
        stub.behave(fails(503, "unavailable"))
        with self.assertRaises(k.UnavailableError):
            self.run_call(client.recall("x", max_retries=0))
        self.assertEqual(len(stub.seen), 1)

    def test_do_not_wait_past_the_deadline(self) -> None:
        stub = self.stub()
        stub.behave(fails(429, "rate_limit_exceeded", {"retry-after": "45"}))
        client = self.patient(stub)
        with self.assertRaises(k.RateLimitError) as caught:
            self.run_call(client.recall("x"))
        self.assertEqual((caught.exception.retry_after, client.waits), (45, []))

    def test_happen_with_real_waits(self) -> None:
        stub = self.stub()
        stub.behave(fails(503, "unavailable"), answers(200, {"total": 1}))
        started = time.monotonic()
        self.assertEqual(self.run_call(self.client(stub.url).recall("x")), {"total": 1})
        self.assertGreaterEqual(time.monotonic() - started, 0.12)


def _http_date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%a, %d %b %Y %H:%M:%S GMT")


class Ends(BothKinds):
    def test_a_timeout_ends_a_call_and_closes_its_connection(self) -> None:
        for after in (b"", JSON_HEAD + b'content-length: 100\r\n\r\n{"memories":'):
            hanging = Hangs(after)
            stub = self.stub()
            stub.behave(hanging)
            started = time.monotonic()
            with self.assertRaises(k.TimeoutError) as caught:
                self.run_call(self.client(stub.url).recall("x", timeout_seconds=0.2))
            self.assertLess(time.monotonic() - started, 2)
            self.assertIsInstance(caught.exception, TimeoutError)
            self.assertTrue(hanging.left.wait(5))
            self.assertEqual(len(stub.seen), 1)

    def test_a_timeout_ends_a_response_that_trickles(self) -> None:
        for start, chunk in [(b"HTTP/1.1 200 OK\r\n", b"x"), (JSON_HEAD + b"content-length: 9999\r\n\r\n", b" ")]:
            trickle = Floods(start, chunk, pause_seconds=0.05)
            stub = self.stub()
            stub.behave(trickle)
            started = time.monotonic()
            with self.assertRaises(k.TimeoutError):
                self.run_call(self.client(stub.url).recall("x", timeout_seconds=0.3))
            self.assertLess(time.monotonic() - started, 2)
            self.assertTrue(trickle.left.wait(5))

    def test_a_timeout_ends_connecting(self) -> None:
        with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
            # The queue of the listener is full: further connections are not answered.
            held = []
            for _ in range(4):
                sock = socket.socket()
                sock.setblocking(False)
                sock.connect_ex(full.getsockname())
                held.append(sock)
            with self.assertRaises(k.TimeoutError):
                url = f"http://127.0.0.1:{full.getsockname()[1]}"
                self.run_call(self.client(url).health(timeout_seconds=0.3, max_retries=0))
            for sock in held:
                sock.close()

    def test_a_closed_client_refuses_calls(self) -> None:
        stub = self.stub()
        client = self.client(stub.url)
        self.run_call(client.health())
        self.run_call(client.close())
        with self.assertRaisesRegex(k.ConnectionError, "closed"):
            self.run_call(client.for_user("ana").health())

    def test_an_unknown_host_is_a_connection_error(self) -> None:
        with self.assertRaises(k.ConnectionError):
            self.run_call(self.client("http://nowhere.invalid").health(max_retries=0))
        with self.assertRaises(k.ConnectionError):
            self.run_call(self.client(f"http://{'a' * 70}.invalid").health(max_retries=0))


def echo(connection: socket.socket, seen: Seen) -> bool:
    body = json.dumps({"query": json.loads(seen.body)["query"]}).encode()
    connection.sendall(JSON_HEAD + b"content-length: %d\r\n\r\n" % len(body) + body)
    return True


class Connections(BothKinds):
    def test_are_kept_open(self) -> None:
        stub = self.stub()
        client = self.client(stub.url)
        for user in ("ana", "ben", "carla"):
            self.run_call(client.for_user(user).health())
        self.assertEqual({seen.connection for seen in stub.seen}, {1})

    def test_that_the_server_closed_are_replaced_without_an_error(self) -> None:
        stub = self.stub()
        stub.behave(raw(JSON_HEAD + b"content-length: 2\r\n\r\n{}", False))
        client = self.client(stub.url)
        for _ in range(3):
            self.run_call(client.store("x"))
            # The end of the connection has to arrive.
            self.run_call(asyncio.sleep(0.05))
        self.assertEqual([seen.connection for seen in stub.seen], [1, 2, 3])

    def test_with_unasked_bytes_never_serve_another_request(self) -> None:
        injected = JSON_HEAD + b'content-length: 18\r\n\r\n{"query":"another"}'
        stub = self.stub()
        stub.behave(raw(JSON_HEAD + b"content-length: 2\r\n\r\n{}" + injected, True), echo)
        client = self.client(stub.url)
        self.run_call(client.recall("first"))
        self.assertEqual(self.run_call(client.recall("second")), {"query": "second"})
        self.assertEqual([seen.connection for seen in stub.seen], [1, 2])

    def test_after_a_timeout_never_serve_another_request(self) -> None:
        stub = self.stub()
        late = Hangs()
        stub.behave(late, echo)
        client = self.client(stub.url)
        with self.assertRaises(k.TimeoutError):
            self.run_call(client.recall("first", timeout_seconds=0.1))
        self.assertEqual(self.run_call(client.recall("second")), {"query": "second"})
        self.assertEqual([seen.connection for seen in stub.seen], [1, 2])

    def test_end_when_the_server_says_so(self) -> None:
        stub = self.stub()
        stub.behave(answers(200, {}, {"connection": "close"}))
        client = self.client(stub.url)
        for _ in range(2):
            self.run_call(client.health())
        stub.behave(answers(200, {}, {"keep-alive": "timeout=1"}))
        for _ in range(2):
            self.run_call(client.health())
        stub.behave(raw(b"HTTP/1.0 200 OK\r\n\r\n{}"))
        self.run_call(client.health())
        # The last request needs a new one too, because the one before was idle for too long.
        self.assertEqual(stub.connections, 5)

    def test_read_chunks_trailers_and_interim_responses(self) -> None:
        stub = self.stub()
        chunked = b'5;ext=1\r\n{"tot\r\n6\r\nal":1}\r\n0\r\nx-trailer: y\r\n\r\n'
        interim = b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"
        stub.behave(raw(interim + JSON_HEAD + b"transfer-encoding: chunked\r\n\r\n" + chunked, True))
        client = self.client(stub.url)
        for _ in range(2):
            self.assertEqual(self.run_call(client.recall("x")), {"total": 1})
        self.assertEqual(stub.connections, 1)

    def test_ignore_proxies_of_the_environment(self) -> None:
        proxy, stub = self.stub(), self.stub()
        names = ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy")
        with mock.patch.dict(os.environ, {name: proxy.url for name in names}):
            self.run_call(self.client(stub.url, api_key="secret").health())
        self.assertEqual((proxy.connections, len(stub.seen)), (0, 1))

    def test_use_tls_and_check_the_certificate(self) -> None:
        openssl = shutil.which("openssl")
        if openssl is None:
            self.skipTest("openssl makes the certificate")
        with tempfile.TemporaryDirectory() as directory:
            key, certificate = Path(directory, "key.pem"), Path(directory, "certificate.pem")
            subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
            files = ["-keyout", str(key), "-out", str(certificate)]
            kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
            subprocess.run([openssl, "req", "-x509", *kind, *subject, *files], check=True, capture_output=True)
            server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            server.load_cert_chain(certificate, key)
            trusting = ssl.create_default_context(cafile=str(certificate))
        stub = self.stub(wrap=lambda sock: server.wrap_socket(sock, server_side=True))
        client = self.client(f"https://localhost:{stub.port}", api_key="secret", ssl_context=trusting)
        for _ in range(2):
            self.assertEqual(self.run_call(client.health()), {})
        self.assertEqual(len({seen.connection for seen in stub.seen}), 1)
        stub.seen.clear()
        for url, context in [(f"https://localhost:{stub.port}", None), (f"https://127.0.0.1:{stub.port}", trusting)]:
            with self.assertRaisesRegex(k.ConnectionError, "certificate"):
                untrusting = self.client(url, api_key="secret", ssl_context=context)
                self.run_call(untrusting.health(max_retries=0))
        self.assertEqual(stub.seen, [])


class Options(BothKinds):
    def test_with_invalid_values_are_refused(self) -> None:
        for url in [
            "",
            "localhost",
            "ftp://x",
            "http://",
            "http://user:pw@x",
            "http://x/?a=1",
            "http://x/#a",
            "http://x:99999",
            "http://x\r\nx: y",
            "http://x/a b",
            "http://ü",
            None,
        ]:
            with self.assertRaises(ValueError, msg=str(url)):
                self.kind(url)
        for options in [
            {"timeout_seconds": 0},
            {"timeout_seconds": float("nan")},
            {"timeout_seconds": None},
            {"max_retries": -1},
            {"max_retries": 1.5},
            {"max_retries": True},
            {"max_answer_bytes": -1},
        ]:
            with self.assertRaises(ValueError, msg=str(options)):
                self.kind("http://x", **options)

    def test_find_the_api_below_the_address(self) -> None:
        for path in ["", "/", "/api/v1", "/api/v1/", "/below", "/below/api/v1"]:
            stub = self.stub()
            self.run_call(self.client(f"{stub.url}{path}").health())
            below = "/below" if path.startswith("/below") else ""
            self.assertEqual(stub.seen[0].path, f"{below}/api/v1/health")

    def test_a_lost_user_is_refused_and_never_means_everyone(self) -> None:
        stub = self.stub()
        client = self.patient(stub)
        for user in (None, "", 7):
            with self.assertRaises(k.ValidationError):
                self.run_call(client.recall("x", user_id=user))
            with self.assertRaises(k.ValidationError):
                client.for_user(user)
            with self.assertRaises(k.ValidationError):
                self.kind(stub.url, user_id=user)
            with self.assertRaises(k.ValidationError):
                self.run_call(client.keys.list(user_id=user))
            with self.assertRaises(k.ValidationError):
                self.run_call(client.spaces.remove_member("spc_1", user))
        for space in ("", 7):
            with self.assertRaises(k.ValidationError):
                client.in_space(space)
        self.assertEqual(stub.seen, [])

    def test_reach_the_wire(self) -> None:
        stub = self.stub()
        client = self.patient(stub, project="work", api_key="key-1")
        for call in [
            lambda: client.recall("a", filters={"runId": None}, as_of=datetime(2024, 1, 2, tzinfo=timezone.utc)),
            lambda: client.recall("a", project=None, limit=0),
            lambda: client.update("mem/1?", project=None, ttl="short_term"),
            lambda: client.update("mem_1", content="x"),
            lambda: client.list_page(filter={"created_at": {"gte": date(2024, 1, 2)}}, flagged=True, q="a&b +é"),
            lambda: client.in_space("spc_1").recall("a"),
            lambda: client.in_space("spc_1").store("a", user_id="ben", space=None),
            lambda: client.decay.get("mem_1", forecast_days=[1, 2]),
        ]:
            self.run_call(call())
        bodies = [json.loads(seen.body) if seen.body else None for seen in stub.seen]
        ana = {"user_id": "ana"}
        self.assertEqual(
            bodies,
            [
                {"query": "a", "as_of": "2024-01-02T00:00:00.000Z", "filters": {"runId": None}, "project": "work", **ana},
                {"query": "a", "limit": 0, **ana},
                {"ttl": "30d", "project": None, **ana},
                {"content": "x", **ana},
                None,
                {"query": "a", "spaces": ["spc_1"], "project": "work", **ana},
                {"content": "a", "project": "work", "user_id": "ben"},
                None,
            ],
        )
        self.assertEqual(stub.seen[2].path, "/api/v1/memories/mem%2F1%3F")
        self.assertEqual(
            stub.seen[4].path,
            "/api/v1/memories?flagged=true&q=a%26b%20%2B%C3%A9"
            "&filter=%7B%22created_at%22%3A%7B%22gte%22%3A%222024-01-02%22%7D%7D&user_id=ana&project=work",
        )
        self.assertTrue(stub.seen[7].path.endswith("/decay?forecast_days=1%2C2&user_id=ana"))
        self.assertEqual({seen.headers["authorization"] for seen in stub.seen}, {"Bearer key-1"})

    def test_an_unhealthy_service_answers(self) -> None:
        stub = self.stub()
        stub.behave(answers(503, {"status": "unhealthy", "error": {}}))
        self.assertEqual(self.run_call(self.client(stub.url).health())["status"], "unhealthy")


SSE = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"


class Streams(BothKinds):
    def test_continue_after_a_lost_connection_and_ignore_comments(self) -> None:
        stub = self.stub()
        first = b'id: 0-0\nevent: events.opened\ndata: {}\n\n: beat\n\nid: 1-0\nevent: memory.stored\ndata: {"id":"1-0"}\n\n'
        second = b'id: 2-0\r\nevent: memory.stored\r\ndata: {"id":"2-0"}\r\n\r\nevent: events.closed\ndata: {"reason":"slow_reader"}\n\n'
        third = Hangs(SSE + b'id: 3-0\nevent: memory.stored\ndata: {"id":"3-0"}\n\n')
        stub.behave(raw(SSE + first), resets, fails(503, "unavailable"), raw(SSE + second), third)
        client = self.patient(stub)
        self.assertEqual([event["id"] for event in self.items(client.events(since="0"), 3)], ["1-0", "2-0", "3-0"])
        sent = [seen.headers.get("last-event-id") for seen in stub.seen]
        self.assertEqual(sent, ["0", "1-0", "1-0", "1-0", "2-0"])
        self.assertEqual({seen.headers["accept"] for seen in stub.seen}, {"text/event-stream"})
        # Leaving the loop closes the connection.
        self.assertTrue(third.left.wait(5))

    def test_end_with_errors_that_a_retry_would_not_fix(self) -> None:
        for behaviour, kind in [
            (fails(401, "authentication_error"), k.AuthenticationError),
            (raw(SSE + b'event: events.closed\ndata: {"reason":"key_revoked"}\n\n'), k.AuthenticationError),
            (answers(200, {}), k.UnexpectedAnswerError),
            (text(302, "text/plain", "", {"location": "http://127.0.0.1:1"}), k.UnexpectedAnswerError),
            (raw(SSE + b"event: memory.stored\ndata: {\n\n"), k.UnexpectedAnswerError),
            (Floods(SSE, b"data: " + b"x" * 65536), k.UnexpectedAnswerError),
        ]:
            stub = self.stub()
            stub.behave(behaviour)
            with self.assertRaises(kind):
                self.items(self.patient(stub).events(), 1)
            self.assertEqual(len(stub.seen), 1)

    def test_reconnect_when_they_fall_silent(self) -> None:
        stub = self.stub()
        silent = Hangs(SSE + b"id: 1-0\nevent: events.opened\ndata: {}\n\n")
        stub.behave(silent, raw(SSE + b'id: 2-0\nevent: memory.stored\ndata: {"id":"2-0"}\n\n'))
        module = "keepsake_client._sync" if self.kind is Keepsake else "keepsake_client._async"
        with mock.patch(f"{module}.transport.STREAM_SILENCE_SECONDS", 0.1):
            self.assertEqual(self.items(self.patient(stub).events(), 1), [{"id": "2-0"}])
        self.assertEqual(stub.seen[1].headers["last-event-id"], "1-0")

    def test_of_a_client_for_a_space_are_refused(self) -> None:
        with self.assertRaises(k.ValidationError):
            self.client("http://x").in_space("spc_1").events()

    def test_refuse_an_id_that_would_add_a_header(self) -> None:
        stub = self.stub()
        with self.assertRaises(k.ValidationError):
            self.items(self.patient(stub).events(since="1\r\nx: y"), 1)
        self.assertEqual(stub.seen, [])


for cases in (Errors, Retries, Ends, Connections, Options, Streams):
    both(cases)
del cases, Errors, Retries, Ends, Connections, Options, Streams


class Threads(unittest.TestCase):
    def setUp(self) -> None:
        from stub import Stub

        self.stub = Stub()
        self.addCleanup(self.stub.close)

    def test_get_their_own_answers_from_one_client(self) -> None:
        self.stub.behave(echo)
        wrong: List[Any] = []
        with Keepsake(self.stub.url) as client:

            def work(name: int) -> None:
                for step in range(25):
                    query = f"{name}-{step}"
                    if client.recall(query) != {"query": query}:
                        wrong.append(query)

            threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual((wrong, len(self.stub.seen)), ([], 200))
        self.assertLessEqual(self.stub.connections, 8)

    def test_of_other_threads_stop_reading_events_when_the_client_is_closed(self) -> None:
        hanging = Hangs(SSE + b'id: 1-0\nevent: memory.stored\ndata: {"id":"1-0"}\n\n')
        self.stub.behave(hanging)
        client = Keepsake(self.stub.url, user_id="ana")
        seen: List[Any] = []
        thread = threading.Thread(target=lambda: seen.extend(client.events()))
        thread.start()
        self.assertTrue(hanging.reached.wait(5))
        client.close()
        thread.join(5)
        self.assertFalse(thread.is_alive())
        self.assertTrue(hanging.left.wait(5))

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_of_a_forked_process_never_share_a_connection(self) -> None:
        self.stub.behave(echo)
        with Keepsake(self.stub.url) as client:
            client.recall("before")
            child = os.fork()
            if child == 0:
                os._exit(0 if client.recall("child") == {"query": "child"} else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(client.recall("parent"), {"query": "parent"})
        connections = {json.loads(seen.body)["query"]: seen.connection for seen in self.stub.seen}
        self.assertEqual(connections, {"before": 1, "child": 2, "parent": 1})


async def happened(event: threading.Event) -> None:
    for _ in range(500):
        if event.is_set():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen within five seconds")


class Cancelling(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        from stub import Stub

        self.stub = Stub()
        self.addCleanup(self.stub.close)

    async def test_a_call_closes_its_connection_and_the_next_call_gets_its_own_answer(self) -> None:
        for after in (b"", JSON_HEAD + b'content-length: 100\r\n\r\n{"query":'):
            hanging = Hangs(after)
            self.stub.behave(hanging, echo)
            async with AsyncKeepsake(self.stub.url) as client:
                call = asyncio.ensure_future(client.recall("first"))
                await happened(hanging.reached)
                call.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await call
                self.assertEqual(await client.recall("second"), {"query": "second"})
                await happened(hanging.left)

    async def test_works_while_connecting_and_while_waiting_for_a_retry(self) -> None:
        self.stub.behave(fails(503, "unavailable", {"retry-after": "20"}))
        async with AsyncKeepsake(self.stub.url) as client:
            for moments in (0, 1, 2, 50):
                call = asyncio.ensure_future(client.recall("x"))
                for _ in range(moments):
                    await asyncio.sleep(0.002)
                call.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await call
        leftover = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        await asyncio.sleep(0.05)
        self.assertTrue(all(task.done() for task in leftover))

    async def test_is_not_taken_for_a_timeout(self) -> None:
        self.stub.behave(Hangs())
        async with AsyncKeepsake(self.stub.url) as client:
            with self.assertRaises(asyncio.TimeoutError) as caught:
                await asyncio.wait_for(client.recall("x"), 0.1)
            self.assertNotIsInstance(caught.exception, k.TimeoutError)

    async def test_many_calls_at_once_get_their_own_answers(self) -> None:
        self.stub.behave(echo)
        async with AsyncKeepsake(self.stub.url) as client:
            answers_ = await asyncio.gather(*(client.recall(str(at)) for at in range(60)))
            self.assertEqual(answers_, [{"query": str(at)} for at in range(60)])

    async def test_events_end_when_their_task_is_cancelled(self) -> None:
        hanging = Hangs(SSE)
        self.stub.behave(hanging)
        async with AsyncKeepsake(self.stub.url, user_id="ana") as client:

            async def read() -> None:
                async for _ in client.events():
                    pass

            task = asyncio.ensure_future(read())
            await happened(hanging.reached)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            await happened(hanging.left)


class Loops(unittest.TestCase):
    def test_one_after_another_can_use_one_client(self) -> None:
        from stub import Stub

        stub = Stub()
        self.addCleanup(stub.close)
        stub.behave(echo)
        with warnings.catch_warnings():
            # The loops end with open connections.
            warnings.simplefilter("ignore", ResourceWarning)
            self._use_twice(AsyncKeepsake(stub.url))
            gc.collect()
        self.assertEqual([seen.connection for seen in stub.seen], [1, 2])

    def _use_twice(self, client: AsyncKeepsake) -> None:
        async def ask(query: str) -> Any:
            return await client.recall(query)

        for query in ("first", "second"):
            self.assertEqual(asyncio.run(ask(query)), {"query": query})
