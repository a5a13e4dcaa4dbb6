"""Docstrings as they are written here, turned into what Sphinx reads.

Our docstrings are plain text: an indented block is a formula or a drawing, shown as it stands, and a bar is a bar
(p(y | x)). In reStructuredText the first would be a quotation and the second the start of a substitution.
"""

import inspect
import re

_SECTION = re.compile(r"^(Args|Attributes|Example|Examples|Note|Raises|Returns|Yields|Warning):$")
_LIST = re.compile(r"^\s*([-*]|\d+\.)\s")
_LITERAL = re.compile(r"(``.+?``|`.+?`)")
#: The star of a shape, (batch, *event), which begins no emphasis.
_STAR = re.compile(r"(?<=[(, ])\*(?=\w+[),\]])")


def to_restructured_text(app, what, name, obj, options, lines):
    """The handler of Sphinx's event `autodoc-process-docstring`: changes `lines` in place."""
    if what == "method":
        lines += inherited_arguments(name, lines)
    lines[:] = converted(lines)


def inherited_arguments(name: str, lines: list[str]) -> list[str]:
    """The `Args:` section of the method that this one overrides, where it says nothing of its arguments itself."""
    module, _, path = name.partition(".")
    owner = __import__(module)
    for part in path.split(".")[:-1]:
        owner = getattr(owner, part)
    if "Args:" in lines or not inspect.isclass(owner):
        return []
    for base in owner.__mro__:
        text = inspect.cleandoc(getattr(base.__dict__.get(path.split(".")[-1]), "__doc__", None) or "")
        if "\nArgs:\n" in text:
            return ["", *("Args:\n" + text.partition("\nArgs:\n")[2]).splitlines(), ""]
    return []


def converted(lines: list[str]) -> list[str]:
    """The lines with indented blocks marked as literal, and bars and the stars of shapes escaped outside of code.

    >>> converted(["The model is", "", "    p(y | x)", "", "where p(y | x) >= 0."])
    ['The model is', '', '.. code-block:: text', '', '    p(y | x)', '', 'where p(y \\\\| x) >= 0.']
    """
    result: list[str] = []
    literal_at: int | None = None  # the indentation that a line needs to belong to the present literal block
    section = False
    before = ""  # the last line that was not blank
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            result.append(line)
            continue
        if literal_at is not None and indent < literal_at:
            literal_at = None
        if literal_at is None and indent == 0:
            section = bool(_SECTION.match(line))
        blank_before = number > 0 and not lines[number - 1].strip()
        deeper = indent > len(before) - len(before.lstrip()) and blank_before
        if literal_at is None and deeper and not section and not _LIST.match(before) and line.lstrip()[:3] != ">>>":
            result += [" " * (len(before) - len(before.lstrip())) + ".. code-block:: text", ""]
            literal_at = indent
        before = line
        doctest = line.lstrip().startswith((">>>", "..."))
        result.append(line if literal_at is not None or doctest else _escaped(line))
    return result


def _escaped(line: str) -> str:
    parts = _LITERAL.split(line)
    return "".join(part if part.startswith("`") else _STAR.sub(r"\\*", part.replace("|", "\\|")) for part in parts)
