from __future__ import annotations

import hashlib
import io
import json
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import corpus
import packages
import pytest
import reading
from packages import CorpusError, Package, load_packages, unpack
from snapshot import (
    Review,
    Seen,
    compare,
    false_alarm_share,
    load_reviews,
    read_findings,
    refresh,
    save_reviews,
)

SOURCE = "a = normal(key)\nb = normal(key)\nb = normal(key)\n"


def raw(row: int, code: str = "OLY104", filename: str = "m.py") -> dict[str, Any]:
    return {
        "code": code,
        "message": f"reused in row {row}",
        "filename": filename,
        "location": {"row": row, "column": 5},
        "confidence": "likely",
        "related": [{"message": "first", "filename": filename, "location": {"row": 1, "column": 5}}],
    }


def found(folder: Path, *rows: dict[str, Any]) -> list[Seen]:
    return read_findings("demo", folder, json.dumps(rows))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "demo-1.0"
    folder.mkdir()
    (folder / "m.py").write_text(SOURCE)
    return folder


# Recognising a finding again.


def test_equal_rows_are_told_apart_by_occurrence(folder: Path) -> None:
    second, third = found(folder, raw(2), raw(3))
    assert (second.text, third.text) == ("b = normal(key)", "b = normal(key)")
    assert second.id != third.id


def test_a_finding_that_moved_is_the_same(folder: Path, tmp_path: Path) -> None:
    (before,) = found(folder, raw(2))
    moved = tmp_path / "demo-1.1"
    moved.mkdir()
    (moved / "m.py").write_text("import jax\n\n" + SOURCE)
    (after,) = found(moved, raw(4))
    assert (after.id, after.row) == (before.id, 4)


@pytest.mark.parametrize("other", [raw(1), raw(2, code="OLY108"), raw(2, filename="n.py")])
def test_another_text_rule_or_file_is_another_finding(folder: Path, other: dict[str, Any]) -> None:
    (folder / "n.py").write_text(SOURCE)
    assert found(folder, raw(2))[0].id != found(folder, other)[0].id


def test_filenames_are_relative_to_the_package(folder: Path) -> None:
    for spelled in ("m.py", "./m.py", str(folder / "m.py")):
        (finding,) = found(folder, raw(2, filename=spelled))
        assert (finding.file, finding.related) == ("m.py", (("m.py", 1),))


def test_rows_are_counted_as_editors_do(folder: Path) -> None:
    (folder / "m.py").write_bytes(b"s = '\x0c \xe2\x80\xa8'\r\nx = 1\r\n")
    assert found(folder, raw(2))[0].text == "x = 1"


# The snapshot.


def test_reviews_survive_a_round_trip(folder: Path, tmp_path: Path) -> None:
    reviews = [Review(finding, "intended", "Tests it.") for finding in found(folder, raw(3), raw(2))]
    save_reviews(tmp_path / "snapshot.jsonl", reviews)
    loaded = load_reviews(tmp_path / "snapshot.jsonl")
    assert list(loaded.values()) == reviews
    assert load_reviews(tmp_path / "none.jsonl") == {}


@pytest.mark.parametrize("line", ["{", "{}", "[]"])
def test_a_broken_snapshot_is_an_error_that_names_the_row(tmp_path: Path, line: str) -> None:
    (tmp_path / "snapshot.jsonl").write_text(line + "\n")
    with pytest.raises(ValueError, match=r"snapshot\.jsonl:1 is no review"):
        load_reviews(tmp_path / "snapshot.jsonl")


def test_an_unknown_mark_is_an_error(folder: Path, tmp_path: Path) -> None:
    save_reviews(tmp_path / "snapshot.jsonl", [Review(found(folder, raw(2))[0], "maybe", "?")])
    with pytest.raises(ValueError, match="the mark is 'maybe'"):
        load_reviews(tmp_path / "snapshot.jsonl")


