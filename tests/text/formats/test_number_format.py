"""Number formats of spreadsheets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawwell.text.formats.number_format import formatter

CASES = [
    ("General", 1234567.0, "1234567"), ("General", 1e20, "1e+20"), ("@", 5, "5"), ("# ?/?", 0.5, "0.5"),
    ("0%", 0.155, "16%"), ("0.00%", 0, "0.00%"), ("0.00", 1.005, "1.01"), ("0.00", -0.001, "0.00"), ("0.##", 2, "2"),
    ("0.##", 1.5, "1.5"), ("0.0#", 2, "2.0"), ("#,##0.00", 1234567.891, "1,234,567.89"), ("#,##0,", 12345678, "12,346"),
    ('0.0,,"M"', 12345678, "12.3M"), ("0.00E+00", 12345, "1.23E+04"), ("00000", 123, "00123"),
    ("000-00-0000", 123456789, "123-45-6789"), ("(000) 000-0000", 5551234567, "(555) 123-4567"),
    ('"$"#,##0.00', 12.5, "$12.50"), ("[$€-407] #,##0.00", 5, "€ 5.00"), ("[$-409]0.0", 5, "5.0"),
    ('_-* #,##0.00 €_-;-* #,##0.00 €_-;_-* "-"?? €_-;_-@_-', -1234.5, "-1,234.50 €"),
    ('_-* #,##0.00 €_-;-* #,##0.00 €_-;_-* "-"?? €_-;_-@_-', 0, "- €"),
    ("#,##0_);(#,##0)", -33, "(33)"), ("0;[Red]0", -5, "-5"), ('"Q"0', 3, "Q3"), ('0\\ "kg"', 5, "5 kg"),
    ("yyyy-mm-dd", 46024, "2026-01-02"), ("dd/mm/yyyy hh:mm", 46024.4375, "2026-01-02 10:30"),
    ("mmm-yy", 46024, "2026-01-02"), ("[$-409]d\\-mmm\\-yy;@", 46024, "2026-01-02"), ("[h]:mm", 1.25, "30:00:00"),
    ("h:mm AM/PM", 0.75, "18:00"), ("mm:ss", 0.01, "00:14:24"), ("yyyy-mm-dd", 60, "1900-02-29"),
    ("yyyy-mm-dd", 1, "1900-01-01"), ("yyyy-mm-dd", -1, "-1"), ("yyyy-mm-dd", 1e300, "1e+300"),
    ("yyyy-mm-dd", 46023.9999999, "2026-01-01"),
    ("0%", 1.7e307, "1.7e+307%"),
    ("0" + "%" * 300, 2e200, "2e+200" + "%" * 300),
]  # fmt: skip


@pytest.mark.parametrize(("code", "value", "shown"), CASES)
def test_a_number_is_shown_in_its_format(code: str, value: float, shown: str) -> None:
    """Dates as ISO 8601 has them, everything else as Excel does."""
    assert formatter(code)(value) == shown


@given(st.text('0#?,.%E+-;"\\[]$_*@/ymdhsAPGenral x€', max_size=30), st.floats(allow_nan=False, allow_infinity=False))
def test_no_format_fails(code: str, value: float) -> None:
    """Whatever a file says, a number has a text."""
    assert isinstance(formatter(code)(value), str)
