"""The packs that are shipped, each read once in a process: several modules make their tests of them."""

from __future__ import annotations

from functools import cache

from olympus_rules.libraries import read_pack

__all__ = ["shipped_pack"]

shipped_pack = cache(read_pack)
