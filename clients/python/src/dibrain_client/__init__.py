"""A small client of DI-Brain.

The messages are those of proto/dibrain/router/v1; this module only opens the
channel, adds the token, and offers the two calls that most programs need.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import grpc

from dibrain.router.v1 import router_pb2, router_pb2_grpc

__all__ = ["Client", "rows", "router_pb2"]

# Answers carry rows: the default of 4 MiB is the server's, too.
_MAX_MESSAGE = 16 << 20


class Client:
    """A connection to a DI-Brain router.

    address: "host:port".
    token:   API token ("dib_..."); None for a server in auth mode local.
    ca_file: PEM file of the server's CA; None for plain text (loopback only).

    Errors are grpc.RpcError, with code() and details() that say what to do.
    """

    def __init__(self, address: str, token: str | None = None, ca_file: str | None = None) -> None:
        options = [("grpc.max_receive_message_length", _MAX_MESSAGE)]
        if ca_file is None:
            self._channel = grpc.insecure_channel(address, options)
        else:
            credentials = grpc.ssl_channel_credentials(Path(ca_file).read_bytes())
            self._channel = grpc.secure_channel(address, credentials, options)
        self.router = router_pb2_grpc.RouterServiceStub(self._channel)
        self._metadata = [("authorization", f"Bearer {token}")] if token else None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()

    def ask(self, question: str, *, source: str = "", session_id: str = "", timeout: float = 120) -> router_pb2.Answer:
        """Ask a question and wait for the answer; timeout in seconds."""
        request = router_pb2.AskRequest(turn=self._turn(question, source, session_id))
        return self.router.Ask(request, timeout=timeout, metadata=self._metadata, wait_for_ready=True).answer

    def chat(self, question: str, *, source: str = "", session_id: str = "", timeout: float = 120) -> Iterator[router_pb2.ChatResponse]:
        """Ask a question and yield the events of the turn; the answer comes last."""
        request = router_pb2.ChatRequest(turn=self._turn(question, source, session_id))
        yield from self.router.Chat(request, timeout=timeout, metadata=self._metadata, wait_for_ready=True)

    @staticmethod
    def _turn(question: str, source: str, session_id: str) -> router_pb2.Turn:
        return router_pb2.Turn(question=question, source=source, session_id=session_id)


def rows(answer: router_pb2.Answer) -> list[dict[str, object]]:
    """The first page of the last result of an answer, a dict a row; [] if none."""
    for call in reversed(answer.tool_calls):
        if call.WhichOneof("output") == "execute":
            page = call.execute.page
            names = [column.name for column in page.columns]
            return [dict(zip(names, (_value(v) for v in row.values))) for row in page.rows]
    return []


def _value(value: object) -> object:
    kind = value.WhichOneof("kind")
    return None if kind in (None, "null_value") else getattr(value, kind)
