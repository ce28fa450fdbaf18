"""Which framework a project uses, where its tests stand and how they look: from what the project says."""

import pytest

from ensemble_lsp.checks.test_runners import RUNNERS
from tests.frameworks.looking import found, refused

VITEST = '{"devDependencies": {"vitest": "^4"}}'
JEST = '{"scripts": {"test": "jest --ci"}}'
IMPORTED = (
    "import { expect, it } from 'vitest'\nimport { a } from './a'\n\nit('a', () => { expect(a).toBe(1) })\n"
)
REQUIRED = "const b = require('./b');\ntest('b', () => {});\n"
TESTIFY = 'package a\nimport "github.com/stretchr/testify/assert"\n'
TABLES = "package a\nfunc TestB(t *testing.T) { t.Run() }\n"
CASE = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self): ...\n"


@pytest.mark.parametrize(
    ("path", "files", "name"),
    [
        ("a.py", {}, "pytest"),
        ("a.py", {"tests/test_b.py": CASE}, "unittest"),
        ("a.py", {"tests/test_a.py": CASE, "tests/test_b.py": "def test_b(): ...\n"}, "unittest"),
        (
            "a.py",
            {"tests/test_b.py": CASE, "tests/test_c.py": "def test(): ...", "test_d.py": "def test(): ..."},
            "pytest",
        ),
        ("a.ts", {"package.json": VITEST}, "vitest"),
        ("a.js", {"package.json": JEST}, "jest"),
        ("a.js", {"package.json": '{"jest": {}}'}, "jest"),
        ("a.tsx", {"package.json": "{}", "vitest.config.ts": ""}, "vitest"),
        ("a.ts", {"package.json": JEST, "b.test.ts": IMPORTED}, "vitest"),
        ("packages/one/a.ts", {"package.json": VITEST, "packages/one/package.json": "{}"}, "vitest"),
        ("packages/one/a.ts", {"package.json": VITEST, "packages/one/package.json": JEST}, "jest"),
        (
            "a.js",
            {
                "package.json": '{"scripts": {"test": "vitest"}, "devDependencies": {"jest": "1", "vitest": "1"}}'
            },
            "vitest",
        ),
        ("cart/a.go", {"go.mod": "module m\n"}, "go test"),
    ],
)
def test_the_framework(path: str, files: dict[str, str], name: str):
    assert found(path, files).name == name


def test_every_framework_has_a_runner():
    projects: list[tuple[str, dict[str, str]]] = [
        ("a.py", {}),
        ("a.py", {"test_b.py": CASE}),
        ("a.ts", {"package.json": VITEST}),
        ("a.ts", {"package.json": JEST}),
        ("a.go", {"go.mod": ""}),
    ]
    assert {found(path, files).name for path, files in projects} == set(RUNNERS)


@pytest.mark.parametrize(
    ("path", "files", "reason", "hint"),
    [
        ("a.rs", {"Cargo.toml": ""}, "a.rs is rust", "ask the panel"),
        ("a.txt", {}, "a.txt is no code that is known here", "ask the panel"),
        ("a.js", {}, "no package.json stands above a.js", "npm init"),
        ("web/a.js", {"web/package.json": "{}"}, "web/package.json names no test framework", "npm install"),
        ("a.js", {"package.json": '{"devDependencies": {"mocha": "1"}}'}, "uses mocha", "vitest beside it"),
        (
            "a.js",
            {"package.json": '{"scripts": {"test": "node --test"}}'},
            "uses node:test",
            "vitest beside it",
        ),
        ("a.js", {"package.json": "no JSON"}, "names no test framework", "npm install"),
        ("a.go", {"b/go.mod": ""}, "no go.mod stands above a.go", "go mod init"),
    ],
)
def test_without_a_framework_it_says_what_to_do(path: str, files: dict[str, str], reason: str, hint: str):
    why = refused(path, files)

    assert reason in why.reason
    assert hint in why.hint


