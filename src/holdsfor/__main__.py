"""The command `holdsfor`, also as `python -m holdsfor`.

The modules take a while to load. Until then an interruption ends the process at once, without a traceback, and the
garbage collector does not visit the growing number of objects again and again. Arrow uses the allocator of the system:
others keep freed memory, and the memory of a run would grow with its output. OpenBLAS, of which nothing is used, starts
no threads.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

__all__ = ["main"]


def main() -> int:
    """Load the command, then run it."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    is_spark = sys.argv[1:2] == ["spark"]
    if not is_spark:  # workers of Spark inherit the environment, and run programs of others
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()
    from holdsfor.cli.main import main as run_command
    from holdsfor.without_pandas import refuse_pandas

    gc.freeze()
    gc.enable()
    if not is_spark:
        refuse_pandas()
    signal.signal(signal.SIGINT, before)
    return run_command()


if __name__ == "__main__":
    sys.exit(main())
