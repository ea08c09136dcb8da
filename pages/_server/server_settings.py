"""The settings of the dashboard in the environment, checked before the server starts.

So the terminal reports a mistake, and not the browser of the first visitor.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryFile

from mtsig_core.errors import SettingError
from mtsig_core.readers.limits import (
    LOCAL_VARIABLES,
    UPLOAD_VARIABLES,
    local_limit,
    read_whole_number,
    upload_limits,
)
from mtsig_core.source import PORTS_VARIABLE, SOURCE_VARIABLE, TASK_VARIABLE, TICKET_VARIABLE
from mtsig_core.stats.parallel import on_cluster
from pages._store.database import Limits, open_database

_WHOLE_NUMBERS = (
    "MTSIG_JOBS",
    "MTSIG_WORKER_MB",
    "MTSIG_WORKER_MINUTES",
    "MTSIG_MAX_SESSIONS",
    "MTSIG_UNOPENED_MB",
    "STREAMLIT_SERVER_MAX_UPLOAD_SIZE",
)
#: What each of the names in a setting is like, and an example.
_HOST_PATTERNS = {
    "MTSIG_HOSTS": (r"\*|(\*\.)?[\w.-]+", "mtsig.example.org,*.uni.example"),
    "MTSIG_EMBED_HOSTS": (
        r"(https?://)?(\*\.)?[\w.-]+(:\d+)?",
        "slides.example.org,http://localhost:8000",
    ),
}
_LEAST_OF_WORKER = 256  # MB: with 128 a worker cannot start its threads, and never answers
#: Share of letters that a misspelt name has in common with a setting. Variables of other programs
#: may begin with MTSIG_ too.
_LEAST_ALIKE = 0.8
#: The settings of docs/serving.md. Nobody would notice that a misspelt one, such as the login, has
#: no effect.
SETTINGS_OF_SERVER = {
    *_WHOLE_NUMBERS,
    "MTSIG_DATA_ROOT",
    *_HOST_PATTERNS,
    "MTSIG_LOGIN",
    "MTSIG_HEALTH_TOKEN",
    "MTSIG_LOG",
    "MTSIG_DASK",
    "MTSIG_CACHE",
    "MTSIG_HOME",
    "MTSIG_DATABASE_URL",
    "MTSIG_EXPIRY_DAYS",
    "MTSIG_QUOTA_MB",
    "MTSIG_QUOTA_ALL_MB",
    "MTSIG_QUOTA_SETS",
    *UPLOAD_VARIABLES.values(),
    *LOCAL_VARIABLES.values(),
}
#: Variables that processes of the dashboard set for each other; no settings.
_OF_PROCESSES = {SOURCE_VARIABLE, TASK_VARIABLE, PORTS_VARIABLE, TICKET_VARIABLE}


def check_settings(environment: Mapping[str, str]) -> None:
    """Try each setting of docs/serving.md that can be wrong, except the login's."""
    upload_limits(environment)
    for name in LOCAL_VARIABLES:
        local_limit(name, environment)
    Limits.from_environment(environment)
    _check_numbers(environment)
    _check_names(environment)
    for setting in _HOST_PATTERNS:
        _check_hosts(setting, environment.get(setting, ""))
    if not environment.get("MTSIG_HEALTH_TOKEN", "").isascii():
        raise SettingError(
            "MTSIG_HEALTH_TOKEN has letters that no header can carry. Expected only ASCII."
        )
    root = environment.get("MTSIG_DATA_ROOT")
    if root and not os.path.isdir(root):
        raise SettingError(
            f"MTSIG_DATA_ROOT is {root}, which is not a folder. Expected a folder with shared tasks."
        )
    _check_log(environment.get("MTSIG_LOG", "-"))
    _check_cache(environment.get("MTSIG_CACHE", ""))
    open_database(environment).close()
    with on_cluster(environment.get("MTSIG_DASK", "").strip() or None):
        pass


def _check_numbers(environment: Mapping[str, str]) -> None:
    for name in _WHOLE_NUMBERS:
        read_whole_number(name, 1, environment)
    megabytes = read_whole_number("MTSIG_WORKER_MB", _LEAST_OF_WORKER, environment)
    if megabytes < _LEAST_OF_WORKER:
        raise SettingError(
            f"MTSIG_WORKER_MB is {megabytes}, in which no computation can begin. Expected at least "
            f"{_LEAST_OF_WORKER}, or unset it for 4000."
        )


def _check_names(environment: Mapping[str, str]) -> None:
    """Raise SettingError for an unknown variable that is probably a misspelt setting."""
    known = [name.removeprefix("MTSIG_") for name in sorted(SETTINGS_OF_SERVER)]
    for variable in environment:
        if not variable.startswith("MTSIG_") or variable in SETTINGS_OF_SERVER | _OF_PROCESSES:
            continue
        name = variable.removeprefix("MTSIG_")
        words = set(name.split("_"))
        candidates = get_close_matches(name, known, 1, _LEAST_ALIKE)
        candidates += [setting for setting in known if words <= set(setting.split("_"))]
        if candidates:
            raise SettingError(
                f"{variable} is not a setting. Did you mean MTSIG_{candidates[0]}? Correct the name, or "
                "unset it."
            )


def _check_hosts(setting: str, text: str) -> None:
    pattern, example = _HOST_PATTERNS[setting]
    for host in text.split(","):
        name = host.strip()
        if name and not re.fullmatch(pattern, name, re.ASCII):
            raise SettingError(
                f"{setting} has {name!r}. Expected only names, with commas between, such as {example}."
            )


def _check_log(log: str) -> None:
    if log in ("", "-"):
        return
    try:
        open(log, "ab").close()
    except OSError as error:
        raise SettingError(
            f"MTSIG_LOG is {log}, which cannot be written: {error.strerror}."
        ) from error


def _check_cache(folder: str) -> None:
    """Write a file into the folder for counts, if one is named."""
    if not folder:
        return
    path = Path(folder).expanduser()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        TemporaryFile(dir=path).close()
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SettingError(
            f"MTSIG_CACHE is {folder}, which cannot be used: {reason}. Expected a folder that can be "
            "written, or nothing: then counts are kept only while the dashboard runs."
        ) from error
