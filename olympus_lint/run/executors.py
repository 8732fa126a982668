"""Where ``--executor`` lets files be checked: the processes of a Dask cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from olympus_lint.project.settings import SettingsError
from olympus_lint.run.remote import Workplace

SCHEME = "dask://"
TIMEOUT = 10
"""Seconds until a scheduler that does not answer counts as absent, and one without workers as idle."""


@contextmanager
def workplace(name: str) -> Iterator[Workplace]:
    """Connect to the cluster of ``dask://HOST:PORT``, and disconnect at the end.

    Raises:
        SettingsError: there is none, it has no workers, or this installation cannot talk to it.
    """
    try:
        from distributed import Client
    except ModuleNotFoundError:
        hint = "install it with `pip install 'olympus-lint[distributed]'`"
        raise SettingsError(f"--executor {name}: `distributed` is not installed here; {hint}.") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is lost is said in the report
    try:
        client = Client(f"tcp://{name.removeprefix(SCHEME)}", timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:  # a time-out is an `OSError`
        cause = " ".join(str(error).split()) or "no answer"
        raise SettingsError(f"--executor {name}: there is no scheduler ({cause}); start it, or name another.") from None
    try:
        if not client.scheduler_info()["workers"]:
            raise SettingsError(f"--executor {name}: the scheduler has no workers; start one with `dask worker`.")
        yield Workplace(name, client.get_executor(), lambda each: client.scatter(each, broadcast=True, hash=False))
    finally:
        client.close(timeout=TIMEOUT)
