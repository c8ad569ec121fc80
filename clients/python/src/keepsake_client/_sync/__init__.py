# Generated from _async by scripts/generate.py; do not edit.
