"""Built-in lists: files that hold secrets, and files that no person writes."""

import re
from fnmatch import translate

from ensemble_lsp.core.commit_messages import is_message_in_git_folder

# Matched without case. The examples that projects keep beside the real thing hold no secrets by intent.
_SECRET_NAMES = (
    ".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf",
    ".git-credentials", ".dockercfg", ".htpasswd", ".s3cfg", ".boto", ".vault-token", ".terraformrc",
    "terraform.rc", "*.pem", "*.key", "*.p12", "*.pfx", "*.p8", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
    "*.asc", "*.gpg", "*.ovpn", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "credentials",
    "credentials.*", "*.credentials", "*_credentials.json", "client_secret*.json", "service-account*.json",
    "service_account*.json", "secrets", "secrets.*", "*.secrets", "secret.*", "kubeconfig", "kubeconfig.*",
    "*.kubeconfig", "*.tfstate", "*.tfstate.*", "*.tfvars", "*.tfvars.json", "master.key", "auth.json",
    ".ensemble-secrets",
)  # fmt: skip
_SECRET_FOLDERS = (".ssh", ".aws", ".gnupg", ".kube", ".azure", ".docker", ".terraform", ".password-store")
_CODE = (".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".go", ".rs", ".java",
         ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".rb", ".php", ".lua", ".kt", ".swift", ".md")  # fmt: skip
_EXAMPLE = re.compile(
    r"\.(?:example|sample|template|dist|tmpl)$|\.(?:example|sample|template)\.", re.IGNORECASE
)

_GENERATED_FOLDERS = frozenset(
    {
        "node_modules", "bower_components", "jspm_packages", ".venv", "venv", "__pycache__", "site-packages",
        ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".gradle", ".next",
        ".nuxt", ".svelte-kit", ".dart_tool", "Pods", ".eggs", ".yarn", ".pnpm-store", ".cache",
    }
)  # fmt: skip
_GENERATED_NAMES = (
    "*.min.js", "*.min.css", "*.map", "*.pyc", "*.class", "*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*.pb.go",
    "*.pb.cc", "*.pb.h", "*.g.dart", "*.g.cs", "*.designer.cs", "package-lock.json", "npm-shrinkwrap.json",
    "yarn.lock", "pnpm-lock.yaml", "bun.lock", "poetry.lock", "pdm.lock", "uv.lock", "pipfile.lock",
    "cargo.lock", "composer.lock", "gemfile.lock", "go.sum", "flake.lock", "mix.lock", "podfile.lock",
)  # fmt: skip
_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".jj", ".bzr"})


def _any_of(globs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(translate(glob) for glob in globs), re.IGNORECASE)


_SECRET = _any_of(_SECRET_NAMES)
_GENERATED = _any_of(_GENERATED_NAMES)


_INSTALL_FOLDERS = re.compile(
    r".*/(?:site-packages|dist-packages|node_modules|typeshed|pkg/mod|rustlib|lib/python3\.[0-9]+"
    r"|\.cargo/registry/src/[^/]+)/(?P<rest>.+)"
)
"""The innermost folder into which package managers and toolchains install, and the file in it."""


def is_version_control(path: str) -> bool:
    """Whether the path lies in the folder of a version control system, and is no message that is being written."""
    return not is_message_in_git_folder(path) and not _VERSION_CONTROL.isdisjoint(path.split("/"))


def secret_file(path: str) -> bool:
    """Whether the name says that the file holds secrets (`.env`, keys, credentials, state of tools).

    Source files named after secrets (`secrets.py`) and examples (`.env.example`) are not among them.
    """
    parts = path.split("/")
    if any(part.lower() in _SECRET_FOLDERS for part in parts[:-1]):
        return True
    name = parts[-1]
    return bool(_SECRET.match(name)) and not name.lower().endswith(_CODE) and not _EXAMPLE.search(name)


def generated_file(path: str) -> bool:
    """Whether a tool writes the file: installed packages, lock files, minified and generated code."""
    parts = path.split("/")
    return not _GENERATED_FOLDERS.isdisjoint(parts[:-1]) or bool(_GENERATED.match(parts[-1]))


def dependency_name(path: str) -> str | None:
    """Return a path below the folder that a package manager or a toolchain installed it in, or None for others.

    "/home/a/.venv/lib/python3.12/site-packages/attr/_make.py" → "attr/_make.py".
    """
    found = _INSTALL_FOLDERS.fullmatch(path if path.startswith("/") else f"/{path}")
    return found["rest"] if found else None
