"""The command `holdsfor`, also as `python -m holdsfor`.

The modules take a while to load. Until then an interruption ends the process at once, without a traceback. Arrow uses
the allocator of the system: others keep freed memory, and the memory of a run would grow with its output.
"""

from __future__ import annotations

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
    from holdsfor.cli.main import main as run_command
    from holdsfor.without_pandas import refuse_pandas

    if sys.argv[1:2] != ["spark"]:
        refuse_pandas()
    signal.signal(signal.SIGINT, before)
    return run_command()


if __name__ == "__main__":
    sys.exit(main())
