"""Bytes to text: byte order marks, strict UTF-8, a declared encoding, and at last a guess.

Newlines stay as they are. Every character of the result can be written as UTF-8. A NUL becomes U+FFFD.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from drawwell.errors import UnreadableFile

__all__ = ["Decoded", "decode"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # ahead of UTF-16, whose mark begins alike
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"PK\x03\x04", b"%PDF-", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00",
    b"7z\xbc\xaf\x27\x1c", b"\x7fELF", b"MZ\x90\x00", b"SQLite format 3\x00", b"\xca\xfe\xba\xbe", b"\xd0\xcf\x11\xe0",
    b"OggS", b"ID3", b"\x00\x00\x01\x00", b"wOFF", b"wOF2",
)  # fmt: skip
_CONTROL = bytes(sorted({*range(32), 127} - set(b"\t\n\r\f\x1b\b")))
_HIGH_LINE = re.compile(rb"[^\n\x80-\xff]*[\x80-\xff][^\n]*")
_COOKIE = re.compile(rb"coding[:=][ \t]*([-\w.]{2,30})")
_SAMPLE = 32_768
_WESTERN = "cp1252"
_LATIN = ["cp1252", "cp1250", "cp1254", "cp1257", "iso8859_2"]
_OTHERS = ["cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1251", "koi8_r", "cp866", "cp1253", "cp1255", "cp1256"]
# What bytes above 127 mean in Western European text: its letters, and the marks that word processors set.
_WESTERN_BYTES = bytes([*range(0xC0, 0x100)]) + "€‚„…†‡‰‹‘’“”•–—™›Œœ\xa0¡£§©«®°±´µ·»¿ªº".encode("cp1252")
# Bytes that are letters of other Latin alphabets, and seldom or never used in Western European words.
_EASTERN_BYTES = bytes.fromhex("8a8d8e8f9a9d9e9f a3a5aaafb3b9babc be f0fdfedd")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
# fmt: off
_DECLARABLE = frozenset(codecs.lookup(name).name for name in [
    *_LATIN, *_OTHERS, "iso8859-5", "iso8859-7", "iso8859-9", "iso8859-15", "shift_jis", "gbk", "gb2312", "big5hkscs",
    "euc_kr", "iso2022_jp", "mac-roman", "cp437", "cp850", "cp852", "cp874", "cp1258", "koi8-u", "tis-620",
])
# fmt: on


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text of a file.

    Attributes:
        text: the text, without its byte order mark.
        encoding: what it was read with, as Python names it.
        warnings: what was replaced or guessed.
    """

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, declared: str = "") -> Decoded:
    """Decodes a text file.

    Args:
        data: the file's bytes.
        declared: the encoding that the file names itself; believed when it is not UTF-8 and this can read it.

    Raises:
        UnreadableFile: the bytes are no text.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark) and _fits(data, mark, encoding):
            return _replacing(data[len(mark) :], encoding)
    if data.startswith(_MAGIC):
        raise _binary()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _other(data, declared or _cookie(data))
    wide = _wide(data)
    if wide:
        return _replacing(data, wide)
    if _control_share(data) > 0.3:
        raise _binary()
    return _finish(text, "utf-8")


def _binary() -> UnreadableFile:
    return UnreadableFile("binary data, not text", "Exclude it with an ignore file, or give it its right suffix")


def _replacing(data: bytes, encoding: str, *warnings: str) -> Decoded:
    """Decodes with U+FFFD for what cannot be read, and says so."""
    text = data.decode(encoding, "replace")
    lost = text.count("\ufffd")
    if lost:
        try:
            data.decode(encoding)
        except UnicodeDecodeError:
            warnings = (*warnings, f"characters that are not valid {encoding} replaced: {lost}")
    return _finish(text, encoding, *warnings)


def _finish(text: str, encoding: str, *warnings: str) -> Decoded:
    notes = list(warnings)
    nuls = text.count("\0")
    if nuls > max(16, len(text) // 3):
        raise _binary()
    if nuls:
        text = text.replace("\0", "\ufffd")
        notes.append(f"NUL characters replaced: {nuls}")
    return Decoded(text, encoding, tuple(notes))


def _fits(data: bytes, mark: bytes, encoding: str) -> bool:
    """Whether a mark that could be another's beginning is meant."""
    if not encoding.startswith("utf-32"):
        return True
    try:
        data[len(mark) : len(mark) + 4096].decode(encoding)
    except UnicodeDecodeError:
        return False
    return len(data) % 4 == 0


