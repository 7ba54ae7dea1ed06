"""Colours as people see them whose vision lacks one kind of cones, and how different two colours look."""

from __future__ import annotations

from sansim.html_report.dark import gamma, linear, oklab

NORMAL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
DEFICIENCIES = {
    "none": NORMAL,
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""Machado, Oliveira, Fernandes, IEEE TVCG 15 (6), 2009, table 1, severity 1.0."""


def parts(colour: str) -> list[float]:
    """Red, green and blue as light."""
    return [linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5)]


def seen(colour: str, deficiency: str) -> str:
    """The colour that looks to everyone as this one does with the deficiency."""
    light = parts(colour)
    mixed = [sum(a * b for a, b in zip(row, light, strict=True)) for row in DEFICIENCIES[deficiency]]
    return "#" + "".join(f"{round(255 * gamma(min(max(part, 0.0), 1.0))):02x}" for part in mixed)


def difference(one: str, other: str) -> float:
    """How different two colours look: their distance in OKLab, in which black and white are 1 apart."""
    squares = ((a - b) ** 2 for a, b in zip(oklab(one), oklab(other), strict=True))
    return float(sum(squares) ** 0.5)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 defines it, from 1 to 21."""
    light = [
        sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), parts(colour), strict=True))
        for colour in (one, other)
    ]
    return (max(light) + 0.05) / (min(light) + 0.05)
