"""The database of the dashboard: uploads and reviews."""
