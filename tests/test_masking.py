"""Secrets in text: each shape is found whole, what only looks long and mixed stays, values are found anywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.masking import MASK, mask, mask_values, secret_values
from tests.support.documents import DOCUMENTS, ROOT
from tests.support.shared import shared

MIXED = "A1b2" * 9
# Put together here: a scanner of this repository is to find nothing.
SHAPES = {
    "anthropic": "sk-" + "ant-api03-" + "Ab1_" * 12,
    "openai": "sk-" + "proj-" + "aB3" * 12,
    "google": "AI" + "za" + "Ab1_x" * 7,
    "aws": "AK" + "IA" + "ABCDEFGHIJKLMNOP",
    "github": "gh" + "p_" + MIXED,
    "github, fine": "github" + "_pat_" + MIXED,
    "gitlab": "gl" + "pat-" + "Ab1_" * 6,
    "slack": "xo" + "xb-123456-123456-abcdef1234",
    "stripe": "sk" + "_live_" + "a1B2" * 6,
    "npm": "np" + "m_" + MIXED,
    "pypi": "py" + "pi-AgEIcHlwaS5vcmc" + "Ab1_" * 20,
    "jwt": "ey" + "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.TJVA95OrM7E2cBab30RM",
    "key": "-----BEGIN " + "RSA PRIVATE KEY-----\nMIIE1234/abc=\nxyz\n-----END RSA PRIVATE KEY-----",
    "key in JSON": "-----BEGIN " + "PRIVATE KEY-----\\nMIIE1234/abc=\\n-----END PRIVATE KEY-----",
    "key cut off": "-----BEGIN " + "EC PRIVATE KEY-----\nMHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoG\nMHcC"
    "AQEEIIrYSSNQ",
}


@pytest.mark.parametrize("secret", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("around", ["{}", "it says {} and goes on", "KEY='{}'\nnext line", "- {}\n", '{{"a": "{}"}}'])
def test_a_secret_is_taken_out_whole_and_what_is_around_it_stays(secret: str, around: str) -> None:
    assert mask(around.format(secret)) == around.format(MASK)


def test_only_the_secret_of_a_login_or_a_header_is_taken_out() -> None:
    assert mask("https://bob:hunter2secret@host/x?y") == f"https://bob:{MASK}@host/x?y"
    assert mask("Authorization: Bearer abc123def456ghi789 end") == f"Authorization: Bearer {MASK} end"
    assert mask("x-api-key: abc123def456ghi789\nnext") == f"x-api-key: {MASK}\nnext"


@pytest.mark.parametrize(
    "text",
    [
        "commit 1a2b3c4d5e6f7890aabbccddeeff001122334455 on orch/5-event-triggers-2026",
        "session 0a1b2c3d-0000-4000-8000-000000000001",
        "sha256:9f2c1a2b3c4d5e6f7890aabbccddeeff0011223344556677889900aabbccddee",
        "tests/test_net_2.py::test_a_very_long_name_of_a_test_number_12[case-3-of-4]",
        "risk-abcdefghijklmnop123456789 and task-1234567890-abcdefghijklmnop",
        "https://user:password@host and postgres://user:${PASSWORD}@db and http://<user>:<password>@x",
        'marker = "-----BEGIN PRIVATE KEY-----"\nif marker in text:\n    return 1',
        "2026-11-29T10:02:11Z started turn=plan tier=small model=claude-haiku-5-5",
        "the token is refreshed; api_key comes from the environment; password: see the vault",
    ],
)
def test_ids_hashes_names_and_placeholders_stay(text: str) -> None:
    assert mask(text) == text


def test_no_document_of_this_repository_and_no_planning_file_of_others_is_changed() -> None:
    folder = shared("corpus")
    paths = [*DOCUMENTS, *(path for path in sorted(folder.rglob("*")) if path.is_file())]
    changed = []
    for path in paths:
        text = path.read_text("utf-8", errors="replace")
        if mask(text) != text:
            changed.append(str(path))
    assert len(paths) > 80
    assert changed == []


def test_no_source_of_this_repository_is_changed() -> None:
    for path in sorted((ROOT / "orchestrator").rglob("*.py")):
        text = path.read_text("utf-8")
        assert mask(text) == text, path


def test_values_of_variables_named_as_secrets_are_found_and_others_are_not() -> None:
    environ = {
        "ANTHROPIC_API_KEY": "manyletters" * 2,
        "OPENAI_API_KEY": "MixedLetters",
        "FOO_API_KEY": "planning",
        "BAR_AUTH_TOKEN": "Executing",
        "BAZ_ACCESS_TOKEN": "true",
        "MY_TOKEN": "abc-12345",
        "DB_PASSWORD": "abc-12345-longer",
        "DEPLOY_SECRET": "correcthorse",
        "SHORT_KEY": "a1b2",
        "SSH_AUTH_SOCK": "/tmp/ssh-1/agent.2",
        "KEY_FILE": "/home/me/key-1.pem",
        "MAX_TOKENS": "16384-and",
        "PAGER_TOKEN": "1234567890",
        "HOME": "/home/me-12345",
        "LOGIN_PASSWORD": "me-12345",
        "PWD": "/home/me-12345/orders-v2/src",
        "ORDERS_TOKEN": "orders-v2",
        "MONKEY": "banana-12345",
    }
    found = ("manyletters" * 2, "abc-12345-longer", "MixedLetters", "abc-12345")
    assert secret_values(environ) == found
    text = f"x {found[0]} planning abc-12345-longer, abc-12345;abc-12345!"
    assert mask_values(text, secret_values(environ)) == f"x {MASK} planning {MASK}, {MASK};{MASK}!"


def test_masking_twice_changes_nothing_more() -> None:
    once = mask(" ".join(SHAPES.values()))
    assert mask(once) == once


def test_a_text_without_anything_long_and_mixed_loads_no_library() -> None:
    code = (
        "import sys; from orchestrator.masking import mask, secret_values\n"
        "values = secret_values({'A_KEY': 'abc-123456'})\n"
        "mask('a plain report, commit 1a2b3c4d5e6f7890aabbccddeeff001122334455', values)\n"
        "print('detect_secrets' in sys.modules)\n"
        f"mask({SHAPES['github']!r}); print('detect_secrets' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(ROOT), check=True)
    assert done.stdout == "False\nTrue\n"


def test_the_librarys_own_client_of_services_is_never_loaded() -> None:
    program = (
        f"import sys; from orchestrator.masking import mask; assert {MASK!r} in mask({SHAPES['aws']!r});"
        "print([name for name in sys.modules if name.partition('.')[0] in ('requests', 'urllib3')]);"
        "import requests; print(requests.get.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("[]\nget\n", "")
