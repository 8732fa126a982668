"""What one signature pack says, as values; ``docs/signature-packs.md`` explains the format."""

from __future__ import annotations

from dataclasses import dataclass, field

from olympus_rules.libraries.model import Conversion, LibraryFunction

LAST_NAMES = frozenset(
    """
    initialising keywords methods off on own parameters prefixes splits states streams variables
    """.split()  # noqa: SIM905
)
"""Fields whose names are not qualified."""


@dataclass(frozen=True, slots=True)
class Pack:
    """A signature pack.

    Attributes:
        roots: the packages that it speaks of, by their import names.
        functions: rows of functions and classes.
        methods: rows of methods of the packages' objects, by the method's name.
        returns: callables that return one which does what another name's row says, with that name.
        fields: the names of the items of the tuple that a function returns, by the function.
        copies: methods that return a copy of their object, with the fields that the copy has anew.
        lists: the lists of names in the other sections, by section and field.
        conversions: what functions do with the words of keys, by their names.
        typed_since: the first release of the library that is known to take typed keys, empty when none is.
        raw: whether the library is known to take raw keys only.
        raw_names: functions that are known not to take typed keys.
    """

    roots: tuple[str, ...]
    functions: tuple[LibraryFunction, ...] = ()
    methods: tuple[LibraryFunction, ...] = ()
    returns: dict[str, str] = field(default_factory=dict)
    copies: dict[str, tuple[str, ...]] = field(default_factory=dict)
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    lists: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    conversions: dict[str, Conversion] = field(default_factory=dict)
    typed_since: str = ""
    raw: bool = False
    raw_names: tuple[str, ...] = ()

    def listed(self, section: str, name: str) -> tuple[str, ...]:
        """Return the list of a section's field, empty where the pack has none."""
        return self.lists.get((section, name), ())

    def spoken_of(self) -> frozenset[str]:
        """Return every qualified name that the pack says something about."""
        listed = (
            names
            for (section, name), names in self.lists.items()
            if name not in LAST_NAMES and (section, name) not in (("arrays", "modules"), ("counting", "modules"))
        )
        names = frozenset(row.qualified for row in self.functions).union(self.returns, self.conversions, *listed)
        return frozenset(name for name in names if not name.endswith(".*"))
