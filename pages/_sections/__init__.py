"""The sections of the pages: NAME_sections has those of pages/NAME.py."""
