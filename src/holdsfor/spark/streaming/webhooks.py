"""A webhook: each alert is a request with an idempotency key."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import unquote, urlsplit, urlunsplit

from holdsfor.errors import Diagnostic, ExecutionProblem, Hint
from holdsfor.spark.streaming.sinks import Sink, SinkSettings, refuse_output

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["WebhookSink", "webhook_address", "webhook_sink"]

_ATTEMPTS, _TIMEOUT, _PAUSE = 5, 10.0, 0.5
_MOST_ATTEMPTS, _LONGEST_TIMEOUT, _LONGEST_PAUSE = 1000, 86_400, 60.0
_AGAIN = (408, 425, 429, 500, 502, 503, 504)
"""Answers after which a request is repeated."""

_OPTIONS = ("url", "attempts", "timeout")
_HEADER = "header."
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\xa0-\xff]*")
_ADDRESS = re.compile(r"[\x21-\x7e]+")


class _RefuseRedirects(urllib.request.HTTPRedirectHandler):
    """Python follows the redirect of a POST with a GET, which delivers nothing, and sends the headers elsewhere."""

    def redirect_request(self, *arguments: Any, **more: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_RefuseRedirects)


@dataclass(frozen=True)
class WebhookSink:
    """Posts each alert as JSON, in the order of query times; the header `Idempotency-Key` has its `id`.

    A request is repeated after a lost connection and after answers that ask for it. If all attempts fail, the query
    stops, and sends the alerts of the micro-batch again when it is started again.
    """

    needs_every_batch: ClassVar[bool] = False

    url: str
    headers: Mapping[str, str]
    n_attempts: int = _ATTEMPTS
    timeout: float = _TIMEOUT

    def write(self, frame: DataFrame, number: int) -> None:
        from pyspark.sql import functions as F

        ordered = frame.orderBy("query_time", F.desc("op"), "fvp", "start")
        for row in ordered.select("id", F.to_json(F.struct("*")).alias("body")).toLocalIterator():
            self._post(row["id"], row["body"].encode())

    def _post(self, key: str, body: bytes) -> None:
        headers = {"Content-Type": "application/json", **self.headers, "Idempotency-Key": key}
        for attempt in range(1, self.n_attempts + 1):
            request = urllib.request.Request(self.url, body, headers, method="POST")
            try:
                with _OPENER.open(request, timeout=self.timeout):
                    return
            except urllib.error.HTTPError as answer:
                reason, is_final = f"the answer {answer.code}", answer.code not in _AGAIN
                answer.close()
            except (OSError, HTTPException) as problem:
                reason, is_final = str(getattr(problem, "reason", problem)) or type(problem).__name__, False
            if is_final or attempt == self.n_attempts:
                raise self._failure(reason)
            time.sleep(_pause_after(attempt))

    def _failure(self, reason: str) -> ExecutionProblem:
        parts = urlsplit(self.url)  # the path and the parameters of a webhook may be secrets
        message = f"an alert cannot be sent to `{parts.scheme}://{parts.netloc}`: {reason}"
        hint = "start the stream again: it sends the alerts of this micro-batch again"
        return ExecutionProblem(Diagnostic("HF620", message, hint=hint))


def webhook_sink(settings: SinkSettings) -> Sink:
    """The sink of a webhook with the options `url`, `attempts`, `timeout` and `header.NAME`."""
    options = settings.options
    unknown = [name for name in options if name not in _OPTIONS and not name.startswith(_HEADER)]
    if unknown:
        message = f"the format `webhook` has no option `{unknown[0]}`"
        refuse_output(message, f"its options are {', '.join(_OPTIONS)} and {_HEADER}NAME")
    url = settings.path or options.get("url")
    address, credentials = webhook_address(url or "")
    headers = {key.removeprefix(_HEADER): value for key, value in options.items() if key.startswith(_HEADER)}
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            refuse_output(f"`{name}` is not a header of HTTP, or has a value with other characters", "give one line")
    attempts = _number(options, "attempts", _ATTEMPTS, _MOST_ATTEMPTS)
    timeout = _number(options, "timeout", _TIMEOUT, _LONGEST_TIMEOUT)
    return WebhookSink(address, {**credentials, **headers}, attempts, timeout)


def webhook_address(url: str) -> tuple[str, dict[str, str]]:
    """The address of a webhook without user and password, and the header for these."""
    hint = Hint('write `.option("url", …)`', on_command_line="write `--alerts https://HOST/PATH`")
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or not _ADDRESS.fullmatch(url):
        refuse_output("the format `webhook` needs an address `http://…` or `https://…`", hint)
    if parts.username is None:
        return url, {}
    given = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    address = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    return address, {"Authorization": f"Basic {b64encode(given).decode()}"}


def _pause_after(attempt: int) -> float:
    """The seconds between an attempt and the next one: twice as many each time, up to a minute."""
    return float(min(_PAUSE * 2 ** (attempt - 1), _LONGEST_PAUSE))


def _number(options: Mapping[str, str], name: str, default: Any, most: int) -> Any:
    """A positive number, with an upper bound, among the options of a writer."""
    try:
        found = type(default)(json.loads(options[name])) if name in options else default
    except (ValueError, TypeError, OverflowError):
        found = 0
    if not 0 < found <= most:
        message = f"expected a positive number up to {most} for `{name}`, found `{options[name]}`"
        refuse_output(message, f"by default it is {default}")
    return found
