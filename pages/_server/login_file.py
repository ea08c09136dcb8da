"""``MTSIG_LOGIN``: the file with the settings of the login, checked before the server starts."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mtsig_core.errors import SettingError
from mtsig_core.extras import check_installed

_KEYS_OF_ALL = ("redirect_uri", "cookie_secret")
_KEYS_OF_PROVIDER = ("client_id", "client_secret", "server_metadata_url")
_ADDRESSES = ("redirect_uri", "server_metadata_url")
_OPTIONAL = ("client_kwargs", "expose_tokens")
_DEFAULT_SECRETS = ".streamlit/secrets.toml"


@dataclass(frozen=True)
class _Section:
    """A section of the file with the keys that it needs and may have."""

    place: str
    values: Mapping[str, Any]
    needed: tuple[str, ...]
    allowed: tuple[str, ...]

    def list_faults(self) -> Iterator[str]:
        missing = [key for key in self.needed if not self.values.get(key)]
        if missing:
            yield f"which lacks {', '.join(missing)} {self.place}"
        known = (*self.needed, *self.allowed)
        for key in self.values:
            if key not in known:
                yield f"which has {key!r} {self.place}. Expected there: {', '.join(known)}"
        for key in self.needed:
            value = self.values[key]
            if not isinstance(value, str):
                yield f"where {key} is not a text. Expected a text in quotes"
            elif key in _ADDRESSES and not re.match("https?://[^/]", value):
                yield f"where {key} is {value!r}. Expected an address that begins with https://"


def login_options(environment: Mapping[str, str]) -> list[str]:
    """Return Streamlit's options for the file of secrets that ``MTSIG_LOGIN`` names."""
    name = environment.get("MTSIG_LOGIN")
    if not name:
        # Streamlit looks for secrets in the user's home too, and shows no page where that is below
        # a file (/dev/null).
        if os.path.isdir(os.path.expanduser("~")):
            return []
        return ["--secrets.files", os.path.abspath(_DEFAULT_SECRETS)]
    secrets = _read_secrets(name)
    fault = next(_list_faults(secrets), None)
    if fault is not None:
        raise SettingError(f"MTSIG_LOGIN is {name}, {fault}. docs/serving.md has an example.")
    check_installed("login", "MTSIG_LOGIN", "authlib", "httpx")
    return ["--secrets.files", os.path.abspath(name)]


def _read_secrets(name: str) -> dict[str, Any]:
    try:
        with open(name, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise SettingError(
            f"MTSIG_LOGIN is {name}, which cannot be read: {error.strerror}. Expected a TOML file with "
            "a section [auth], see docs/serving.md."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingError(f"MTSIG_LOGIN is {name}, which is not TOML: {error}.") from error


def _list_faults(secrets: dict[str, Any]) -> Iterator[str]:
    """Give each fault of the file, as the end of a sentence.

    An unknown key is a fault, because a misspelt key may let everybody in.
    """
    auth = secrets.get("auth")
    mtsig = secrets.get("mtsig", {})
    if not isinstance(auth, dict):
        yield "which has no section [auth]"
        return
    if not isinstance(mtsig, dict):
        yield f"where mtsig is {mtsig!r}. Expected a section [mtsig]"
        return
    for section in _list_sections(secrets, auth, mtsig):
        yield from section.list_faults()
    allowed = mtsig.get("allowed", [])
    if not isinstance(allowed, list) or not all(map(_is_user, allowed)):
        yield f'where allowed is {allowed!r}. Expected a list such as ["ada@example.org", "@uni.example"]'


def _list_sections(
    secrets: dict[str, Any], auth: dict[str, Any], mtsig: dict[str, Any]
) -> list[_Section]:
    providers = {
        name: values
        for name, values in auth.items()
        if isinstance(values, dict) and name not in _OPTIONAL
    }
    needed = _KEYS_OF_ALL
    if not providers:
        needed += _KEYS_OF_PROVIDER
    sections = [
        _Section("outside of its sections", secrets, (), ("auth", "mtsig")),
        _Section("in [auth]", auth, needed, (*_OPTIONAL, *providers)),
    ]
    for name, values in providers.items():
        sections.append(_Section(f"in [auth.{name}]", values, _KEYS_OF_PROVIDER, _OPTIONAL))
    sections.append(_Section("in [mtsig]", mtsig, (), ("allowed",)))
    return sections


def _is_user(value: Any) -> bool:
    """Return whether this is an e-mail address, or all of a domain."""
    return isinstance(value, str) and re.fullmatch(r"[^@\s]*@[^@\s]+", value) is not None
