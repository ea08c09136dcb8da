"""The server around the app: guard, login, sessions, uploads, health, start and stop."""
