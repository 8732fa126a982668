"""``--derive-pack``: a signature pack from the source of an installed package."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from olympus_lint.commandline.output import write_report
from olympus_lint.commandline.progress import track
from olympus_lint.project.configuration import Configuration
from olympus_lint.project.settings import SettingsError
from olympus_lint.reporting.phrases import count


def derive_pack(args: Namespace) -> int:
    """Derive a pack and write it; nothing of the package is imported or run.

    Returns:
        The exit status: 2 if a file of the package cannot be read; the rows from the other files are written.

    Raises:
        SettingsError: the package is not found or has no source, or the output cannot be written.
    """
    from olympus_rules.deriving.derive import Derivation
    from olympus_rules.deriving.package import PackageError, find_package
    from olympus_rules.deriving.writer import pack_text
    from olympus_rules.keyflow.linking.project import Project
    from olympus_rules.libraries import libraries

    settings = Configuration({}, Path(args.config) if args.config else None, isolated=args.isolated).at(Path.cwd())
    try:
        package = find_package(args.derive_pack)
    except PackageError as error:
        raise SettingsError(str(error)) from None
    project = Project(tuple(settings.library_roots))
    project.session.table = libraries(tuple(settings.signature_packs), without=package.name)
    derivation = Derivation(package, project)
    for _ in track(derivation.analyse(), len(package.files), "Analysing"):
        pass
    derived = derivation.result()
    write_report(pack_text(package, derived), args.output_file)
    for file, cause in derived.broken.items():
        print(f"error: {file}: cannot be analysed ({cause}); correct it and derive the pack again.", file=sys.stderr)
    if not args.quiet:
        found = count(len(derived.functions) + len(derived.methods), "row")
        print(f"Wrote {found}; {count(len(derived.undecided), 'name')} without one.", file=sys.stderr)
    return 2 if derived.broken else 0
