"""Bytes of a capture -> the same capture with names replaced by tokens, for bundles that leave the house."""

from oakum.redact.redaction import Redaction

__all__ = ["Redaction"]
