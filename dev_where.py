"""The search of `./dev where WORD ...`: which file of the checkout is about something.

Each file says at its head what it is: in the first `//!` block, the module's docstring, the first comment, or the title
and first paragraph of a page. A file is found when its path, its head or the keys of scenarios that it declares have
all words of the query. A word in the path counts most, then one in the first sentence, then one elsewhere in the head.

Words that `docs/vocabulary.md` lists as other words for the same thing find each other.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

PLACES = ("crates/*/src", "crates/*/tests", "python", "tests", "bench", "studio", "docs", "dev", "dev_*.py")
"""What is searched."""
ENDINGS = {".rs", ".py", ".pyi", ".md", ".toml", ".js", ".ts", ".css", ".html", ".j2"}
LEFT_OUT = {"target", "__pycache__", "_build", "node_modules", "data", "messages", "patches", "recorded"}
"""Folders of what is built, and of data."""
VOCABULARY, SYNONYMS = "docs/vocabulary.md", "## Other words for the same thing"
"""The page with words that find each other, and the heading above them."""
MOST = 15
"""So many files are shown."""
FEW = 5
"""If fewer files have all words, those that lack one are shown as well."""
SMALL_WORDS = (
    " a an the of to in on at by for from with without and or is are be it its that this what which who how where when "
    "why does do i my new add change one "
)
"""Words of a question that say nothing about where the answer is."""
DECLARES = " key default"
"""What the head of a file that declares keys says in any case."""
PATH, WHOLE_KEY, SENTENCE, HEAD, KEY, ABSENT = 0, 1, 2, 3, 4, 100
"""What a word costs by where it is found; a file with the lowest sum is shown first."""


@dataclass
class Entry:
    """A file with what it says of itself."""

    path: str
    head: str
    keys: list[str] = field(default_factory=list)
    """The keys of scenarios that it declares."""

    @property
    def sentence(self) -> str:
        """The first sentence of the head."""
        return re.split(r"(?<=[.?!])(?<!e\.g\.)(?<!i\.e\.)\s", self.head, maxsplit=1)[0]

    @property
    def is_test(self) -> bool:
        """Whether it is a test, or serves tests: these are shown behind the others."""
        return "tests" in Path(self.path).parts or Path(self.path).stem == "tests"


def head_of(path: Path, text: str) -> str:
    """What a file says of itself at its beginning, in one line."""
    if path.suffix == ".rs":
        found = first_lines(text, "//!") or first_lines(text, "//")
    elif path.suffix in (".py", ".pyi") or path.name == "dev":
        found = docstring(text) or first_lines(text, "#")
    elif path.suffix == ".md":
        found = page_head(text)
    elif path.suffix == ".toml":
        found = first_lines(text, "#")
    else:
        comment = re.search(r"/\*(.*?)\*/|<!--(.*?)-->|\{#(.*?)#\}", text, re.DOTALL)
        found = next(filter(None, comment.groups()), "") if comment else first_lines(text, "//")
    return " ".join(found.split())


def first_lines(text: str, mark: str) -> str:
    """The first lines that begin with a mark, without it."""
    lines: list[str] = []
    for line in text.splitlines():
        is_head = line.startswith(mark) and not line.startswith("#!")
        if is_head:
            lines.append(line.removeprefix(mark).lstrip("/!"))
        elif lines:
            break
    return "\n".join(lines)


def docstring(text: str) -> str:
    """The docstring of a module."""
    try:
        return ast.get_docstring(ast.parse(text)) or ""
    except SyntaxError:
        return ""


def page_head(text: str) -> str:
    """The title of a page and what is below it up to the next empty line."""
    text = re.sub(r"(?s)<!--.*?-->|^---\n.*?\n---\n", "", text).strip()
    title, _, below = text.partition("\n")
    paragraph = below.strip().partition("\n\n")[0]
    return f"{title.lstrip('# ').rstrip('.')}. {paragraph}"


def keys_of(path: Path, text: str) -> list[str]:
    """The keys that a file of Rust declares by `table!` and its like: `name: type = quantity, default ...`."""
    if path.suffix != ".rs" or "default" not in text:
        return []
    return re.findall(r"(?m)^\s+(?:pub )?(?:r#)?(\w+): [^;{}\n]*? = [^;{}]*?\b(?:default|required)\b", text)


def entries(root: Path) -> Iterator[Entry]:
    """All files of a checkout that say what they are."""
    for place in PLACES:
        for top in sorted(root.glob(place)):
            for path in [top] if top.is_file() else files_in(top):
                try:
                    text = path.read_text(encoding="utf-8")
                except (OSError, UnicodeDecodeError):
                    continue
                yield Entry(path.relative_to(root).as_posix(), head_of(path, text), keys_of(path, text))


def files_in(folder: Path) -> Iterator[Path]:
    """The files of a folder that are searched, in the order of their names. A linked folder is found where it is."""
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if path.name not in LEFT_OUT and not path.is_symlink() and not path.name.startswith("."):
                yield from files_in(path)
        elif path.suffix in ENDINGS:
            yield path


# ---------------------------------------------------------------- words


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, each without its ending; `I/O` is one word."""
    text = re.sub(r"(?i)\bi/os?\b", "io", text)
    text = re.sub(r"([a-z])([A-Z])", r"\1 \2", text)
    return [stem(word) for word in re.findall(r"[a-z0-9]+", text.lower().replace("'s", ""))]


