"""The colours of charts on a page in dark mode: each has a partner that is easy to see on dark paper.

A chart on a page names its colours by CSS variables, `var(--c-0072b2)`; the style sheet gives them their values in both
modes. Charts in files of their own stay as they are. Lightness is that of OKLab (Ottosson 2020), in which equal
differences look equal; hue and, as far as the screen can show it, chroma stay.
"""

from __future__ import annotations

import re

PAPER, INK = "#ffffff", "#222222"
COLOUR = re.compile(r'\b(fill|stroke)(: ?|=")(#[0-9a-fA-F]{6})\b')
USED = re.compile(r"var\(--c-([0-9a-f]{6})\)")
NEUTRAL = 0.03
"""Colours of less chroma are greys: what is paper becomes dark, what is ink becomes light."""
DARK_PAPER, SPAN, LIGHTEST = 0.22, 0.93, 0.95
"""Lightness of dark paper; that of greys, by how much darker than paper they were; and the most of all."""
LEAST = 0.53
"""Lightness of other colours, at least: they stay as they are unless dark paper would hide them."""


def with_variables(svg: str) -> str:
    """A chart whose colours are variables of the page."""
    return COLOUR.sub(lambda found: f"{found[1]}{found[2]}var(--c-{found[3][1:].lower()})", svg)


def variables(page: str) -> str:
    """The style sheet with the colours that a page uses, in both modes; on paper they are always the light ones."""
    used = sorted({*USED.findall(page), PAPER[1:], INK[1:]})
    light = "".join(f"--c-{one}:#{one};" for one in used)
    dark = "".join(f"--c-{one}:{for_dark(f'#{one}')};" for one in used)
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme: dark){{:root{{{dark}}}}}\n"


def for_dark(colour: str) -> str:
    """The partner of a colour on dark paper."""
    lightness, a, b = oklab(colour)
    chroma = (a * a + b * b) ** 0.5
    if chroma < NEUTRAL:
        return nearest(min(DARK_PAPER + (1 - lightness) * SPAN, LIGHTEST), a, b)
    return nearest(max(lightness, LEAST), a, b)


def nearest(lightness: float, a: float, b: float) -> str:
    """The colour of this lightness and hue with as much of the chroma as a screen can show."""
    for step in range(101):
        part = 1 - step / 100
        parts = rgb(lightness, a * part, b * part)
        if all(-0.001 <= one <= 1.001 for one in parts):
            break
    return "#" + "".join(f"{round(255 * gamma(min(max(one, 0.0), 1.0))):02x}" for one in parts)


def oklab(colour: str) -> tuple[float, float, float]:
    """A colour as lightness and two opponent colours: B. Ottosson, A perceptual color space for image processing."""
    red, green, blue = (linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def rgb(lightness: float, a: float, b: float) -> tuple[float, float, float]:
    """The inverse of `oklab`, as linear parts that may be outside what a screen can show."""
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )


def linear(part: float) -> float:
    """A part of a colour of sRGB as light (IEC 61966-2-1)."""
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def gamma(part: float) -> float:
    """The inverse of `linear`."""
    return part * 12.92 if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055
