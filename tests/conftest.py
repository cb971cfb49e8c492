"""Random tests are the same every time where a change is judged, and new every time at home."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("judged", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("judged")
