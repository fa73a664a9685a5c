"""The colours of the site can be read, and its faces are whole and free."""

import re

import pytest

from userdp_book.site.look import STATIC

LOOK = (STATIC / "look.css").read_text(encoding="utf8")
TEXT = ("ink", "quiet", "link", "holds", "corrected", "refuted", "irreproducible", "context")
VERDICTS, LEAST = TEXT[3:], 5.5


def tokens(theme):
    """The colours of a theme by name."""
    (rules,) = re.findall(rf'html\[data-theme="{theme}"\] {{\n(  --paper.*?)\n}}', LOOK, re.DOTALL)
    long = dict(re.findall(r"--([\w-]+): (#\w+)", rules))
    return {
        name: colour if len(colour) == 7 else "#" + "".join(2 * x for x in colour[1:])
        for name, colour in long.items()
    }


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """The ratio that WCAG asks for, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_is_read_on_paper_and_wash_and_on_a_ribbon(theme):
    colours = tokens(theme)
    for ground in ("paper", "wash"):
        assert {
            name: contrast(colours[name], colours[ground])
            for name in TEXT
            if contrast(colours[name], colours[ground]) < LEAST
        } == {}
        assert contrast(colours["edge"], colours[ground]) >= 3
    assert all(contrast(colours[name], colours["on-verdict"]) >= 4.5 for name in VERDICTS)


def test_the_ratio_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") < 4.5 < contrast("#767676", "#ffffff")
    assert contrast(tokens("light")["rule"], tokens("light")["paper"]) < 3  # an ornament


def test_every_face_is_shipped_with_its_licence():
    asked = set(re.findall(r"url\(fonts/([\w.-]+)\)", LOOK))
    shipped = {path.name for path in (STATIC / "fonts").glob("*.woff2")}
    assert asked == shipped
    for name in shipped:
        family = re.match(r"source-(?:serif-4|sans-3|code-pro)", name)[0]
        assert "SIL Open Font License" in (STATIC / "fonts" / f"LICENSE-{family}.txt").read_text(
            encoding="utf8"
        )
