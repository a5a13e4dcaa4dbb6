"""results/summary.json: headline figures, each with its interval, its script and its date. Only scripts write it."""

import json
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

PATH = Path(__file__).parents[1] / "results" / "summary.json"


def put(name: str, value: float, interval: Sequence[float], script: str, **more: Any) -> None:
    """Write one figure, over an older one of the same name. A single seed has no interval: not finite, null."""
    summary = json.loads(PATH.read_text()) if PATH.exists() else {}
    summary[name] = {
        "value": round(value, 4),
        "interval": [round(end, 4) for end in interval] if all(map(math.isfinite, interval)) else None,
        "script": script,
        "date": datetime.now(UTC).date().isoformat(),
        **more,
    }
    PATH.write_text(json.dumps(dict(sorted(summary.items())), indent=2) + "\n")
