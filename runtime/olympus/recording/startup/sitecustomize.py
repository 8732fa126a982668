"""What Python imports first in each process of a command under ``olympus record``.

It stands first on ``PYTHONPATH``. It executes the ``sitecustomize`` that it hides, and waits for JAX: when the program
imports it, the recorder is loaded, from the package's folder, since ``olympus`` need not be installed in that Python.
Nothing of it may fail or print in the program; what goes wrong is written beside the events.

Old releases of Python have to get through this file, so that it is written as for them.
"""
# mypy: ignore-errors
# ruff: noqa: UP031

import os
import sys

SOURCE, FOLDER, PROBE = "OLYMPUS_RECORD_SOURCE", "OLYMPUS_RECORD_FOLDER", "OLYMPUS_RECORD_PROBE"


def note(text):
    """Write a sentence for whoever reads the events."""
    import json

    path = os.path.join(os.environ[FOLDER], "notes-%d.jsonl" % os.getpid())  # noqa: PTH118
    try:
        with open(path, "a") as file:  # noqa: PTH123
            file.write(json.dumps({"note": text}) + "\n")
    except OSError:  # the command is over, and this process has outlived it
        pass


def start():
    """Load the recorder, and turn it on; JAX has been imported."""
    from importlib import util

    if sys.version_info < (3, 11):  # noqa: UP036
        note("the recorder needs Python 3.11 or later, and the command ran Python %d.%d" % sys.version_info[:2])
        return
    source = os.environ[SOURCE]
    here = os.path.join(source, "__init__.py")  # noqa: PTH118
    found = sys.modules.get("olympus") or util.find_spec("olympus")
    file = getattr(found, "__file__", None) or getattr(found, "origin", None)
    ours = file is not None and os.path.isfile(os.path.join(os.path.dirname(file), "_version.py"))  # noqa: PTH113, PTH118, PTH120
    if found is not None and not ours:
        note("the program has another module of the name olympus, %s, and was not recorded" % file)
        return
    if "olympus" not in sys.modules:
        spec = util.spec_from_file_location("olympus", here, submodule_search_locations=[source])
        module = util.module_from_spec(spec)
        sys.modules["olympus"] = module
        spec.loader.exec_module(module)
    from olympus._version import too_old

    said = too_old(sys.modules["jax"].__version__)
    if said:
        note("%s: the program was not recorded" % said)
        return
    from olympus.recording.probing import start_recording

    start_recording(os.environ[FOLDER], probe=os.environ.get(PROBE) == "1")


class Waiting:
    """Finds the module ``jax`` as the others would, and starts the recorder once it has been executed."""

    def find_spec(self, name, path=None, target=None):
        """Return the module's spec; the other finders are asked for it."""
        if name != "jax":
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if finder is not self and find is not None else None
            if spec is not None:
                break
        else:
            return None
        if getattr(spec.loader, "exec_module", None) is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_start(module):
            execute(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            try:
                start()
            except Exception as error:
                note("the recorder failed with %s: %s" % (type(error).__name__, error))

        spec.loader.exec_module = execute_and_start
        return spec


def chain():
    """Execute the ``sitecustomize`` that this one hides, if there is one, in its place."""
    from importlib import machinery, util

    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]  # noqa: PTH100
    own = sys.modules.pop("sitecustomize", None)
    spec = machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        if own is not None:
            sys.modules["sitecustomize"] = own  # Python looks for it after the import
        return
    module = util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)  # what it raises, Python reports, as without the recorder


if FOLDER in os.environ and SOURCE in os.environ:
    sys.meta_path.insert(0, Waiting())
chain()
