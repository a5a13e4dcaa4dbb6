"""Quantities in words: how long something takes, and how much memory."""

#: The least number of seconds that is told in a unit, the seconds of the unit, its name.
UNITS = (
    (2 * 365.25 * 86400, 365.25 * 86400, "years"),
    (2 * 86400, 86400, "days"),
    (5400, 3600, "hours"),
    (90, 60, "minutes"),
)


def told_seconds(seconds: float) -> str:
    """A time in a unit in which it is neither tiny nor huge.

    >>> told_seconds(0.2), told_seconds(75), told_seconds(200), told_seconds(5400), told_seconds(3e5)
    ('under a second', '75 seconds', '3.3 minutes', '1.5 hours', '3.5 days')
    """
    if seconds < 1:
        return "under a second"
    unit, name = next(((unit, name) for least, unit, name in UNITS if seconds >= least), (1.0, "seconds"))
    number = seconds / unit
    return f"{number:,.0f} {name}" if number >= 10 or unit == 1.0 else f"{number:.1f} {name}"


def told_bytes(size: float) -> str:
    """Memory in a unit in which it is neither tiny nor huge.

    >>> told_bytes(900), told_bytes(1_500_000), told_bytes(4e12)
    ('1 kB', '1.5 MB', '4.0 TB')
    """
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if size >= unit:
            return f"{size / unit:,.0f} {name}" if size >= 10 * unit else f"{size / unit:.1f} {name}"
    return f"{max(1, round(size / 1e3))} kB"
