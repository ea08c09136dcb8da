"""Decide which users may use the dashboard, if users log in (OpenID Connect, by Streamlit)."""

from __future__ import annotations

import os
from collections.abc import Mapping

import streamlit as st

from pages._server import internals
from pages._server.components import component


def is_passed() -> bool:
    """Return whether this session may see the pages; if not, draw what it sees instead.

    Everybody may see the pages, unless ``MTSIG_LOGIN`` or Streamlit's secrets have a section
    ``[auth]``. A section ``[mtsig]`` with ``allowed`` lists the allowed addresses, or all addresses
    of a domain (``@example.org``).
    """
    user = st.user.to_dict()
    if may_see(user):
        return True
    st.title("mtsig")
    if _is_logged_in(user):
        account = user.get("email") or "This account"
        st.text(
            f"{account} may not use this dashboard. Ask who runs it, or log in with another account."
        )
        component("back")(data="other", key="login.other")
        st.button("Log out", on_click=st.logout, key="login.out")
    else:
        st.text("This dashboard is for people who are known to its organisers. Log in to see it.")
        component("back")(data="keep", key="login.keep")
        _draw_logins()
    return False


def _draw_logins() -> None:
    """Draw a button for each provider; one without a name if they have no sections."""
    auth = st.secrets.get("auth", {})
    names = [name for name in auth if hasattr(auth[name], "keys") and "client_id" in auth[name]]
    for name in names:
        st.button(
            f"Log in with {name}",
            type="primary",
            on_click=st.login,
            args=[name],
            key=f"login.{name}",
        )
    if not names:
        st.button("Log in", type="primary", on_click=st.login, key="login.")


def may_see(user: Mapping) -> bool:
    """Return whether a user may see the pages, and bring files."""
    needs_login = os.environ.get("MTSIG_LOGIN") or (
        internals.has_secrets() and "auth" in st.secrets
    )
    if not needs_login:
        return True
    return _is_logged_in(user) and _is_allowed(user)


def offer_logout() -> None:
    """Draw a button to log out below all else in the sidebar, for a user who has logged in."""
    if _is_logged_in(st.user.to_dict()):
        with st.sidebar:
            st.button("Log out", on_click=st.logout, key="login.out")
            component("back")(data="go", key="login.go")


def _is_logged_in(user: Mapping) -> bool:
    return user.get("is_logged_in") is True


def _is_allowed(user: Mapping) -> bool:
    allowed = st.secrets.get("mtsig", {}).get("allowed")
    if allowed is None:
        return True
    email = str(user.get("email") or "").lower()
    if "@" not in email or user.get("email_verified") is False:
        return False
    for entry in allowed:
        entry = entry.lower()
        if email == entry or (entry.startswith("@") and email.endswith(entry)):
            return True
    return False
