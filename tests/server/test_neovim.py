"""A real editor: Neovim without a screen shows the findings and applies a fix."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pygls")
NVIM = shutil.which("nvim")
SCRIPT = """\
local command = {{ {python}, "-m", "olympus_lint", "--server" }}
local id = vim.lsp.start_client({{ name = "olympus-lint", cmd = command, root_dir = {folder} }})
vim.cmd("edit " .. {file})
vim.lsp.buf_attach_client(0, id)
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
local found = vim.diagnostic.get(0)[1]
local params = vim.lsp.util.make_range_params()
local place = {{ line = found.lnum, character = found.col }}
params.range = {{ start = place, ["end"] = place }}
params.context = {{ diagnostics = {{}} }}
local answer = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 60000)[id].result
vim.lsp.util.apply_workspace_edit(answer[1].edit, "utf-16")
vim.wait(60000, function() return #vim.diagnostic.get(0) == 0 end, 50)
local out = {{ code = found.code, line = found.lnum, title = answer[1].title, left = #vim.diagnostic.get(0),
  text = vim.api.nvim_buf_get_lines(0, 0, -1, true) }}
local file = io.open({out}, "w")
file:write(vim.fn.json_encode(out))
file:close()
vim.lsp.stop_client(id)
vim.cmd("qa!")
"""
REUSE = """\
import jax


def draw(seed):
    key = jax.random.PRNGKey(seed)
    first = jax.random.normal(key)
    return first + jax.random.uniform(key)
"""


@pytest.mark.skipif(NVIM is None, reason="Neovim is not installed")
def test_neovim_shows_findings_and_applies_a_fix(tmp_path: Path) -> None:
    file, script, out = tmp_path / "model.py", tmp_path / "session.lua", tmp_path / "out.json"
    file.write_text(REUSE)
    names = {"python": sys.executable, "folder": str(tmp_path), "file": str(file), "out": str(out)}
    script.write_text(SCRIPT.format(**{name: json.dumps(value) for name, value in names.items()}))
    line = [str(NVIM), "--headless", "--clean", "-c", f"luafile {script}"]
    subprocess.run(line, cwd=tmp_path, timeout=200, check=False, capture_output=True)
    said = json.loads(out.read_text())
    assert (said["code"], said["line"], said["left"]) == ("OLY104", 6, 0)
    assert "unsafe" in said["title"] and any("split" in line for line in said["text"])
