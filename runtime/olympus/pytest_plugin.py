"""A plugin of pytest: tests fail that consume a random key twice.

It checks tests with the mark ``check_keys``; with the option ``--check-keys``, or ``check_keys = true`` in pytest's
settings, all tests. What the fixtures of a test consume while they are set up counts as well. Each test begins anew,
also with keys that several tests share. What is seen and what is not, is said in :mod:`olympus.recording`.

Without marked tests and without the option nothing is imported but this module.
"""

from __future__ import annotations

from collections.abc import Generator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from olympus.recording import Recorder

    RECORDER = pytest.StashKey[Recorder]()
else:
    RECORDER = pytest.StashKey()

MARK = "check_keys"
FIXTURE = "olympus_keys"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the setting for all tests of a run."""
    text = "let tests fail that consume a JAX random key twice"
    parser.getgroup("olympus").addoption("--check-keys", action="store_true", help=text)
    parser.addini(MARK, f"{text} (--check-keys)", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    config.addinivalue_line("markers", f"{MARK}: let the test fail if it consumes a JAX random key twice")


@pytest.fixture
def olympus_keys(request: pytest.FixtureRequest) -> Recorder:
    """Return the :class:`olympus.recording.Recorder` of the test; it is on while the test runs.

    ``misuses`` has what is wrong so far, and ``clear()`` forgets it. The fixture alone lets no test fail.
    """
    return _recorder(request.node)


def _recorder(item: pytest.Item) -> Recorder:
    if RECORDER not in item.stash:
        from olympus.recording import Recorder

        item.stash[RECORDER] = Recorder()
    return item.stash[RECORDER]


def _is_checked(item: pytest.Item) -> bool:
    config = item.config
    return bool(item.get_closest_marker(MARK) or config.getoption("check_keys") or config.getini(MARK))


def _is_recorded(item: pytest.Item) -> bool:
    wanted = _is_checked(item) or FIXTURE in getattr(item, "fixturenames", ())
    return wanted and find_spec("jax") is not None  # without JAX no test consumes a key


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Record the keys that fixtures consume; a test that is run again begins anew."""
    if RECORDER in item.stash:
        item.stash[RECORDER].clear()
    if not _is_recorded(item):
        return (yield)
    with _recorder(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Record the keys that a test consumes, and let it fail if something is wrong with them."""
    if not _is_recorded(item):
        return (yield)
    recorder = _recorder(item)
    try:
        with recorder:
            result = yield
    except BaseException:
        if _is_checked(item) and recorder.misuses:
            item.add_report_section("call", "random keys", _report(recorder))
        raise
    if _is_checked(item) and recorder.misuses:
        pytest.fail(_report(recorder), pytrace=False)
    return result


def _report(recorder: Recorder) -> str:
    from olympus.lineage.diagnosis import listing

    return f"random keys are misused\n\n{listing(recorder.misuses)}"
