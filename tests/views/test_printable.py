from orchestrator.views.printable import one_line, printable


def test_control_characters_are_written_out() -> None:
    text = "\x1b[31mred\x07 \x9b0m \u202eevil\u2066 a\tb\nc\r\x00\x7f\ufeff"
    assert printable(text) == ("\\x1b[31mred\\x07 \\x9b0m \\u202eevil\\u2066 a\tb\nc\\x0d\\x00\\x7f\\ufeff")


def test_bytes_of_a_name_that_is_no_utf_8_are_written_out() -> None:
    assert printable("caf\udce9 \ud800") == "caf\\xe9 \\ud800"


def test_plain_text_of_any_language_stays() -> None:
    text = "naïve — 日本語 🎉 …"
    assert printable(text) == text


def test_several_lines_become_one() -> None:
    assert one_line(" a\n  b\t c ", 20) == "a b c"


def test_a_long_text_is_cut_at_a_word_within_the_limit() -> None:
    assert one_line("one two three four five", 15) == "one two..."
    assert one_line("abcdefghijklmnopqrstuvwxyz", 10) == "abcdefg..."
    assert one_line("exactly ten", 11) == "exactly ten"
