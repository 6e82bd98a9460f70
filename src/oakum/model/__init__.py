"""The nouns: frozen types that every stage shares. Imports nothing of the house and does no I/O."""

from oakum.model.build import Build
from oakum.model.capture import Buffer, Capture, Problem, Reading
from oakum.model.errors import OakumError, SourceNotFound, Unreachable, Unreadable, UsageError
from oakum.model.frame import Frame, Owner, Stack, normal_function, stack_key
from oakum.model.goroutine import GoroutineGroup, Goroutines
from oakum.model.memstats import MemStats
from oakum.model.metrics import Metrics
from oakum.model.profile import (
    Functions,
    Label,
    LabelSets,
    Locations,
    Mapping,
    Profile,
    Stacks,
    Strings,
    ValueType,
)

__all__ = [
    "Buffer", "Build", "Capture", "Frame", "Functions", "GoroutineGroup", "Goroutines", "Label", "LabelSets",
    "Locations", "Mapping", "MemStats", "Metrics", "OakumError", "Owner", "Problem", "Profile", "Reading",
    "SourceNotFound", "Stack", "Stacks", "Strings", "Unreachable", "Unreadable", "UsageError", "ValueType",
    "normal_function", "stack_key",
]  # fmt: skip