def test_compare_and_refresh(folder: Path) -> None:
    kept, new = found(folder, raw(2), raw(3))
    lost = found(folder, raw(1))[0]
    elsewhere = Seen("feed", "other", "o.py", 1, "OLY104", "", "likely", "")
    reviews = {finding.id: Review(finding, "true", "Reuse.") for finding in (kept, lost, elsewhere)}
    changes = compare([kept, new], reviews, ["demo"])
    assert changes.unreviewed == [new]
    assert [review.finding for review in changes.gone] == [lost]
    assert set(refresh([kept, new], reviews, ["demo"])) == {kept.id, "feed"}


def test_the_share_of_false_alarms_leaves_possible_findings_out(folder: Path) -> None:
    def review(mark: str, confidence: str) -> Review:
        return Review(Seen("0", "demo", "m.py", 1, "OLY104", "", confidence, ""), mark, "")

    reviews = [review("true", "certain"), review("false-alarm", "likely"), review("false-alarm", "possible")]
    assert false_alarm_share(reviews) == 0.5
    assert false_alarm_share([]) == 0.0


def test_the_stored_snapshot_can_be_read_and_is_of_pinned_packages() -> None:
    names = {package.name for package in load_packages()}
    reviews = load_reviews(packages.HERE / "snapshot.jsonl").values()
    assert {review.finding.package for review in reviews} <= names
    assert all(review.sentence for review in reviews)


# Packages.


def test_the_pinned_list() -> None:
    pinned = load_packages()
    assert len(pinned) >= 12
    assert all(len(package.sha256) == 64 and package.version for package in pinned)
    assert [package.name for package in load_packages(["optax", "flax"])] == ["optax", "flax"]
    with pytest.raises(CorpusError, match=r"flaxx: not in corpus\.toml"):
        load_packages(["flaxx"])


def test_a_folder_is_found_whatever_its_spelling(tmp_path: Path) -> None:
    (tmp_path / "Dm_Haiku-0.0.17").mkdir()
    assert Package("dm-haiku", "0.0.17", "").folder(tmp_path).name == "Dm_Haiku-0.0.17"
    with pytest.raises(CorpusError, match=r"run `corpus\.py fetch`"):
        Package("dm-haiku", "0.0.18", "").folder(tmp_path)


def archive(path: Path, *members: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz") as sdist:
        for member in members:
            sdist.addfile(member, io.BytesIO(b"x" * member.size))
    return path


def member(name: str, **fields: Any) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size = 1
    for field, value in fields.items():
        setattr(info, field, value)
    return info


checks_archives = pytest.mark.skipif(
    not hasattr(tarfile, "data_filter"), reason="this Python unpacks archives without a check (3.11.4 and later do)"
)


@checks_archives
def test_unpack(tmp_path: Path) -> None:
    made = unpack(archive(tmp_path / "a.tar.gz", member("demo-1.0/a/b.py")), tmp_path)
    assert made == tmp_path / "demo-1.0"
    assert (made / "a/b.py").read_text() == "x"


def wheel(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    return path


@checks_archives
def test_a_wheel_gets_a_folder_of_its_own_and_nothing_gets_out_of_it(tmp_path: Path) -> None:
    files = {"a/b.py": "x", "../evil.py": "y", "/evil.py": "z"}
    made = unpack(wheel(tmp_path / "demo_kit-1.0-py3-none-any.whl", **files), tmp_path)
    assert made == tmp_path / "demo_kit-1.0"
    assert (made / "a/b.py").read_text() == "x"
    assert {path.name for path in tmp_path.iterdir()} == {"demo_kit-1.0", "demo_kit-1.0-py3-none-any.whl"}
    assert not list(tmp_path.parent.glob("evil.py"))


@checks_archives
@pytest.mark.parametrize(("most", "cut", "message"), [(3, None, "unpacks to more than"), (99, 9, "cannot be unpacked")])
def test_a_huge_or_damaged_wheel_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, cut: int | None, message: str
) -> None:
    monkeypatch.setattr(packages, "LARGEST_PACKAGE", most)
    path = wheel(tmp_path / "demo-1.0-py3-none-any.whl", **{"a.py": "four"})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(CorpusError, match=message):
        unpack(path, tmp_path)
    assert {each.name for each in tmp_path.iterdir()} == {path.name}


@checks_archives
@pytest.mark.parametrize(
    "bad",
    [
        member("../evil.py"),
        member("demo-1.0/../../evil.py"),
        member("demo-1.0/link", size=0, type=tarfile.SYMTYPE, linkname="/etc/passwd"),
        member("demo-1.0/link", size=0, type=tarfile.SYMTYPE, linkname="../../evil.py"),
        member("demo-1.0/device", size=0, type=tarfile.CHRTYPE),
        member("second/c.py"),
    ],
    ids=["parent", "dots", "absolute link", "link out", "device", "two folders"],
)
def test_unsafe_archives_leave_nothing_behind(tmp_path: Path, bad: tarfile.TarInfo) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    with pytest.raises(CorpusError):
        unpack(archive(tmp_path / "a.tar.gz", member("demo-1.0/a.py"), bad), cache)
    assert list(cache.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"a.tar.gz", "cache"}


def test_a_huge_archive_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "LARGEST_PACKAGE", 3)
    with pytest.raises(CorpusError, match="unpacks to more than"):
        unpack(archive(tmp_path / "a.tar.gz", member("demo-1.0/a.py", size=4)), tmp_path)


