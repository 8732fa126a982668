"""The extension for Visual Studio Code: its tests in Node, and what its files promise."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text("utf-8"))
LOCK = (EXTENSION / "package-lock.json").read_text("utf-8")
SETTINGS = MANIFEST["contributes"]["configuration"]["properties"]
README = (EXTENSION / "README.md").read_text("utf-8")
NODE, NPM = shutil.which("node"), shutil.which("npm")


def is_recent() -> bool:
    if NODE is None or NPM is None:
        return False
    said = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=False).stdout
    return int((re.findall(r"^v(\d+)", said) or ["0"])[0]) >= 20


@pytest.mark.skipif(not is_recent(), reason="Node 20 or later is not installed")
@pytest.mark.skipif(not (EXTENSION / "node_modules").exists(), reason="`npm ci` was not run in editors/vscode")
def test_the_tests_of_the_extension_pass_with_this_server():
    pytest.importorskip("pygls")
    server = Path(sysconfig.get_path("scripts")) / "olympus-lint"
    done = subprocess.run(
        [str(NPM), "test"],
        cwd=EXTENSION,
        env={**os.environ, "OLYMPUS_LINT": str(server)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"^. pass (\d+)", done.stdout, re.MULTILINE)[0]) >= 14


def test_the_page_lists_the_settings_with_their_defaults():
    rows = re.findall(r"^\| `(olympus-lint\.[\w.]+)` \|.*\| `(.+)` \|$", README, re.MULTILINE)
    said = {name: each["default"] for name, each in SETTINGS.items()}
    assert dict(rows) == {
        name: default if isinstance(default, str) else json.dumps(default) for name, default in said.items()
    }


@pytest.mark.parametrize("page", [EXTENSION / "README.md", ROOT / "docs" / "editor.md"], ids=lambda page: page.name)
def test_settings_on_pages_exist(page: Path):
    blocks = re.findall(r"```json\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    assert blocks and all(set(json.loads(block)) <= set(SETTINGS) for block in blocks)


def test_the_commands_on_pages_exist():
    titles = {f"{each['category']}: {each['title']}" for each in MANIFEST["contributes"]["commands"]}
    for page in (README, (ROOT / "docs" / "editor.md").read_text("utf-8")):
        assert (named := set(re.findall(r"\*(Olympus: [\w ]+)\*", page))) and named <= titles


def test_the_lock_is_that_of_the_manifest_and_names_no_place_of_a_machine():
    lock = json.loads(LOCK)
    root = lock["packages"][""]
    assert (lock["version"], root["devDependencies"]) == (MANIFEST["version"], MANIFEST["devDependencies"])
    resolved = [each["resolved"] for each in lock["packages"].values() if "resolved" in each]
    assert all(each.startswith("https://registry.npmjs.org/") for each in resolved)
    assert not re.search(r"file:|localhost|127\.0\.0\.1|http://", LOCK)
    assert all("integrity" in each for name, each in lock["packages"].items() if name)


def test_only_one_module_needs_the_editor():
    needs = [path.name for path in EXTENSION.glob("src/*.ts") if re.search(r"from \"vscode", path.read_text("utf-8"))]
    assert needs == ["extension.ts"]
