"""``MTSIG_LOGIN``: the file that says how users of the dashboard log in, checked before the server starts."""

from __future__ import annotations

import importlib.util
import os
import tomllib
from collections.abc import Mapping
from typing import Any

from mtsig_core.errors import SettingError

__all__ = ["login_options"]

_OF_ALL = ("redirect_uri", "cookie_secret")
_OF_PROVIDER = ("client_id", "client_secret", "server_metadata_url")


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
            auth = tomllib.load(file).get("auth")
    except OSError as error:
        raise SettingError(f"MTSIG_LOGIN is {name}, which cannot be read: {error.strerror}. Expected a TOML file with "
                           "a section [auth], as docs/serving.md has it.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingError(f"MTSIG_LOGIN is {name}, which is not TOML: {error}.") from error
    if not isinstance(auth, dict):
        raise SettingError(f"MTSIG_LOGIN is {name}, which has no section [auth]. docs/serving.md has an example.")
    if missing := _missing(auth):
        raise SettingError(f"{name} lacks {', '.join(missing)} in [auth]. docs/serving.md has an example.")
    if importlib.util.find_spec("authlib") is None or importlib.util.find_spec("httpx") is None:
        raise SettingError("MTSIG_LOGIN needs the packages authlib and httpx: pip install 'mtsig[login]'.")
    return ["--secrets.files", os.path.abspath(name)]


def _missing(auth: dict[str, Any]) -> list[str]:
    providers = {name: value for name, value in auth.items() if isinstance(value, dict) and name != "client_kwargs"}
    asked = [(name, auth) for name in _OF_ALL]
    asked += [(name, provider) for provider in providers.values() or [auth] for name in _OF_PROVIDER]
    return [name for name, given in asked if not given.get(name)]
