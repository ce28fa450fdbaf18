"""Which language a file is in, by its name: tree-sitter's names, as tree-sitter-language-pack has them."""

from pathlib import PurePosixPath

_BY_SUFFIX = {
    "bash": "bash sh bats ksh",
    "c": "c h",
    "clojure": "clj cljs cljc edn",
    "cmake": "cmake",
    "cpp": "cc cpp cxx c++ hh hpp hxx inl ipp tpp",
    "csharp": "cs",
    "css": "css",
    "cuda": "cu cuh",
    "dart": "dart",
    "elixir": "ex exs",
    "elm": "elm",
    "erlang": "erl hrl",
    "fish": "fish",
    "fortran": "f90 f95 f03 f08",
    "fsharp": "fs fsx",
    "gleam": "gleam",
    "go": "go",
    "graphql": "graphql gql",
    "groovy": "groovy gradle",
    "haskell": "hs",
    "hcl": "hcl",
    "html": "html htm",
    "java": "java",
    "javascript": "js jsx mjs cjs",
    "json": "json jsonc json5 webmanifest",
    "julia": "jl",
    "kotlin": "kt kts",
    "lua": "lua",
    "make": "mk mak",
    "markdown": "md markdown mdx",
    "nim": "nim nims",
    "nix": "nix",
    "objc": "m mm",
    "ocaml": "ml",
    "ocaml_interface": "mli",
    "pascal": "pas",
    "perl": "pl pm",
    "php": "php phtml",
    "powershell": "ps1 psm1 psd1",
    "proto": "proto",
    "python": "py pyi pyw",
    "r": "r",
    "racket": "rkt",
    "rst": "rst",
    "ruby": "rb rake gemspec",
    "rust": "rs",
    "scala": "scala sc sbt",
    "scheme": "scm ss",
    "scss": "scss",
    "solidity": "sol",
    "sql": "sql",
    "starlark": "bzl star",
    "svelte": "svelte",
    "swift": "swift",
    "tcl": "tcl",
    "terraform": "tf tfvars",
    "toml": "toml",
    "tsx": "tsx",
    "typescript": "ts mts cts",
    "verilog": "v sv svh",
    "vhdl": "vhd vhdl",
    "vim": "vim",
    "vue": "vue",
    "xml": "xml xsd xsl svg",
    "yaml": "yaml yml",
    "zig": "zig zon",
}

_BY_NAME = {
    "makefile": "make",
    "gnumakefile": "make",
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "cmakelists.txt": "cmake",
    "build": "starlark",
    "build.bazel": "starlark",
    "workspace": "starlark",
    "jenkinsfile": "groovy",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "vagrantfile": "ruby",
    "go.mod": "gomod",
    "sconstruct": "python",
    "sconscript": "python",
    ".bashrc": "bash",
    ".profile": "bash",
    ".zshrc": "bash",
}

PROSE = frozenset({"markdown", "rst"})
"""Languages whose grammar accepts anything: they have no parse errors to count, and layout is content."""

_SUFFIX_TO_LANGUAGE = {
    suffix: language for language, suffixes in _BY_SUFFIX.items() for suffix in suffixes.split()
}


def language_of(path: str) -> str | None:
    """Return tree-sitter's name for the language of the file at `path`, or None when it is not known.

    Only the name is looked at, in any case of letters; nothing is read.
    """
    name = PurePosixPath(path.replace("\\", "/")).name.lower()
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name.startswith("dockerfile."):
        return "dockerfile"
    return _SUFFIX_TO_LANGUAGE.get(name.rpartition(".")[2]) if "." in name else None