def stem(word: str) -> str:
    """A word without what makes it a plural or another form of a verb: `queues`, `queued` and `queue` are one."""
    for ending in ("ations", "ation", "ings", "ing", "ies", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word.removesuffix(ending)
    return word


Phrase = tuple[str, ...]


def synonyms(vocabulary: str) -> list[set[Phrase]]:
    """The rows of the vocabulary's table of other words: a term, and words that mean the same."""
    found: list[set[Phrase]] = []
    for line in vocabulary.partition(SYNONYMS)[2].partition("\n## ")[0].splitlines():
        if line.startswith("|") and not set(line) <= set("|-: "):
            found.append({tuple(words_of(phrase)) for phrase in re.split(r"[|,]", line)} - {()})
    return found


def alternatives(query: list[str], groups: Iterable[set[Phrase]]) -> list[set[Phrase]]:
    """For each part of a query what may be found in its place: itself, and what the vocabulary has for it."""
    left = set(query)
    found: list[set[Phrase]] = []
    # Terms of several words are one part of the query, the longest first.
    known = sorted({phrase for group in groups for phrase in group}, key=lambda phrase: (-len(phrase), phrase))
    for phrase in known:
        if set(phrase) <= left:
            left -= set(phrase)
            found.append({phrase}.union(*(group for group in groups if phrase in group)))
    plain: list[set[Phrase]] = [{(word,)} for word in query if word in left]
    return [*found, *plain]


def cost(entry: Entry, parts: list[set[Phrase]]) -> int:
    """How far a file is from a query: the sum over its parts, `ABSENT` for each that it does not have."""
    asked = {word for part in parts for phrase in part for word in phrase}
    keys = [set(words_of(key)) for key in entry.keys]
    inside: dict[int, set[str]] = {
        PATH: set(words_of(re.sub(r"^(crates|python/sansim)/", " ", entry.path))),
        WHOLE_KEY: set().union(*(key for key in keys if key <= asked)),
        SENTENCE: set(words_of(entry.sentence)),
        HEAD: set(words_of(entry.head + DECLARES * bool(entry.keys))),
        KEY: set().union(*keys),
    }

    def of(phrase: Phrase, is_own: bool) -> int:
        costs = [min((cost for cost, words in inside.items() if word in words), default=ABSENT) for word in phrase]
        return ABSENT if ABSENT in costs else max(costs) + (not is_own)

    return sum(min(of(phrase, len(part) == 1) for phrase in part) for part in parts)


def search(root: Path, query: str) -> tuple[list[Entry], bool]:
    """The files about a query, nearest first, and whether these have all of it; if none has, those that have most."""
    vocabulary = root / VOCABULARY
    groups = synonyms(vocabulary.read_text(encoding="utf-8")) if vocabulary.is_file() else []
    plain = " ".join(word for word in query.split() if f" {word.lower()} " not in SMALL_WORDS)
    parts = alternatives(list(dict.fromkeys(words_of(plain))), groups)
    if not parts:
        return [], False
    ranked = sorted(
        ((cost(entry, parts), entry.is_test, len(entry.path), entry.path, entry) for entry in entries(root)),
        key=lambda item: item[:-1],
    )
    missing = ranked[0][0] // ABSENT if ranked else len(parts)
    if missing == len(parts):
        return [], False
    near = [entry for value, *_, entry in ranked if value // ABSENT == missing]
    if len(near) < FEW:
        # A word too many hides the best file, so those that lack one follow.
        near += [entry for value, *_, entry in ranked if value // ABSENT == missing + 1 < len(parts)][: FEW - len(near)]
    return near[:MOST], missing == 0
