"""Models in folders."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawwell.errors import ConfigurationError
from drawwell.providers import folders
from tests.providers.tiny import encoder

HOSTILE = [
    "..",
    "../other",
    "a/../b",
    "a/b/c",
    "/etc",
    "C:\\models",
    "a\\b",
    "a//b",
    "a/",
    "",
    "a b",
    "ä",
    "a\n",
    "a\x00",
    "con",
    "owner/NUL.txt",
    "trailing.",
    "-flag",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    """A name is one or two plain words that are folders on every system."""
    with pytest.raises(ConfigurationError, match="takes a name such as all-MiniLM-L6-v2 or owner/name"):
        folders.check_name(name)


@given(st.text(max_size=20))
def test_a_name_that_is_taken_stays_inside(name: str) -> None:
    """Whatever is taken is below the models, at most two folders down."""
    try:
        folders.check_name(name)
    except ConfigurationError:
        return
    place = Path("/models").joinpath(name)
    assert Path(os.path.normpath(place)) == place
    assert place.parent in (Path("/models"), Path("/models") / name.partition("/")[0])


def test_a_model_is_found_by_name_or_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name is of the models' folder; what begins with a slash, a dot or a tilde is a path. No other stands in."""
    folder = encoder(tmp_path / "models/owner/tiny")
    models = tmp_path / "models"
    monkeypatch.chdir(tmp_path)
    assert folders.find_folder("owner/tiny", models) == folder
    assert folders.find_folder(str(folder), Path("nowhere")) == folder
    assert folders.find_folder("./models/owner/tiny", Path("nowhere")).resolve() == folder
    encoder(models / "tiny")
    for name in ("other/tiny", "tiny2", "./tiny", "~/tiny"):
        with pytest.raises(ConfigurationError, match="there is no model"):
            folders.find_folder(name, models)


def test_where_models_are(home: Path) -> None:
    """What ``DRAWWELL_MODELS`` says, a tilde in it included; else in the user's cache."""
    assert folders.models_folder({"DRAWWELL_MODELS": "~/models"}) == home / "models"
    assert folders.models_folder({}).is_relative_to(home)


def test_a_manifest_knows_every_file(tmp_path: Path) -> None:
    """What is missing, of another size or of other content is named; sizes alone decide soundness."""
    folder = encoder(tmp_path / "m")
    assert folders.faults(folder) == ["there is no drawwell.json that says what its files are to be"]
    assert not folders.is_sound(folder)
    folders.write_manifest(folder, "a test")
    assert (folders.faults(folder), folders.is_sound(folder), folders.source(folder)) == ([], True, "a test")
    tokenizer = folder / "tokenizer.json"
    content = tokenizer.read_bytes()
    tokenizer.write_bytes(content[:-1] + b" ")
    assert folders.is_sound(folder)
    assert folders.faults(folder) == ["tokenizer.json is not what was fetched"]
    tokenizer.write_bytes(content + b" ")
    assert not folders.is_sound(folder)
    tokenizer.unlink()
    assert not folders.is_sound(folder)
    assert folders.faults(folder) == ["tokenizer.json is missing"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"files": 3}',
        '{"files": {"a": 1}}',
        "[" * 10_000,
        "\ufeff{}",
        '{"files": {"../x": {"bytes": 1}}}',
        '{"files": {"C:\\\\x": {"bytes": 1}}}',
        '{"files": {"/etc/hosts": {"bytes": 1}}}',
    ],
)
def test_a_manifest_that_cannot_be_right_is_none(tmp_path: Path, text: str) -> None:
    """Damaged or hostile, it says nothing, and the model is not sound."""
    (tmp_path / folders.MANIFEST).write_text(text, encoding="utf-8")
    assert folders.manifest(tmp_path) == {}
    assert not folders.is_sound(tmp_path)


@pytest.mark.parametrize("kept", [True, False])
def test_a_revision_changes_with_a_file(tmp_path: Path, kept: bool) -> None:
    """With a manifest or without, another content is another revision, though size and name are the same."""
    folder = encoder(tmp_path / "m")
    if kept:
        folders.write_manifest(folder, "a test")
    before = folders.revision(folder)
    assert folders.revision(folder) == before
    place = folder / "model.onnx"
    content = place.read_bytes()
    changed = content[:-1] + bytes([content[-1] ^ 1])
    place.write_bytes(changed)
    os.utime(place, ns=(0, (folder / "tokenizer.json").stat().st_mtime_ns + 10**10))
    after = folders.revision(folder)
    assert after != before
    place.write_bytes(content)
    assert folders.revision(folder) == before
    if kept:
        (folder / "note.json").write_text("{}")
        assert folders.revision(folder) == before
    place.unlink()
    assert folders.revision(folder) not in (before, after)


def test_the_models_that_are_there(tmp_path: Path) -> None:
    """Whole ones only, by name; drafts and locks are none."""
    assert folders.present(tmp_path / "nowhere") == []
    for name in ("b", "owner/a", ".getting-x/new"):
        folders.write_manifest(encoder(tmp_path / name), "a test")
    encoder(tmp_path / "no-manifest")
    assert [name for name, _ in folders.present(tmp_path)] == ["b", "owner/a"]


def test_a_value_of_a_file(tmp_path: Path) -> None:
    """What is not there, or in no file that can be read, is None."""
    (tmp_path / "a.json").write_text(json.dumps({"x": 1}))
    (tmp_path / "b.json").write_text("[1]")
    assert [
        folders.config_value(tmp_path, *place) for place in (("a.json", "x"), ("a.json", "y"), ("b.json", "x"))
    ] == [
        1,
        None,
        None,
    ]


def test_names_that_no_folder_can_have_are_told(tmp_path: Path) -> None:
    """A name too long for the system is of no model here."""
    with pytest.raises(ConfigurationError, match="there is no model"):
        folders.find_folder("a" * 5000, tmp_path)


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_a_manifest_with_impossible_names(tmp_path: Path, name: str) -> None:
    """A model whose manifest names what no file can be called is not sound, and has a revision all the same."""
    text = json.dumps({"source": "\x1b[31mred\n", "files": {name: {"bytes": 1, "sha256": "0"}}})
    (tmp_path / folders.MANIFEST).write_text(text, encoding="utf-8")
    assert not folders.is_sound(tmp_path)
    assert folders.faults(tmp_path)
    assert len(folders.revision(tmp_path)) == 12
    assert folders.source(tmp_path) == "[31mred"
