"""The server around the app: guard, login, connections, uploads, health, beginning and end."""
