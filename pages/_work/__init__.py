"""Background jobs of all sessions, without Streamlit: scheduler, workers and caches."""
