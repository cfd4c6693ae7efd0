"""The settings in force: precedence, provenance, and every fault named with its place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from drawwell.configuration import gather_settings, load_settings, user_file
from drawwell.errors import ArgumentError, ConfigurationError


def write(path: Path, text: str) -> Path:
    """A file with this text, its folders made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_nothing_set_gives_defaults_and_makes_nothing(home: Path, tmp_path: Path) -> None:
    """Without any source each value is its default, and loading makes no file and no folder."""
    found = load_settings(tmp_path).find("section_max_chars")
    assert (found.value, found.source) == (2000, "default")
    assert list(home.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


def test_precedence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Flag, environment, env file, project files and user file, in this order, each named as the source."""
    name = "section_max_chars"
    env_file = tmp_path / "settings.env"
    steps = [
        (lambda: write(user_file(), f"{name} = 301"), 301, "config.toml"),
        (
            lambda: write(tmp_path / "pyproject.toml", f"[tool.contextpull]\n{name} = 302"),
            302,
            "[tool.contextpull] in pyproject.toml",
        ),
        (
            lambda: write(
                tmp_path / "pyproject.toml", f"[tool.contextpull]\n{name} = 302\n[tool.drawwell]\n{name} = 303"
            ),
            303,
            "[tool.drawwell] in pyproject.toml",
        ),
        (lambda: write(tmp_path / "drawwell.toml", f"{name} = 304"), 304, "drawwell.toml"),
        (lambda: write(env_file, f"CONTEXTPULL_{name.upper()}=305"), 305, "settings.env"),
        (lambda: monkeypatch.setenv("CONTEXTPULL_SECTION_MAX_CHARS", "306"), 306, "CONTEXTPULL_SECTION_MAX_CHARS"),
        (lambda: monkeypatch.setenv("DRAWWELL_SECTION_MAX_CHARS", "307"), 307, "DRAWWELL_SECTION_MAX_CHARS"),
    ]
    for step, value, source in steps:
        step()
        found = load_settings(tmp_path, env_file=env_file if env_file.exists() else None).find(name)
        assert found.value == value
        assert source in found.source
    found = load_settings(tmp_path, {name: 308}).find(name)
    assert (found.value, found.source) == (308, "--max-chars")
    assert load_settings(tmp_path, {name: None}).find(name).value == 307


def test_only_the_root_is_looked_at(tmp_path: Path) -> None:
    """A project file above or below the corpus root does not count."""
    write(tmp_path / "pyproject.toml", "[tool.drawwell]\nsection_max_chars = 300")
    write(tmp_path / "docs" / "deep" / "drawwell.toml", "section_max_chars = 301")
    assert load_settings(tmp_path / "docs").find("section_max_chars").value == 2000


@pytest.mark.parametrize("text", ["1e3", "ten", "12.5", "0", "-1"])
def test_cl_02_bad_variable_is_named_and_stops_only_its_users(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """CL-02: the variable, its value and what it takes are named, and only when the setting is asked for."""
    monkeypatch.setenv("DRAWWELL_SECTION_MAX_CHARS", text)
    settings = load_settings()
    assert settings.whole("section_min_chars") == 40
    with pytest.raises(ConfigurationError) as caught:
        settings.whole("section_max_chars")
    for part in ("section_max_chars", repr(text), "DRAWWELL_SECTION_MAX_CHARS", "a whole number from 100"):
        assert part in str(caught.value)


def test_bad_value_of_the_caller_is_an_argument_error() -> None:
    """What the caller gave is the caller's fault: usage, not configuration."""
    with pytest.raises(ArgumentError, match="section_max_chars: got 0, takes a whole number from 100"):
        load_settings(given={"section_max_chars": 0}).find("section_max_chars")
    with pytest.raises(ArgumentError, match="Did you mean section_max_chars"):
        load_settings(given={"section_max_char": 300})


def test_unknown_key_names_the_nearest(tmp_path: Path) -> None:
    """An unknown key of our own table is an error that offers the nearest one."""
    write(tmp_path / "pyproject.toml", "[tool.drawwell]\nsection-max-char = 300")
    with pytest.raises(ConfigurationError, match=r"section-max-char is not a setting\. Did you mean section_max_chars"):
        load_settings(tmp_path)


def test_all_wrong_keys_are_named_at_once(tmp_path: Path) -> None:
    """Every key that is no setting is named, with the nearest ones or where the settings are listed."""
    write(tmp_path / "drawwell.toml", "section_max_char = 1\nzzz = 2\nhost = 'x'\nport = 1")
    with pytest.raises(ConfigurationError) as caught:
        load_settings(tmp_path)
    for part in (
        "section_max_char, zzz are not settings",
        "Did you mean section_max_chars for section_max_char? drawwell config lists the settings",
        "host, port cannot be set by a project",
        "Set DRAWWELL_HOST, DRAWWELL_PORT or write to",
    ):
        assert part in str(caught.value)
    write(tmp_path / "drawwell.toml", "zzz = 2\nsection_max_chars = 300")
    with pytest.raises(ConfigurationError, match=r"zzz is not a setting\. drawwell config lists the settings"):
        load_settings(tmp_path)
    gathered = gather_settings(tmp_path)
    assert gathered.whole("section_max_chars") == 300
    assert len(gathered.faults) == 1


def test_unknown_variables_are_warnings(tmp_path: Path) -> None:
    """Only names with our prefix count, from the environment and from the file of ``--env-file``."""
    env_file = write(tmp_path / "x.env", "DRAWWELL_PROT=1\nOTHER=2\n")
    found = load_settings(env_file=env_file, environment={"DRAWWELL_TOKEN": "x", "CONTEXTPULL_X": "y", "DRAWWELL_": ""})
    assert len(found.warnings) == 2
    assert "did you mean DRAWWELL_PORT?" in found.warnings[0]
    assert "DRAWWELL_ in the environment is not a setting: drawwell config lists the settings" in found.warnings[1]


def test_dashes_are_underscores(tmp_path: Path) -> None:
    """Keys may be written with dashes."""
    write(tmp_path / "drawwell.toml", "section-max-chars = 300\nrespect-gitignore = false")
    settings = load_settings(tmp_path)
    assert settings.whole("section_max_chars") == 300
    assert not settings.enabled("respect_gitignore")


def test_unknown_key_of_the_seeds_table_is_a_warning(tmp_path: Path) -> None:
    """Keys of [tool.contextpull] that mean nothing here are said and skipped."""
    write(tmp_path / "pyproject.toml", '[tool.contextpull]\nsummarizer = "x:y"\nsection_max_chars = 300')
    settings = load_settings(tmp_path)
    assert settings.whole("section_max_chars") == 300
    assert [warning for warning in settings.warnings if "summarizer" in warning]


@pytest.mark.parametrize("name", ["host", "token", "store"])
def test_a_project_cannot_reach_out(name: str, tmp_path: Path) -> None:
    """A cloned project cannot open the server to others, nor choose where files are written."""
    write(tmp_path / "pyproject.toml", f'[tool.drawwell]\n{name} = "x"')
    with pytest.raises(ConfigurationError, match=f"{name} cannot be set by a project"):
        load_settings(tmp_path)
    write(user_file(), f'{name} = "x"')
    (tmp_path / "pyproject.toml").unlink()
    assert load_settings(tmp_path).text(name) == "x"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[tool.drawwell]\nsection_max_chars = \n", r"pyproject.toml is not valid TOML: .*line 2"),
        (b"[tool]\ndrawwell = 5\n", r"\[tool.drawwell\] in pyproject.toml: got 5"),
        (b"name = '\xff'", r"pyproject.toml is not UTF-8"),
    ],
)
def test_a_broken_project_file_is_named(content: bytes, said: str, tmp_path: Path) -> None:
    """A file that cannot be read as TOML is named, with the line."""
    (tmp_path / "pyproject.toml").write_bytes(content)
    with pytest.raises(ConfigurationError, match=said):
        load_settings(tmp_path)


