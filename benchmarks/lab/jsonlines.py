"""Results files: one JSON object per line, appended under a lock.

A run can be killed at any moment, and several processes can append to one file. Each line is therefore appended by one
write under an exclusive lock, and it is on the disk before the lock is released: lines never interleave. The only
damage that a killed run can do is an unfinished last line. `read` names it and leaves it out, and the next `append`
removes it. Any other line that is not a JSON object has another cause (an edit, a merge), so it is refused.
"""

import errno
import fcntl
import json
import os
import sys
from pathlib import Path
from typing import Any


def append(path: Path, record: dict[str, Any]) -> None:
    """Append one record as the last line of the file. The file is created if it does not exist."""
    line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        content = file.readall()
        last = content.rpartition(b"\n")[2]
        end = len(content)
        if last and _parsed(last) is None:  # its writer held the lock and is dead
            _warn(path, content, "it is removed")
            end -= len(last)
            file.truncate(end)
        elif last:  # whole, but some editors leave out the last newline
            line = b"\n" + line
        try:
            if file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(file.fileno())
        except OSError as error:
            file.truncate(end)
            raise SystemExit(
                f"{path}: a result could not be written ({error.strerror}), and the file is as it was. "
                f"The result was: {line.decode().strip()}"
            ) from None


def read(path: Path) -> list[dict[str, Any]]:
    """Read all records of the file, in the order in which they were appended."""
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)  # waits for a line that is being written instead of calling it unfinished
        content = file.read()
    lines = content.split(b"\n")
    records = []
    for number, line in enumerate(lines, start=1):
        record = _parsed(line)
        if record is not None:
            records.append(record)
        elif number == len(lines):
            if line:
                _warn(path, content, "it is ignored, and its result counts as not measured")
        elif line.strip():
            raise SystemExit(f"{path}, line {number} is not a JSON object: repair or delete the line, then run again")
    return records


def _parsed(line: bytes) -> dict[str, Any] | None:
    """The record of a line; None for an unfinished line, because no proper beginning of an object is an object."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _warn(path: Path, content: bytes, consequence: str) -> None:
    number = content.count(b"\n") + 1
    print(f"{path}, line {number} is unfinished, as a killed run leaves it: {consequence}", file=sys.stderr)