@pytest.mark.parametrize(
    ("path", "files", "home"),
    [
        ("src/cart.ts", [], "src/cart.test.ts"),
        ("src/cart.tsx", ["src/pay.spec.tsx"], "src/cart.spec.tsx"),
        ("src/cart.js", ["src/__tests__/pay.js"], "src/__tests__/cart.js"),
        ("src/shop/cart.ts", ["src/pay/__tests__/pay.test.ts"], "src/shop/__tests__/cart.test.ts"),
        ("src/cart.ts", ["test/pay.test.ts"], "test/cart.test.ts"),
        ("src/shop/cart.ts", ["test/shop/pay.test.ts"], "test/shop/cart.test.ts"),
        ("src/shop/cart.ts", ["test/pay.test.ts"], "test/cart.test.ts"),
        ("src/cart.ts", ["tests/unit/cart.spec.ts"], "tests/unit/cart.spec.ts"),
        ("src/index.ts", ["src/b/index.spec.ts"], "src/index.spec.ts"),
        ("src/cart.ts", ["tests/cart.spec.ts", "src/pay.test.ts"], "tests/cart.spec.ts"),
        ("src/a/index.ts", ["src/b/index.test.ts"], "src/a/index.test.ts"),
        ("lib/cart.mjs", ["lib/pay-test.mjs"], "lib/cart-test.mjs"),
        ("src/cart.ts", ["node_modules/x/cart.test.ts"], "src/cart.test.ts"),
    ],
)
def test_a_script_is_tested_where_the_others_are(path: str, files: list[str], home: str):
    texts = dict.fromkeys(files, "import { it } from 'vitest'\n")

    assert found(path, {"package.json": VITEST, **texts}).home == home


@pytest.mark.parametrize(
    ("files", "source"),
    [
        ({}, "./cart"),
        ({"src/b.test.ts": "import { b } from './b.js'\n"}, "./cart.js"),
        ({"src/b.test.ts": "import { b } from './b.ts'\n"}, "./cart.ts"),
        ({"test/b.test.ts": "import { b } from '../src/b'\n"}, "../src/cart"),
        ({"tsconfig.json": '{"compilerOptions": {"moduleResolution": "NodeNext"}}'}, "./cart.js"),
    ],
)
def test_the_code_is_imported_as_other_tests_do(files: dict[str, str], source: str):
    framework = found("src/cart.ts", {"package.json": VITEST, **files})

    assert f'"{source}"' in framework.importing.replace("'", '"')


@pytest.mark.parametrize(
    ("path", "files", "words"),
    [
        ("a.ts", {"package.json": VITEST}, 'Import them from "vitest".'),
        (
            "a.ts",
            {"package.json": VITEST, "vitest.config.ts": "{ test: { globals: true } }"},
            "do not import them",
        ),
        ("a.ts", {"package.json": JEST}, "do not import them"),
        ("a.js", {"package.json": JEST, "a.js": "module.exports = { a }\n"}, "use require"),
        ("a.js", {"package.json": JEST, "b.test.js": REQUIRED}, "use require"),
        ("a.ts", {"package.json": VITEST, "b.test.ts": IMPORTED}, "without describe"),
        ("a.go", {"go.mod": "module m\n", "a.go": "package a\n"}, "Compare by hand"),
        ("a.go", {"go.mod": "module m\n", "b_test.go": TESTIFY}, "Use testify"),
        ("a.go", {"go.mod": "module m\n", "b_test.go": TABLES}, "a table with t.Run"),
        ("a.py", {"test_b.py": CASE}, "unittest.TestCase"),
    ],
)
def test_members_are_told_how_tests_look_here(path: str, files: dict[str, str], words: str):
    assert words in found(path, files).style


def test_tests_in_the_package_beside_import_the_code():
    files = {
        "srv/go.mod": "module example.org/shop\n",
        "srv/cart/a.go": "package cart\n",
        "srv/cart/b_test.go": "package cart_test\n\nfunc TestB(t *testing.T) {}\n\nfunc help() {}\n",
    }
    framework = found("srv/cart/a.go", files)

    assert 'begins with `package cart_test`; it imports "example.org/shop/cart"' in framework.importing
    assert framework.names_in("") == {"TestB", "help"}
    assert framework.read("package cart\n\nfunc TestA(t *testing.T) {}\n") == (
        "it is package cart, and the tests here are package cart_test"
    )
