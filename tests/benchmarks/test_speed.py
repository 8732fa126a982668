"""The clock, the files that are measured, the commands, and what is made of the numbers."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import chart
import keystrokes
import pytest
import rivals
import samples
import speed
import timing
from packages import CorpusError
from timing import Command, Run

from olympus_lint.project.discovery import SourceFile
from olympus_lint.project.settings import Settings
from olympus_lint.run.context import Mode
from olympus_lint.run.runner import check_files

ROOT = Path(__file__).parents[2]
BUSY = "import time\nwhile time.process_time() < 0.2: pass\nb = bytearray(1 << 26)"

# the clock


def test_measure_counts_the_work_of_the_child() -> None:
    run = timing.measure(Command([sys.executable, "-c", BUSY]))
    assert run.cpu >= 0.2
    assert run.wall >= 0.2
    assert 64 <= run.peak < 1024


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process whose parent has ended has another one")
def test_measure_counts_processes_that_outlive_the_child() -> None:
    run = timing.measure(Command(["sh", "-c", '"$@" & exit 0', "sh", sys.executable, "-c", BUSY]))
    assert run.cpu >= 0.2 and run.peak >= 64


def test_measure_reports_a_failing_command() -> None:
    failing = [sys.executable, "-c", "import sys; sys.stderr.write('no such thing'); sys.exit(3)"]
    with pytest.raises(CorpusError, match=r"exit status 3: no such thing"):
        timing.measure(Command(failing))
    assert timing.measure(Command(failing, statuses=(0, 3))).wall > 0


def test_measure_leaves_no_process_when_it_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(number: int, _: int) -> None:
        started.append(number)
        raise KeyboardInterrupt

    started: list[int] = []
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt) as caught:
        patch.setattr(timing.os, "wait4", interrupted)
        timing.measure(Command([sys.executable, "-c", "import time; time.sleep(600)"]))
    _, status = timing.os.waitpid(started[0], 0)
    del caught  # it has kept the process object, which waits for its process when it is deleted
    assert timing.os.waitstatus_to_exitcode(status) == -9


def test_rounds_are_interleaved_and_the_filling_of_caches_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def measure(command: Command) -> Run:
        ran.append(command.words[0])
        return Run(wall=len(ran), cpu=0.5, peak=1.0)

    monkeypatch.setattr(timing, "measure", measure)
    runs = timing.interleave({"one": Command(["1"]), "two": Command(["2"])}, rounds=3, first=["two"])
    assert ran == ["2", *["1", "2"] * 3]
    assert (runs["one"].wall, runs["two"].wall) == (4, 5)


def test_medians_are_taken_of_each_quantity() -> None:
    assert timing.median_of([Run(1, 9, 5), Run(2, 8, 4), Run(6, 7, 3)]) == Run(2, 8, 4)


# the files


def test_the_made_up_repository_has_one_reuse_for_each_full_package(tmp_path: Path) -> None:
    samples.write_repository(tmp_path / "large", 250)
    files = samples.python_files([tmp_path / "large"])
    assert len(files) == 250
    assert len(samples.with_keys(files)) == 5 + 5 + 3
    results = list(check_files([SourceFile(str(path), Settings()) for path in files], Mode.CHECK, 1))
    found = [(Path(each.filename).name, [finding.code for finding in each.findings]) for each in results]
    assert [each for each in found if each[1]] == [("part81.py", ["OLY104"])] * 2


def test_imports_in_the_made_up_repository_lead_somewhere(tmp_path: Path) -> None:
    samples.write_repository(tmp_path / "large", 250)
    imported = 0
    for path in samples.python_files([tmp_path / "large"]):
        for module, name in re.findall(r"^from (pkg\S+) import (\w+)", path.read_text(), re.M):
            source = tmp_path / "large" / (module.replace(".", "/") + ".py")
            assert f"def {name}(" in source.read_text()
            imported += 1
    assert imported > 200


def test_copies_for_torchfix_differ_in_the_word_only(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import jax\n")
    (copy,) = samples.torch_copies([tmp_path / "a.py"], tmp_path)
    assert copy.read_text() == "import torch\n"


def test_parsing_walks_folders_and_survives_bad_files(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("x = 1\n")
    (tmp_path / "bad.py").write_text("x = (\n")
    (tmp_path / "null.py").write_bytes(b"\0")
    for text in (speed.READ_ALL, speed.PARSE_ALL, speed.LIBCST_ALL):
        timing.measure(speed.script(text, tmp_path, tmp_path / "good.py"))


# the other linters


def test_a_linter_is_installed_once_for_its_requirements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        (tmp_path / "pylint").mkdir(exist_ok=True)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    assert rivals.environment("pylint", tmp_path) == rivals.environment("pylint", tmp_path)
    assert [command[2] for command in ran] == ["venv", "pip"]
    monkeypatch.setitem(rivals.REQUIREMENTS, "pylint", ("pylint==99",))
    rivals.environment("pylint", tmp_path)
    assert ran[-1][-1] == "pylint==99"


def test_a_linter_that_cannot_be_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = subprocess.CompletedProcess([], 1, "", "no network")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(CorpusError, match="fixit cannot be installed: no network"):
        rivals.environment("fixit", tmp_path)


# edits


def test_an_edit_is_a_statement_between_others() -> None:
    text = "x = (\n    1,\n    2,\n)\ny = '''\n\n'''\n"
    assert ast.unparse(ast.parse(keystrokes.edited(text, 7))).splitlines()[1] == "edited = 7"
    assert keystrokes.edited("", 7) == "edited = 7\n"


def test_edits_are_timed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(speed.SMALL_FILE)
    check, parse = keystrokes.costs(tmp_path / "a.py", 3)
    assert 0 < parse < check


# the numbers


def measured(**seconds: float) -> dict[str, dict[str, float]]:
    return {name: {"wall": each, "cpu": each, "peak": 50} for name, each in seconds.items()}


PARTS = {
    "corpus": {
        **{"date": "2000-01-01", "what": "9 files, 1 MB; and more", "rounds": 5, "machine": "a fast one"},
        "runs": measured(**{speed.PARSE: 2, speed.OURS: 6, speed.RUFF: 1, speed.WARM: 0.8, speed.ALONE: 1.2})
        | measured(**{speed.CHANGED: 3}),
    },
    "slow": {
        **{"date": "2000-01-02", "what": "every 6th file: 2 files", "rounds": 3, "machine": "a slow one"},
        "runs": measured(**{speed.PARSE: 1, speed.OURS: 4, speed.RUFF: 2, speed.FIXIT: 120}),
    },
}


def test_aims_are_told_with_what_was_measured() -> None:
    told = speed.aims(PARTS)
    assert "olympus-lint / ast.parse, cpu: 3.00 (aim: at most 2.5)" in told
    assert "olympus-lint / ruff, cpu: 6.00 (aim: at most 4)" in told
    assert "olympus-lint / fixit, one rule, cpu: 1/30.0 (aim: at most 1/40)" in told
    assert "on all files / fixit, one rule, by way of ast.parse on each: 1/40.0" in told
    assert "that file alone), cpu: 1.50 (aim: at most 1.3)" in told
    assert "peak: 50 MiB (aim: at most 200)" in told
    assert "8 copies" not in told and speed.aims({}) == ""


def test_the_table_compares_with_the_parser_where_it_ran() -> None:
    rows = speed.table({speed.OURS: Run(3.0, 2.0, 50.0), speed.PARSE: Run(2.0, 1.0, 25.0)}).splitlines()
    assert rows[1].split() == ["olympus-lint", "3.000", "2.000", "50.0", "2.00"]
    assert speed.table({speed.OURS: Run(3.0, 2.0, 50.0)}).splitlines()[0].split()[-1] == "MiB"


def test_the_picture_has_a_bar_for_each_command_in_the_order_of_their_times() -> None:
    picture = ElementTree.fromstring(speed.picture(PARTS))
    space = "{http://www.w3.org/2000/svg}"
    widths = [float(bar.attrib["width"]) for bar in picture.iter(f"{space}rect")]
    texts = [text.text for text in picture.iter(f"{space}text")]
    assert texts[1:11:2] == [speed.WARM, speed.RUFF, speed.CHANGED, speed.OURS, speed.FIXIT]
    assert texts[2:11:2] == ["0.4", "0.5", "1.5", "3", "120"]
    assert widths == sorted(widths) and widths[0] > 0
    steps = [widths[number] - widths[0] for number in (3, 4)]
    assert steps[1] / steps[0] == pytest.approx(2.477 / 0.875, rel=0.02)  # logarithms of 300 and of 7.5
    assert texts[11:] == [
        "corpus: 9 files, 1 MB, 5 rounds, 2000-01-01, a fast one",
        "slow: every 6th file: 2 files, 3 rounds, 2000-01-02, a slow one",
    ]


def test_the_picture_of_the_pages_shows_their_numbers() -> None:
    numbers = json.loads((ROOT / "docs" / "speed.json").read_text("utf-8"))
    assert (ROOT / "docs" / "speed.svg").read_text("utf-8") == speed.picture(numbers)


def test_names_in_a_picture_may_have_signs_of_xml() -> None:
    assert ElementTree.fromstring(chart.drawn({"a < b & c": 2.0}, "x > y")) is not None


def test_the_command_measures_parts_and_keeps_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package, output = tmp_path / "package", tmp_path / "speed.json"
    package.mkdir()
    (package / "a.py").write_text(speed.SMALL_FILE)
    output.write_text(json.dumps({"slow": PARTS["slow"]}))
    options = ["--rounds", "1", "--files", "30", "--folders", str(package), "--output", str(output)]
    assert speed.main([*options, "--parts", "corpus", "large", "editor"]) == 0
    kept = json.loads(output.read_text())
    assert kept["slow"] == PARTS["slow"] and kept["corpus"]["what"].startswith("1 files, ")
    assert kept["corpus"]["runs"][speed.WARM]["cpu"] < kept["corpus"]["runs"][speed.OURS]["cpu"]
    assert kept["large"]["what"].startswith("30 files") and speed.CHANGED in kept["large"]["runs"]
    assert kept["editor"]["runs"].keys() == {speed.EDITED, speed.PARSE}
    assert speed.FIXIT in output.with_suffix(".svg").read_text()
    assert (package / "a.py").read_text() == speed.SMALL_FILE
    assert "olympus-lint / ast.parse, cpu:" in capsys.readouterr().out


def test_what_cannot_be_measured_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    assert speed.main(["--folders", str(tmp_path), "--parts", "corpus"]) == 2
    assert "speed.py: none of the files can hold a key; choose other packages" in capsys.readouterr().err
