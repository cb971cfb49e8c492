"""`python -m holdsfor` is the command `holdsfor`."""

from __future__ import annotations

import sys

from holdsfor.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
