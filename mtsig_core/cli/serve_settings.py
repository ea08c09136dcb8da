"""What the environment says to the dashboard, checked before the server starts: a mistake shows here, not in the
browser of who comes first."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from mtsig_core.data.readers.bounds import upload_limits, whole_number
from mtsig_core.errors import SettingError
from mtsig_core.inference.parallel import on_cluster

__all__ = ["check_settings"]


def check_settings(environment: Mapping[str, str]) -> None:
    """Try each setting of docs/serving.md that can be wrong, but for the login's.

    Raises
    ------
    MtsigError
        Which names it.
    """
    from mtsig_core.data.database import Limits  # late: it imports SQLAlchemy
    from mtsig_core.data.store import open_store

    upload_limits(environment)
    Limits.from_environment(environment)
    for name in ("MTSIG_MAX_DRAWS", "MTSIG_MAX_PAIRS", "MTSIG_MAX_SWEEP", "MTSIG_JOBS", "MTSIG_WORKER_MB",
                 "MTSIG_MAX_SESSIONS", "MTSIG_UNOPENED_MB"):
        whole_number(name, 1, environment)
    for host in filter(None, map(str.strip, environment.get("MTSIG_HOSTS", "").split(","))):
        if not re.fullmatch(r"\*|(\*\.)?[\w.-]+", host):
            raise SettingError(f"MTSIG_HOSTS has {host!r}. Expected names alone, with commas between, such as "
                               "mtsig.example.org,*.uni.example.")
    if not environment.get("MTSIG_HEALTH_TOKEN", "").isascii():
        raise SettingError("MTSIG_HEALTH_TOKEN has letters that no header can carry. Expected ASCII alone.")
    if (root := environment.get("MTSIG_DATA_ROOT")) and not os.path.isdir(root):
        raise SettingError(f"MTSIG_DATA_ROOT is {root}, which is no folder. Expected one that holds shared tasks.")
    if (log := environment.get("MTSIG_LOG", "-")) not in ("", "-"):
        try:
            open(log, "ab").close()
        except OSError as error:
            raise SettingError(f"MTSIG_LOG is {log}, which cannot be written: {error.strerror}.") from error
    if environment.get("MTSIG_HOME") or environment.get("MTSIG_DATABASE_URL"):  # without, it may do without
        open_store(environment).close()
    with on_cluster(environment.get("MTSIG_DASK", "").strip() or None):
        pass
