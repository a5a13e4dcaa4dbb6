"""What stands in a cell of a table: nothing, a number, a date, yes or no, or a word."""

import math
import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any

#: What stands in a cell where nothing is known.
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")
#: Two words that mean yes and no, in lower case, the one for no first.
YES_NO = (("no", "yes"), ("false", "true"), ("n", "y"), ("f", "t"), ("0", "1"), ("off", "on"))
#: How dates are written, those of ISO 8601 first.
DATES = ("%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y/%m/%d", "%d.%m.%Y")
#: Those of which a date can be of two: the day before the month, or behind it.
TWO_WAYS = ("%d/%m/%Y", "%m/%d/%Y")
#: How a column of dates is written whose cells are objects and not text: with the time of day, and without.
OBJECTS, DAYS = "objects", "days"
#: The largest whole number below which a float keeps every digit.
LARGEST = 2.0**53
_EPOCH = datetime(1970, 1, 1)
#: A number whose first digit is a 0 before another one is a code: 01234.
_CODE = re.compile(r"[+-]?0\d")
#: Numbers with commas for decimals (and perhaps points for thousands), or with commas for thousands.
_COMMA = re.compile(r"[+-]?(\d+(\.\d{3})*,\d+|\d{1,3}(,\d{3})+(\.\d+)?)")


def is_missing(cell: Any, marks: Iterable[str] = MISSING) -> bool:
    """Whether nothing stands in a cell: None, what is no number, or one of the marks for it."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(cell, str):
        return cell.strip() in marks
    try:
        return bool(cell != cell)
    except (TypeError, ValueError):
        return False


def plain(cell: Any) -> Any:
    """A cell as an object of Python: NumPy's scalars are unpacked."""
    return cell.item() if hasattr(cell, "item") and getattr(cell, "ndim", 0) == 0 else cell


def text_of(cell: Any) -> str:
    """What tells one category from another: 1, 1.0 and "1" are one."""
    cell = plain(cell)
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return str(cell).strip()


def as_number(cell: Any) -> float | None:
    """A cell as a finite number, if it is one.

    Codes with a leading 0, such as 01234, are words, and so are whole numbers of more digits than a float keeps.
    """
    if isinstance(cell, bool) or (isinstance(cell, str) and _CODE.match(cell.strip())):
        return None
    try:
        value = float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    whole = isinstance(cell, int) or (isinstance(cell, str) and cell.strip().lstrip("+-").isdecimal())
    return value if math.isfinite(value) and not (whole and abs(value) > LARGEST) else None


def looks_like_number(text: str) -> bool:
    """Whether this would be a number if its comma, of decimals or of thousands, were written otherwise: 1,5 or 1,500.

    Args:
        text: What stands in a cell.
    """
    return _COMMA.fullmatch(text.strip()) is not None


def decimals_of(text: str) -> int | None:
    """How many decimals a written number has; None for one that is written with an exponent."""
    if "e" in text.lower():
        return None
    return len(text.strip().partition(".")[2])


def as_date(cell: Any, written: str) -> float | None:
    """A date as the number of seconds since 1970, if it is written so."""
    if isinstance(cell, datetime):
        return None if cell.tzinfo is not None else (cell - _EPOCH).total_seconds()
    if isinstance(cell, date):
        return (datetime(cell.year, cell.month, cell.day) - _EPOCH).total_seconds()
    if not isinstance(cell, str):
        return None
    for form in DATES if written in (OBJECTS, DAYS) else (written,):
        try:
            return (datetime.strptime(cell.strip(), form) - _EPOCH).total_seconds()
        except ValueError:
            continue
    return None


def date_of(seconds: float, written: str) -> Any:
    """The date so many seconds after 1970, written so."""
    moment = _EPOCH + timedelta(seconds=seconds)
    if written == DAYS:
        return moment.date()
    return moment if written == OBJECTS else moment.strftime(written)


def how_dated(cells: Iterable[Any]) -> tuple[str, ...]:
    """How these cells may be written, if all of them are dates: often one way, sometimes two, mostly none."""
    cells = list(cells)
    if not cells:
        return ()
    if all(isinstance(cell, date) and getattr(cell, "tzinfo", None) is None for cell in cells):
        return (OBJECTS,) if any(isinstance(cell, datetime) for cell in cells) else (DAYS,)
    if not all(isinstance(cell, str) for cell in cells):
        return ()
    left = [form for form in (*DATES, *TWO_WAYS) if as_date(cells[0], form) is not None]
    for cell in cells:
        left = [form for form in left if as_date(cell, form) is not None]
        if not left:
            break
    return tuple(left)
