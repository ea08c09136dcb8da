"""The server around the app: guard, login, sessions, uploads, health, beginning and end."""