def _wide(data: bytes) -> str:
    """UTF-16 without its mark: every other byte of text in Latin letters is NUL."""
    sample = data[:_SAMPLE]
    if len(data) % 2 or sample.count(0) * 5 < len(sample) or not sample:
        return ""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > 9 * even:
        return "utf-16-le"
    return "utf-16-be" if even > 9 * odd else ""


def _control_share(data: bytes) -> float:
    """Share of control characters among the bytes, of a sample from the start, the middle and the end."""
    middle = len(data) // 2
    sample = data if len(data) <= 3 * _SAMPLE else data[:_SAMPLE] + data[middle : middle + _SAMPLE] + data[-_SAMPLE:]
    return (len(sample) - len(sample.translate(None, _CONTROL))) / max(len(sample), 1)


def _cookie(data: bytes) -> str:
    """The encoding named in an editor's comment on the first two lines."""
    head = b"\n".join(data[:400].split(b"\n")[:2])
    found = _COOKIE.search(head)
    return found[1].decode("ascii", "ignore") if found else ""


def _known(name: str) -> str:
    """Python's name of a declared encoding; empty when we do not read it."""
    try:
        known = codecs.lookup(name.strip().lower()).name
    except (LookupError, ValueError):
        return ""
    if known in {"iso8859-1", "ascii"}:
        return _WESTERN  # as browsers have it
    return known if known in _DECLARABLE else ""


def _other(data: bytes, declared: str) -> Decoded:
    """Bytes that are not UTF-8."""
    known = _known(declared) if declared else ""
    if known:
        try:
            return _finish(data.decode(known), known)
        except UnicodeDecodeError:
            pass  # it is not what it says
    if _control_share(data) > 0.05:
        raise _binary()
    damaged = data.decode("utf-8", "replace")
    wrong = damaged.count("\ufffd")
    right = len(damaged) - wrong - sum(map(len, re.findall("[\0-\x7f]+", damaged)))
    if right >= 4 * wrong:
        return _replacing(data, "utf-8")
    encoding = _guess(data)
    return _replacing(data, encoding, f"not UTF-8, read as {encoding} by a guess")


def _guess(data: bytes) -> str:
    """The likeliest encoding of bytes that are not UTF-8, judged by the lines that are not ASCII."""
    sample = bytearray()
    for found in _HIGH_LINE.finditer(data):
        line = found[0]
        if len(line) > _SAMPLE:  # cut where no encoding has the inside of a character
            line = line[: max(line.rfind(b" ", 0, _SAMPLE), line.rfind(b"\t", 0, _SAMPLE), 0) or _SAMPLE]
        sample += line + b"\n"
        if len(sample) >= _SAMPLE:
            break
    latin = _looks_latin(sample)
    if latin and not _looks_eastern(sample):
        return _WESTERN
    if latin and _looks_turkish(sample):
        return "cp1254"
    candidates = _LATIN if latin else _OTHERS
    from charset_normalizer import from_bytes  # few files need it, and it takes its time to load

    # The threshold is high because markup and English words among other scripts count as noise.
    matches = from_bytes(bytes(sample), cp_isolation=candidates, threshold=0.9, preemptive_behaviour=False)
    best = matches.best()
    if best is not None:
        return codecs.lookup(best.encoding).name
    if _control_share(data) > 0:
        raise _binary()
    return _WESTERN


def _looks_latin(sample: bytes | bytearray) -> bool:
    """Whether the high bytes stand singly among ASCII letters, as accents do, and hardly any of them is odd."""
    runs = _HIGH_RUN.findall(sample)
    high = b"".join(runs)
    visible = len(b"".join(sample.split()))
    odd = len(high.translate(None, _WESTERN_BYTES + _EASTERN_BYTES))
    return len(high) < 2.2 * len(runs) and len(high) < 0.35 * visible and odd <= 0.1 * len(high)


def _looks_eastern(sample: bytes | bytearray) -> bool:
    """Whether a good part of the accents are of other alphabets than those of Western Europe."""
    high = b"".join(_HIGH_RUN.findall(sample))
    return len(high) - len(high.translate(None, _EASTERN_BYTES)) > 0.08 * len(high)


def _looks_turkish(sample: bytes | bytearray) -> bool:
    """Whether the accents are those of Turkish, many dotless i among them, and not of Icelandic or Czech."""
    own, foreign = b"\xf0\xfd\xfe\xdd\xde\xd0", b"\xe1\xed\xf3\xec\xe8\xf8"
    high = b"".join(_HIGH_RUN.findall(sample))
    share = len(high) - len(high.translate(None, own))
    return share > 0.15 * len(high) and share > 3 * (len(high) - len(high.translate(None, foreign)))