@pytest.mark.parametrize("cut", [0, 1, -20])
def test_a_damaged_archive_is_refused(tmp_path: Path, cut: int) -> None:
    path = archive(tmp_path / "a.tar.gz", member("demo-1.0/a.py", size=4000))
    path.write_bytes(path.read_bytes()[:cut] or b"not a tar file")
    with pytest.raises(CorpusError, match="cannot be unpacked"):
        unpack(tmp_path / "a.tar.gz", tmp_path)


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for pip that "downloads" an sdist; returns the sdist."""
    sdist = archive(tmp_path / "demo-1.0.tar.gz", member("demo-1.0/a.py"))

    def run(command: list[str], check: bool) -> Any:
        Path(command[command.index("--dest") + 1], sdist.name).write_bytes(sdist.read_bytes())
        return type("Done", (), {"returncode": 0})

    monkeypatch.setattr("packages.subprocess.run", run)
    return sdist


@checks_archives
def test_fetch_checks_the_pinned_digest(tmp_path: Path, pip: Path) -> None:
    cache = tmp_path / "cache"
    with pytest.raises(CorpusError, match="differs from the pinned SHA-256"):
        packages.fetch(Package("demo", "1.0", "0" * 64), cache)
    assert list(cache.iterdir()) == []
    pinned = Package("demo", "1.0", hashlib.sha256(pip.read_bytes()).hexdigest())
    assert packages.fetch(pinned, cache) == cache / "demo-1.0"
    pip.write_bytes(b"")
    assert packages.fetch(pinned, cache) == cache / "demo-1.0"


# The command, with a stand-in for the linter.


class Corpus:
    """A corpus of one package, and the findings that the stand-in will report."""

    def __init__(self, cache: Path, folder: Path) -> None:
        self.cache, self.folder = cache, folder
        self.snapshot = cache / "snapshot.jsonl"
        self.report([])

    def report(self, rows: list[dict[str, Any]], status: int = 1, errors: str = "") -> None:
        lines = ["#!" + sys.executable, "import sys", f"print({json.dumps(rows)!r})"]
        lines += [f"sys.stderr.write({errors!r})", f"sys.exit({status})"]
        linter = self.cache / "fake-lint"
        linter.write_text("\n".join(lines))
        linter.chmod(0o755)

    def run(self, command: str, *arguments: str) -> int:
        return corpus.main([command, "--cache", str(self.cache), "--snapshot", str(self.snapshot), *arguments])


@pytest.fixture
def demo(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    monkeypatch.setattr(corpus, "load_packages", lambda names=(): [Package("demo", "1.0", "")])
    monkeypatch.setattr(reading, "program", lambda name: str(tmp_path / "fake-lint"))
    return Corpus(tmp_path, folder)


def test_a_review_from_lint_to_summary(demo: Corpus, capsys: pytest.CaptureFixture[str]) -> None:
    demo.report([raw(2), raw(3)])
    assert demo.run("lint") == 1
    assert "2 findings, 2 without a review, 0 gone" in capsys.readouterr().out
    assert demo.run("review", "--lines", "0") == 1
    shown = capsys.readouterr().out
    assert "  >     1 a = normal(key)\n  >     2 b = normal(key)\n" in shown
    ids = [finding.id for finding in found(demo.folder, raw(2), raw(3))]
    assert all(id_ in shown for id_ in ids)

    assert demo.run("mark", *ids, "true", "The key is drawn from twice.") == 0
    assert demo.run("lint") == 0
    assert demo.run("review") == 0
    assert demo.run("summary") == 0
    assert "2 findings reviewed; false alarms among likely or better: 0.0%" in capsys.readouterr().out


def test_a_gone_finding_is_reported_and_forgotten_on_request(demo: Corpus, capsys: pytest.CaptureFixture[str]) -> None:
    demo.report([raw(2)])
    demo.run("lint")
    (id_,) = (finding.id for finding in found(demo.folder, raw(2)))
    demo.run("mark", id_, "true", "Reuse.")
    demo.report([], status=0)
    assert demo.run("lint") == 0
    assert f"gone {id_}" in capsys.readouterr().out
    assert len(load_reviews(demo.snapshot)) == 1
    demo.run("lint", "--update")
    assert load_reviews(demo.snapshot) == {}


def test_summary_fails_above_five_percent(demo: Corpus) -> None:
    demo.report([raw(2)])
    demo.run("lint")
    demo.run("mark", found(demo.folder, raw(2))[0].id, "false-alarm", "Another branch.")
    assert demo.run("summary") == 1


def test_a_failing_linter_is_an_error_that_hides_no_finding(demo: Corpus, capsys: pytest.CaptureFixture[str]) -> None:
    demo.report([raw(2)], status=2, errors="internal error in OLY104")
    assert demo.run("lint") == 2
    output = capsys.readouterr()
    assert "internal error in OLY104" in output.err
    assert "new  " in output.out


def test_a_linter_without_output_is_an_error(demo: Corpus, capsys: pytest.CaptureFixture[str]) -> None:
    (demo.cache / "fake-lint").write_text(f"#!{sys.executable}\nraise SystemExit('no rules')")
    assert demo.run("lint") == 2
    assert "olympus-lint ended with exit status 1\nno rules" in capsys.readouterr().err


def test_mark_refuses_an_unknown_id(demo: Corpus, capsys: pytest.CaptureFixture[str]) -> None:
    demo.run("lint")
    assert demo.run("mark", "0123456789", "true", "Why not.") == 2
    assert "no finding of the last run has the id 0123456789" in capsys.readouterr().err
    assert not demo.snapshot.exists()


def test_review_before_lint_says_what_to_do(demo: Corpus, capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.run("review") == 2
    assert "run `corpus.py lint` first" in capsys.readouterr().err


def test_excerpts_show_a_gap_and_the_edges(folder: Path) -> None:
    (folder / "m.py").write_text("\n".join(f"line {number}" for number in range(1, 10)))
    (finding,) = found(folder, raw(9))
    assert reading.excerpts(finding, folder, 1).splitlines() == [
        "  m.py",
        "  >     1 line 1",
        "        2 line 2",
        "        ...",
        "        8 line 8",
        "  >     9 line 9",
    ]
