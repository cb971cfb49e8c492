"""The progress of a stream as metrics of Prometheus, on a port of this machine that other machines cannot reach."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.spark.streaming.batch_progress import BatchProgress

__all__ = ["Metrics", "MetricsServer"]

_LOOPBACK = "127.0.0.1"
_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS = (0.1, 0.25, 0.5, 1.0, 1.5, 2.5, 5.0, 10.0, 30.0, 60.0)
_RESULTS = ("changes", "settled")


@dataclass
class Metrics:
    """The sums and last values over the micro-batches of one process."""

    n_batches: int = 0
    seconds: float = 0.0
    histogram: list[int] = field(default_factory=lambda: [0] * len(_BOUNDS))
    counts: dict[str, int] = field(default_factory=dict)
    phases: dict[str, float] = field(default_factory=dict)
    stages: dict[int, float] = field(default_factory=dict)
    state_rows: dict[int, int] = field(default_factory=dict)
    state_bytes: int = 0
    last: BatchProgress | None = None

    def add(self, progress: BatchProgress) -> None:
        """Add a micro-batch. Its state is measured now, since a later micro-batch replaces files."""
        self.n_batches += 1
        self.state_bytes = progress.state_bytes
        self.seconds += progress.seconds
        for i, bound in enumerate(_BOUNDS):
            self.histogram[i] += progress.seconds <= bound
        for name, n in progress.counts.items():
            self.counts[name] = self.counts.get(name, 0) + n
        for phase, seconds in progress.phases.items():
            self.phases[phase] = self.phases.get(phase, 0.0) + seconds
        for number, stage in progress.stages.items():
            self.stages[number] = self.stages.get(number, 0.0) + stage.seconds
            self.state_rows[number] = stage.state_rows
        self.last = progress

    def as_text(self) -> str:
        """The metrics in the text format of Prometheus."""
        return "\n".join([*self._totals(), *self._last_values(), ""])

    def _totals(self) -> Iterator[str]:
        yield from _described("holdsfor_records_total", "counter", "Records by outcome.")
        for name, n in sorted(self.counts.items()):
            if name not in _RESULTS:
                yield _sample("holdsfor_records_total", n, outcome=name)
        for name, shown in (("changes", "Changes of results."), ("settled", "Settled results.")):
            yield from _described(f"holdsfor_{name}_total", "counter", shown)
            yield _sample(f"holdsfor_{name}_total", self.counts.get(name, 0))
        yield from _described("holdsfor_phase_seconds_total", "counter", "Seconds of the phases of micro-batches.")
        for phase, seconds in sorted(self.phases.items()):
            yield _sample("holdsfor_phase_seconds_total", seconds, phase=phase)
        yield from _described("holdsfor_stage_seconds_total", "counter", "Seconds of the buckets of stages.")
        for number, seconds in sorted(self.stages.items()):
            yield _sample("holdsfor_stage_seconds_total", seconds, stage=str(number))
        yield from _described("holdsfor_batch_seconds", "histogram", "Seconds of micro-batches.")
        for bound, n in zip(_BOUNDS, self.histogram, strict=True):
            yield _sample("holdsfor_batch_seconds_bucket", n, le=str(bound))
        yield _sample("holdsfor_batch_seconds_bucket", self.n_batches, le="+Inf")
        yield _sample("holdsfor_batch_seconds_sum", self.seconds)
        yield _sample("holdsfor_batch_seconds_count", self.n_batches)

    def _last_values(self) -> Iterator[str]:
        if self.last is None:
            return
        decision = self.last.decision
        values = {
            "holdsfor_batch": (decision.batch, "Number of the last micro-batch."),
            "holdsfor_query_time": (decision.last, "Last query time, as a time-point."),
            "holdsfor_lag": (self.last.lag, "Time-points from the last query time to the arrivals of all sources."),
            "holdsfor_state_bytes": (self.state_bytes, "Size of the state of all buckets."),
            "holdsfor_records_per_second": (
                self.last.records_per_second,
                "Records per second of the last one.",
            ),
        }
        for name, (value, shown) in values.items():
            if value is not None:
                yield from _described(name, "gauge", shown)
                yield _sample(name, value)
        yield from _described("holdsfor_state_rows", "gauge", "Rows of the state of the buckets of a stage.")
        for number, n in sorted(self.state_rows.items()):
            yield _sample("holdsfor_state_rows", n, stage=str(number))
        yield from _described("holdsfor_source_arrival", "gauge", "Latest arrival of a source, as a time-point.")
        for source, arrival in decision.sources.items():
            yield _sample("holdsfor_source_arrival", arrival, source=source)
        yield from _described("holdsfor_source_idle", "gauge", "1 for a source that is not waited for.")
        for source in decision.sources:
            yield _sample("holdsfor_source_idle", int(source in decision.idle), source=source)


class MetricsServer:
    """Serves the metrics of a stream at `http://127.0.0.1:PORT/metrics` until the end of its context.

    It is called with the progress of every micro-batch: `writer.onProgress(server)`.

    >>> with MetricsServer(0) as server:
    ...     server.url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(self, port: int) -> None:
        self._metrics, self._lock = Metrics(), threading.Lock()
        try:
            self._server = ThreadingHTTPServer((_LOOPBACK, port), self._handler())
        except (OSError, OverflowError) as problem:
            message = f"the port {port} cannot be used for metrics: {problem}"
            raise UsageProblem(Diagnostic("HF796", message, hint="give another port, or 0 for a free one")) from None

    @property
    def url(self) -> str:
        """The address of the metrics."""
        return f"http://{_LOOPBACK}:{self._server.server_port}/metrics"

    def __call__(self, progress: BatchProgress) -> None:
        with self._lock:
            self._metrics.add(progress)

    def __enter__(self) -> MetricsServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _text(self) -> bytes:
        with self._lock:
            return self._metrics.as_text().encode()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            """Answers requests for the metrics."""

            def do_GET(self) -> None:
                is_found = self.path.partition("?")[0] in ("/", "/metrics")
                content = server._text() if is_found else b"not found\n"
                self.send_response(200 if is_found else 404)
                self.send_header("Content-Type", _TYPE)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
                """Print nothing: requests come every few seconds."""

        return Handler


def _described(name: str, kind: str, shown: str) -> Iterator[str]:
    yield f"# HELP {name} {shown}"
    yield f"# TYPE {name} {kind}"


def _sample(name: str, value: float, **labels: str) -> str:
    escaped = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"{name}{{{escaped}}} {value}" if escaped else f"{name} {value}"


def _escaped(text: str) -> str:
    """A text as the value of a label."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
