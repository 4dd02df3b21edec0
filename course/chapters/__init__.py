"""Everything of a chapter in one folder: its claims' code, exercises with their texts, recall questions."""

from pathlib import Path

FOLDER = Path(__file__).parent
