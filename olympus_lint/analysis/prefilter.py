"""Which files are analysed at all."""

from __future__ import annotations

from pathlib import Path

from olympus_lint.project.settings import Settings
from olympus_rules.libraries import libraries
from olympus_rules.syntax.array_names import may_borrow_keys, may_hold_arrays
from olympus_rules.syntax.prefilter import may_hold_keys


def worth_checking(filename: str, data: bytes, settings: Settings) -> bool:
    """Say whether a file can hold a key, an object with ``__jax_array__``, or a suppression that may be unused.

    Args:
        filename: its path, from which its imports are resolved.
        data: its bytes.
        settings: its settings.
    """
    roots, packages = settings.library_roots, libraries(tuple(settings.signature_packs)).of_keys
    if may_hold_keys(data, roots, packages) or b"OLY" in data or b"olympus:" in data:
        return True
    path = Path(filename)
    return may_hold_arrays(data, path, roots) or may_borrow_keys(data, path, roots, packages)
