"""Background work of all sessions, without Streamlit: scheduler, workers, what is kept."""
