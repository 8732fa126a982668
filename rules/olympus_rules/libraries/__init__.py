"""What library functions do with keys: one model of each, from signature packs, one TOML file for each library.

``docs/signature-packs.md`` explains the format. Adding a library is adding a file to ``packs``. A file is named after
its package, or after a module of it, and is read when a name of that package is first asked for.
"""

from olympus_rules.libraries.model import Conversion, LibraryFunction, Model, Support
from olympus_rules.libraries.table import Libraries, libraries, package_of, read_pack, shipped

__all__ = [
    "Conversion",
    "Libraries",
    "LibraryFunction",
    "Model",
    "Support",
    "libraries",
    "package_of",
    "read_pack",
    "shipped",
]
