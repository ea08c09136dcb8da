"""The sections of the pages: NAME_sections has the sections of pages/NAME.py."""