def test_a_folder_in_place_of_a_file_is_named(tmp_path: Path) -> None:
    """What cannot be opened is a configuration error with the file's name, never a traceback."""
    (tmp_path / "drawwell.toml").mkdir()
    with pytest.raises(ConfigurationError, match=r"drawwell.toml cannot be read"):
        load_settings(tmp_path)


@pytest.mark.parametrize("name", ["pyproject.toml", "drawwell.toml", "config.toml"])
def test_a_pipe_or_a_device_is_never_read(name: str, tmp_path: Path) -> None:
    """A pipe in place of a settings file would be waited for, a device never ends: both are named instead."""
    place = user_file() if name == "config.toml" else tmp_path / name
    place.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(place)
    with pytest.raises(ConfigurationError, match=rf"{name} cannot be read: it is not a regular file"):
        load_settings(tmp_path)
    place.unlink()
    place.symlink_to("/dev/zero")
    with pytest.raises(ConfigurationError, match=rf"{name} (cannot be read: it is not a|is a link that leads out)"):
        load_settings(tmp_path)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    """More than a megabyte is nobody's settings."""
    write(tmp_path / "drawwell.toml", "#" * 1_000_001)
    with pytest.raises(ConfigurationError, match="more than 1,000,000 bytes"):
        load_settings(tmp_path)


