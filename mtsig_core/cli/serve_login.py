"""``MTSIG_LOGIN``: the file that says how users of the dashboard log in, checked before the server starts."""

from __future__ import annotations

import importlib.util
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mtsig_core.errors import SettingError

__all__ = ["login_options"]

_OF_ALL = ("redirect_uri", "cookie_secret")
_OF_PROVIDER = ("client_id", "client_secret", "server_metadata_url")
_ADDRESSES = ("redirect_uri", "server_metadata_url")
_ALSO = ("client_kwargs", "expose_tokens")  # what else Streamlit knows


def login_options(environment: Mapping[str, str]) -> list[str]:
    """Streamlit's options for the file of secrets that ``MTSIG_LOGIN`` names; none where it names none, but
    for those of the folder that the server is started in where the user has no home.

    Raises
    ------
    SettingError
        If the file cannot be read or lacks what is needed: a server that was meant to ask who comes must not start
        without.
    """
    if not (name := environment.get("MTSIG_LOGIN")):
        # Streamlit looks for secrets in the user's home too, and shows no page where that is below a file (/dev/null).
        there = os.path.isdir(os.path.expanduser("~"))
        return [] if there else ["--secrets.files", os.path.abspath(".streamlit/secrets.toml")]
    try:
        with open(name, "rb") as file:
            secrets = tomllib.load(file)
    except OSError as error:
        raise SettingError(f"MTSIG_LOGIN is {name}, which cannot be read: {error.strerror}. Expected a TOML file with "
                           "a section [auth], as docs/serving.md has it.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingError(f"MTSIG_LOGIN is {name}, which is not TOML: {error}.") from error
    if (wrong := next(_wrong(secrets), None)) is not None:
        raise SettingError(f"MTSIG_LOGIN is {name}, {wrong}. docs/serving.md has an example.")
    if importlib.util.find_spec("authlib") is None or importlib.util.find_spec("httpx") is None:
        raise SettingError("MTSIG_LOGIN needs the packages authlib and httpx: pip install 'mtsig[login]'.")
    return ["--secrets.files", os.path.abspath(name)]


def _wrong(secrets: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the file, as the end of a sentence. A key that is not known may be one that was misspelt, and
    without it everybody might be let in."""
    auth, own = secrets.get("auth"), secrets.get("mtsig", {})
    if not isinstance(auth, dict):
        yield "which has no section [auth]"
        return
    providers = {name: one for name, one in auth.items() if isinstance(one, dict) and name not in _ALSO}
    yield from _unknown("outside of its sections", secrets, ("auth", "mtsig"))
    yield from _section("[auth]", auth, _OF_ALL if providers else (*_OF_ALL, *_OF_PROVIDER), providers)
    for name, one in providers.items():
        yield from _section(f"[auth.{name}]", one, _OF_PROVIDER)
    if not isinstance(own, dict):
        yield f"where mtsig is {own!r}. Expected a section [mtsig]"
        return
    yield from _unknown("in [mtsig]", own, ("allowed",))
    allowed = own.get("allowed", [])
    if not isinstance(allowed, list) or not all(isinstance(one, str) and re.fullmatch(r"[^@\s]*@[^@\s]+", one)
                                                for one in allowed):
        yield f"where allowed is {allowed!r}. Expected a list such as [\"ada@example.org\", \"@uni.example\"]"


def _section(where: str, section: dict[str, Any], needed: Sequence[str], others: Iterable[str] = ()) -> Iterator[str]:
    if missing := [key for key in needed if not section.get(key)]:
        yield f"which lacks {', '.join(missing)} in {where}"
    yield from _unknown(f"in {where}", section, (*needed, *_ALSO, *others))
    for key in needed:
        value = section[key]
        if not isinstance(value, str):
            yield f"where {key} is no text. Expected one in quotes"
        elif key in _ADDRESSES and not re.match("https?://[^/]", value):
            yield f"where {key} is {value!r}. Expected an address that begins with https://"


def _unknown(where: str, section: dict[str, Any], known: Sequence[str]) -> Iterator[str]:
    yield from (f"which has {key!r} {where}. Expected there: {', '.join(known)}" for key in section if key not in known)
