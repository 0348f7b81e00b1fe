"""Paths that stand in prose: in backticks or as bare words. Owns what looks like a path and what doesn't.

Must know nothing of steps, scopes and verbs, and nothing of the disk.
"""

from __future__ import annotations

from orchestrator.code_spans import code_spans, without_code
from orchestrator.model.scope import canonical
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

SUFFIXES = frozenset(
    "py pyi pyx ipynb js jsx mjs cjs ts tsx mts cts vue svelte css scss sass less html htm go rs c h cc cpp cxx"
    " hpp hh cu java kt kts scala groovy gradle rb erb rake php cs fs vb fsproj csproj sln swift m mm r jl lua"
    " pl pm ex exs erl hrl hs ml mli elm clj cljs cljc dart zig nim sh bash zsh fish ps1 bat cmd sql proto"
    " graphql gql prisma md mdx rst adoc txt tex json jsonc json5 jsonl yaml yml toml ini cfg conf xml xsd csv"
    " tsv svg png jpg lock tf hcl nix cmake mk j2 jinja tmpl tpl snap patch po pot feature".split()
)
"""What a file's name ends in, where a bare name is to be taken for a file."""

# Names of products, and attributes of objects, that end like files.
_NOT_FILES = frozenset(
    "node.js next.js vue.js react.js nuxt.js three.js d3.js express.js alpine.js chart.js ember.js backbone.js deno.js"
    " bun.js discord.js socket.io asp.net response.json request.json req.json res.json resp.json self.json".split()
)
_NAMED_FILES = frozenset(
    "makefile dockerfile justfile rakefile gemfile procfile license codeowners go.mod go.sum".split()
)

_LINK = regex(r"\[[^\[\]\n]{0,200}\]\(([^()\s]{0,200})\)")
_WORD = regex(r"[^\s`\"'“”‘’«»()<>,;]+")
_TAIL = regex(r"(?:(?:::|:|#)[^/]*|\((?:L|l)?\d.*\))$")
_PATH_CHARACTERS = regex(r"[\w.@+~\[\]{}*?,/\\$&%=!#^ -]+")


@dataclass(frozen=True, slots=True)
class PathInText:
    """A path as written and as compared. `start` is where it begins in the text."""

    written: str
    path: str
    start: int
    is_quoted: bool
    """It stood in backticks."""

    @property
    def has_suffix(self) -> bool:
        return _named_like_a_file(self.path)

    @property
    def is_bare_name(self) -> bool:
        return "/" not in self.path


def paths_in(text: str) -> tuple[PathInText, ...]:
    """What looks like a path of a repository, in the order of the text.

    In backticks: a word with a slash or with a file's ending. Outside: the same, but a slash alone isn't enough
    (`and/or`). Never: addresses, absolute paths, command lines, options, calls, generics, package names with `@`.
    """
    found: list[PathInText] = []
    for span in code_spans(text):
        path = path_of(span.code)
        if path and (_named_like_a_file(path) or "/" in path):
            found.append(PathInText(span.code, path, span.start, True))
    rest = without_code(text)
    for link in _LINK.finditer(rest):
        path = path_of(link[1])
        if path and _named_like_a_file(path):
            found.append(PathInText(link[1], path, link.start(), True))
    rest = _LINK.sub(lambda link: " " * len(link[0]), rest)
    for word in _WORD.finditer(rest):
        shown = word[0].rstrip(".:!?*")
        # Underscores at both ends are emphasis; at the start alone they belong to the name.
        marks = "*_" if shown.endswith("_") else "*"
        written = shown.rstrip("_").lstrip(marks)
        path = path_of(written)
        if path and _named_like_a_file(path) and not _is_attribute(written):
            start = word.start() + len(shown.rstrip("_")) - len(written)
            found.append(PathInText(written, path, start, False))
    return tuple(sorted(found, key=lambda each: each.start))


def path_of(word: str) -> str:
    """The canonical path that a word means, without `:line` or `:symbol` behind it; empty if it can't be one."""
    text = word.strip()
    if not text or "://" in text or text[0] in "-/~$@#<(=&%!|" or text[1:2] == ":":
        return ""
    text = _TAIL.sub("", text)
    if not text or not _PATH_CHARACTERS.fullmatch(text) or any(mark in text for mark in ("$", "=", "&", "%", "!", "^")):
        return ""
    if any(character.isspace() for character in text) or (text.startswith((".", "*")) and set(text) <= set("./*\\")):
        return ""
    if _TAIL.search(text) or "..." in text:
        return ""
    path = canonical(text)
    return "" if ".." in path.split("/") or path == "." else path


def _named_like_a_file(path: str) -> bool:
    name = path.rstrip("/").rsplit("/", 1)[-1]
    if name.lower() in _NOT_FILES:
        return False
    if name.lower() in _NAMED_FILES:
        return True
    _, dot, suffix = name.rpartition(".")
    # `blame.Cmd` is a member, `README.MD` a file.
    return bool(dot) and suffix.lower() in SUFFIXES and suffix in (suffix.lower(), suffix.upper())


def _is_attribute(written: str) -> bool:
    """`np.c`, `x.r`: outside backticks, a short ending after a short name is rather code or an abbreviation."""
    return "/" not in written and len(written.rpartition(".")[2]) == 1 and not written.rpartition(".")[0].isidentifier()