def test_a_link_counts_inside_of_the_project_only(tmp_path: Path) -> None:
    """A project's file may be a link to another of its files, and not to one of the machine it was cloned to."""
    root = tmp_path / "project"
    write(tmp_path / "outside.toml", "section_max_chars = 301")
    write(root / "conf" / "inside.toml", "section_max_chars = 302")
    (root / "drawwell.toml").symlink_to("conf/inside.toml")
    assert load_settings(root).whole("section_max_chars") == 302
    (root / "drawwell.toml").unlink()
    (root / "drawwell.toml").symlink_to("../outside.toml")
    with pytest.raises(ConfigurationError, match="leads out of"):
        load_settings(root)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a = " + "9" * 5000, "too long"),
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("[tool]\ndrawwell = 0x" + "f" * 5000, "takes a table"),
        ("[tool.drawwell]\nsection_max_chars = 0x" + "f" * 5000, "takes a whole number"),
        ("[tool.drawwell]\nwait-seconds = 1", "cannot be set by a project"),
    ],
    ids=["number", "nesting", "number for a table", "huge value", "reaching out"],
)
def test_a_hostile_project_file_is_named(content: str, said: str, tmp_path: Path) -> None:
    """What the reader of TOML itself cannot take is a fault of the file like any other."""
    write(tmp_path / "pyproject.toml", content)
    with pytest.raises(ConfigurationError, match=said) as caught:
        load_settings(tmp_path).whole("section_max_chars")
    assert len(str(caught.value)) < 1000


def test_byte_order_mark_and_other_tools_are_fine(tmp_path: Path) -> None:
    """A BOM is allowed, other tools' tables and a ``tool`` that is no table do not matter."""
    (tmp_path / "drawwell.toml").write_bytes(b"\xef\xbb\xbfsection_max_chars = 300")
    write(tmp_path / "pyproject.toml", "tool = 3")
    assert load_settings(tmp_path).whole("section_max_chars") == 300


def test_empty_variable_counts_as_unset_but_for_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty variable is no value, except where empty means something."""
    monkeypatch.setenv("DRAWWELL_SECTION_MAX_CHARS", " ")
    monkeypatch.setenv("DRAWWELL_INSTRUCTIONS", "")
    settings = load_settings()
    assert settings.whole("section_max_chars") == 2000
    assert settings.is_set("instructions")
    assert settings.text("instructions") == ""
    assert not load_settings(environment={}).is_set("instructions")


def test_secret_is_not_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A bad secret is refused without being printed."""
    write(user_file(), "token = 12345678")
    with pytest.raises(ConfigurationError) as caught:
        load_settings().text("token")
    assert "12345678" not in str(caught.value)


def test_env_file_lines(tmp_path: Path) -> None:
    """Comments, ``export``, quotes and spaces are understood; a line that is none of these is named."""
    env_file = write(
        tmp_path / "x.env",
        "# settings\n\nexport DRAWWELL_PORT = 9000\nDRAWWELL_HOST='::1'\nOTHER=1\n",
    )
    settings = load_settings(env_file=env_file)
    assert settings.whole("port") == 9000
    assert settings.text("host") == "::1"
    write(env_file, "DRAWWELL_PORT=1\nnonsense\n")
    with pytest.raises(ConfigurationError, match="line 2"):
        load_settings(env_file=env_file)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_settings(env_file=tmp_path / "none.env")


def test_a_dotenv_is_not_read_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cloned project's .env changes nothing unless it is named."""
    write(tmp_path / ".env", "DRAWWELL_SECTION_MAX_CHARS=300")
    monkeypatch.chdir(tmp_path)
    assert load_settings(tmp_path).whole("section_max_chars") == 2000
