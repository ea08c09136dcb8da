"""Who may use the dashboard, where it is set up that users log in (OpenID Connect, by
Streamlit).
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import streamlit as st

from pages._server import internals
from pages._server.components import component


def passed() -> bool:
    """Whether this session may see the pages; if not, what it sees in their place has been drawn.

    Everybody may, unless ``MTSIG_LOGIN`` or Streamlit's own secrets have a section ``[auth]``. A
    section ``[mtsig]`` with ``allowed`` names addresses, or all of a domain (``@example.org``).
    """
    user = st.user.to_dict()
    if may_see(user):
        return True
    st.title("mtsig")
    if user.get("is_logged_in") is not True:
        st.text("This dashboard is for people who are known to its organisers. Log in to see it.")
        component("back")(data="keep", key="login.keep")
        for name in _providers():
            st.button(
                f"Log in with {name}" if name else "Log in",
                type="primary",
                on_click=st.login,
                args=[name] if name else [],
                key=f"login.{name}",
            )
    else:
        st.text(
            f"{user.get('email') or 'This account'} may not use this dashboard. Ask who runs it, or log in with "
            "another account."
        )
        component("back")(data="other", key="login.other")
        st.button("Log out", on_click=st.logout, key="login.out")
    return False


def may_see(user: Mapping) -> bool:
    """Whether who is known as this may see the pages, and bring files."""
    asks = bool(os.environ.get("MTSIG_LOGIN")) or internals.has_secrets() and "auth" in st.secrets
    return not asks or user.get("is_logged_in") is True and _allowed(user)


def offer_end() -> None:
    """Below all else in the sidebar, a way out for who has logged in."""
    if st.user.to_dict().get("is_logged_in") is True:
        with st.sidebar:
            st.button("Log out", on_click=st.logout, key="login.out")
            component("back")(data="go", key="login.go")


def _allowed(user: Mapping) -> bool:
    listed = st.secrets.get("mtsig", {}).get("allowed")
    if listed is None:
        return True
    email = str(user.get("email") or "").lower()
    return (
        "@" in email
        and user.get("email_verified") is not False
        and any(
            email.endswith(one) if one.startswith("@") else email == one
            for one in map(str.lower, listed)
        )
    )


def _providers() -> list[str]:
    """The names of several providers, which have sections of their own; one without a name else."""
    auth = st.secrets.get("auth", {})
    return [name for name in auth if hasattr(auth[name], "keys") and "client_id" in auth[name]] or [
        ""
    ]
