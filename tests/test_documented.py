"""Every parameter of every public name is documented: in an `Args:` section, or beside its field by a `#:` comment.

A method that overrides another may leave the arguments to the docstring of the one it overrides: the reference shows
them from there.
"""

import dataclasses
import inspect
import re
from types import ModuleType

import pytest

import noisekernel as nk

#: Names whose parameters are not documented yet. A name that is documented must leave this list, which is to be empty.
EXEMPT: set[str] = set()
NAMES = [name for name in nk.__all__ if not isinstance(getattr(nk, name), ModuleType)]


#: Names without an example in their docstring. The same rules.
WITHOUT_EXAMPLE: set[str] = set()


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_an_example(name):
    shown = ">>> " in (getattr(nk, name).__doc__ or "")
    assert shown != (name in WITHOUT_EXAMPLE), name


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_documented(name):
    missing = list(undocumented(getattr(nk, name)))
    if name in EXEMPT:
        assert missing, f"{name} is documented now: take it off the list of exemptions"
    else:
        assert not missing, f"{name} has parameters that no Args: section tells of: {', '.join(missing)}"


def test_only_public_names_are_exempt():
    assert set(NAMES) >= EXEMPT | WITHOUT_EXAMPLE


def undocumented(thing):
    """Each parameter without documentation, as `method.parameter`."""
    if not inspect.isclass(thing):
        yield from (f"{thing.__name__}.{p}" for p in parameters(thing) if p not in told(thing.__doc__))
        return
    documented = set().union(
        *(told(base.__doc__) | told(base.__init__.__doc__) | commented(base) for base in ours(thing))
    )
    yield from (p for p in parameters(thing) if p not in documented)
    for method in methods(thing):
        overridden = [base.__dict__[method] for base in ours(thing) if method in base.__dict__]
        documented = set().union(*(told(each.__doc__) for each in overridden))
        yield from (f"{method}.{p}" for p in parameters(getattr(thing, method)) if p not in documented)


def ours(thing):
    return [base for base in thing.__mro__ if base.__module__.startswith("noisekernel")]


def methods(thing):
    """The public methods that the package defines, for the class or one above it."""
    named = {
        name for base in ours(thing) for name in base.__dict__ if name in ("__call__", "forward") or name[0] != "_"
    }
    return sorted(
        name for name in named if callable(getattr(thing, name)) and not inspect.isclass(getattr(thing, name))
    )


def parameters(thing):
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        return []
    return [name for name in inspect.signature(thing).parameters if name not in ("self", "args", "kwargs")]


def told(docstring):
    """The names in the `Args:` section of a docstring."""
    section = re.search(r"^Args:\n((?:[ \t]+.*\n|\n)*)", inspect.cleandoc(docstring or "") + "\n", re.MULTILINE)
    entries = re.findall(r"^ {4}(\w+(?:, \w+)*):", section[1], re.MULTILINE) if section else []
    return {name for entry in entries for name in entry.split(", ")}


def commented(thing):
    """The fields of a dataclass that a `#:` comment stands above."""
    if not dataclasses.is_dataclass(thing):
        return set()
    return set(re.findall(r"#: .*\n    (\w+):", inspect.getsource(thing)))


def test_what_is_told_is_found():
    def documented(a, b, c, d):
        """Does so.

        Args:
            a: One.
            b, c: Two, on
                two lines: not a name.

        Returns:
            d: not an argument.
        """

    assert list(undocumented(documented)) == ["documented.d"]
