"""The configurations in docs/serving.md are accepted by the programs they are for."""

import re
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from mtsig_core.errors import SettingError
from pages._server.login_file import login_options
from pages._server.server_settings import SETTINGS_OF_SERVER

CHECKOUT = Path(__file__).resolve().parents[2]
DOCS = (CHECKOUT / "docs" / "serving.md").read_text(encoding="utf-8")
EXAMPLES = dict(
    re.findall(r"^```(Caddyfile|nginx|toml)\n(.*?)^```", DOCS, re.DOTALL | re.MULTILINE)
)
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def checked(*command, **environment):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("caddy") is None, reason="Caddy is not installed")
def test_caddy(tmp_path):
    own = {
        "HOME": str(tmp_path),
        "PATH": "",
        "MTSIG_PROXY_PORT": "8501",
        "MTSIG_PROXY_ADDRESS": "localhost",
        "MTSIG_UPSTREAMS": "127.0.0.1:1 127.0.0.1:2",
    }
    (tmp_path / "Caddyfile").write_text(EXAMPLES["Caddyfile"])
    for file in (tmp_path / "Caddyfile", CHECKOUT / "pages" / "_server" / "Caddyfile"):
        checked(
            shutil.which("caddy"), "validate", "--adapter", "caddyfile", "--config", file, **own
        )


@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
def test_nginx(tmp_path):
    write_certificate(tmp_path)
    text = EXAMPLES["nginx"].replace("/etc/letsencrypt/live/mtsig.example.org", str(tmp_path))
    (tmp_path / "nginx.conf").write_text(
        f"pid {tmp_path}/pid; error_log stderr; events {{}} http {{ {text} }}"
    )
    checked(NGINX, "-t", "-p", tmp_path, "-c", tmp_path / "nginx.conf")


def write_certificate(folder):
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "mtsig.example.org")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(1))
        .sign(key, hashes.SHA256())
    )
    (folder / "fullchain.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "privkey.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


def test_every_setting_is_known():
    assert {*re.findall(r"(?:MTSIG|STREAMLIT)_[A-Z_]+", DOCS)} == SETTINGS_OF_SERVER


def test_the_login_file(tmp_path):
    file = tmp_path / "secrets.toml"
    file.write_text(EXAMPLES["toml"])
    assert login_options({"MTSIG_LOGIN": str(file)}) == ["--secrets.files", str(file)]
    assert login_options({}) == []


AUTH = """[auth]
redirect_uri = 'https://h/c'
cookie_secret = 's'
client_id = 'i'
client_secret = 't'
server_metadata_url = 'https://p/m'
"""


@pytest.mark.parametrize(
    "text",
    [
        AUTH,
        f"{AUTH}client_kwargs = {{scope = 'openid'}}\nexpose_tokens = 'id'\n[mtsig]\nallowed = []",
        "\n".join(
            [
                *AUTH.splitlines()[:3],
                "[auth.uni]",
                *AUTH.splitlines()[3:],
                "client_kwargs = {a = 'b'}",
                "[auth.google]",
                *AUTH.splitlines()[3:],
                "[mtsig]",
                "allowed = ['Ada@example.org', '@uni.example']",
            ]
        ),
    ],
)
def test_login_files_that_are_right(tmp_path, text):
    (file := tmp_path / "secrets.toml").write_text(text)
    assert login_options({"MTSIG_LOGIN": str(file)})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("[auth", "not TOML"),
        ("a = 1", r"no section \[auth\]"),
        ("auth = 1", r"no section"),
        (
            "[auth]\nredirect_uri = 'a'",
            "lacks cookie_secret, client_id, client_secret, server_metadata_url",
        ),
        (
            "[auth]\nredirect_uri = 'a'\ncookie_secret = ''\n[auth.uni]\nclient_id = 'a'",
            r"lacks cookie_secret in \[auth\]",
        ),
        (
            f"{AUTH}[auth.uni]\nclient_id = 'a'",
            r"has 'client_id' in \[auth\]. Expected there: redirect_uri, cookie_secret",
        ),
        (
            "[auth]\nredirect_uri = 'http://a'\ncookie_secret = 'b'\n[auth.uni]\nclient_id = 'a'",
            r"lacks client_secret, server_metadata_url in \[auth.uni\]",
        ),
        (f"{AUTH}allowed = ['a@b']", r"has 'allowed' in \[auth\]"),
        (f"{AUTH}[mtsg]", "has 'mtsg' outside of its sections"),
        (f"mtsig = 'ada'\n{AUTH}", "mtsig is 'ada'"),
        (f"{AUTH}[mtsig]\nallow = ['a@b']", r"has 'allow' in \[mtsig\]. Expected there: allowed"),
        *(
            (f"{AUTH}[mtsig]\nallowed = {value}", "where allowed is .* Expected a list such as")
            for value in ("5", "[5]", "'a@b'", "['']", "['@']", "['uni.example']", "['a@b ']")
        ),
        (AUTH.replace("'s'", "12345"), "cookie_secret is not a text"),
        (AUTH.replace("'i'", "['a']"), "client_id is not a text"),
        (
            AUTH.replace("https://h/c", "mtsig.example.org"),
            "redirect_uri is 'mtsig.example.org'. Expected an address",
        ),
    ],
)
def test_a_broken_login_file_starts_no_server(tmp_path, text, said):
    file = tmp_path / "secrets.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(SettingError, match=said):
        login_options({"MTSIG_LOGIN": str(file)})


def test_what_the_security_page_names_is_there():
    for name in re.findall(
        r"`(tests/[\w/.]+)`", (CHECKOUT / "SECURITY.md").read_text(encoding="utf-8")
    ):
        assert (CHECKOUT / name).exists(), name


def test_a_user_without_a_home_has_pages_too(tmp_path, monkeypatch):
    """Streamlit would look for its secrets below /dev/null, and fail; those of the folder it is
    started in stay.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert login_options({}) == []
    monkeypatch.setenv("HOME", "/dev/null")
    assert login_options({}) == ["--secrets.files", str(tmp_path / ".streamlit/secrets.toml")]
