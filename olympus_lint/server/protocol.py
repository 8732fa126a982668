"""The protocol of the server: what it does with a message that is wrong, and what it writes to standard error."""

from __future__ import annotations

import logging
from concurrent.futures import Future
from typing import Any

from cattrs import transform_error
from lsprotocol.types import ErrorCodes, ResponseError
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

OF_THE_CLIENT = (JsonRpcException, OSError, ValueError)
"""Errors whose traceback would speak of pygls: a wrong message, or a client that is gone."""
logger = logging.getLogger(__name__)


class Protocol(LanguageServerProtocol):
    """The protocol, in which each request has an answer.

    It drops the futures of all notifications, which pygls 2.1 keeps: 3 KB for each keystroke.
    """

    def _check_handler_result(self, future: Future[Any]) -> None:
        """Report the error of a notification that was handled, and drop the futures that are done."""
        super()._check_handler_result(future)
        for name in [name for name, kept in self._request_futures.items() if kept.done()]:
            self._request_futures.pop(name, None)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return a message of the client; ``None`` after the answer to one with wrong parameters."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            method, cause = data.get("method"), error.__cause__ or error
            wrong = "; ".join(transform_error(cause, path=str(method or "answer")))
            said = f"the message cannot be read ({wrong}); see the Language Server Protocol for its form."
            logger.error(said)
            if method is not None and "id" in data:
                self._send_response(data["id"], error=ResponseError(ErrorCodes.InvalidParams, said))
            return None

    def handle_message(self, message: Any) -> None:
        """Handle a message that can be read."""
        if message is not None and not hasattr(message, "jsonrpc"):
            logger.error("the message is not one object of JSON; the Language Server Protocol has no batches.")
        elif message is not None:
            super().handle_message(message)


class Sentences(logging.Formatter):
    """Log lines for the person who set up the editor: a sentence, and a traceback only of an internal error."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record."""
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and not isinstance(error, OF_THE_CLIENT):
            return super().format(record)
        return f"olympus-lint --server: {record.getMessage()}{'' if error is None else f': {error}'}"


def log_sentences() -> None:
    """Write what the server and its libraries log to standard error, as sentences."""
    handler = logging.StreamHandler()
    handler.setFormatter(Sentences())
    handler.addFilter(lambda record: not str(record.msg).startswith("Unable to deserialize"))  # Protocol says it
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
