"""The report of a run, or of two side by side, as one HTML file with its charts.

The floors, from the bottom: `folder` reads run folders, `system` reads the scenario, `figures`, `ways`, `samples` and
`events` compute, `looks` has the colours of components and `dark` those of dark mode, `charts` and `topology` draw,
`contents` puts the page together with its `tables`, and `files` stores it.
"""

from sansim.html_report.files import default_place, export, write
from sansim.html_report.folder import PageError, RunFolder, read

__all__ = ["PageError", "RunFolder", "default_place", "export", "read", "write"]
