"""The nouns: frozen types that every stage shares. Imports nothing of the house and does no I/O."""

from oakum.model.build import Build
from oakum.model.capture import Buffer, Capture, Problem, Reading
from oakum.model.case import Case, InputRow, Process, Snapshot, Source
from oakum.model.cause import Cause, CauseSite, Excerpt, Flaw, Lead, Remedy, Scan, Sources, SourceText
from oakum.model.diagnosis import (
    Confidence,
    Diagnosis,
    Evidence,
    Explained,
    Finding,
    Gap,
    Growth,
    Memory,
    MomentRow,
    PerEvent,
    Point,
    ProcessRow,
    Role,
    Site,
    Suspect,
    Trace,
    Verdict,
    Victim,
)
from oakum.model.errors import OakumError, SourceNotFound, Unreachable, Unreadable, UsageError
from oakum.model.frame import Frame, Owner, Stack, normal_function, stack_key
from oakum.model.goroutine import GoroutineGroup, Goroutines
from oakum.model.known import Carried, KnownMatch, Sighting
from oakum.model.memstats import MemStats
from oakum.model.metrics import Metrics
from oakum.model.population import Activity, Population, alone
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
from oakum.model.sockets import Socket, Sockets
from oakum.model.text import Text

__all__ = [
    "Activity", "Buffer", "Build", "Capture", "Carried", "Case", "Cause", "CauseSite", "Confidence", "Diagnosis",
    "Evidence", "Excerpt", "Explained", "Finding", "Flaw", "Frame", "Functions", "Gap", "GoroutineGroup",
    "Goroutines", "Growth", "InputRow", "KnownMatch", "Label", "LabelSets", "Lead", "Locations", "Mapping",
    "MemStats", "Memory", "Metrics", "MomentRow", "OakumError", "Owner", "PerEvent", "Point", "Population", "Problem",
    "Process", "ProcessRow", "Profile", "Reading", "Remedy", "Role", "Scan", "Sighting", "Site", "Snapshot", "Socket",
    "Sockets", "Source", "SourceNotFound", "SourceText", "Sources", "Stack", "Stacks", "Strings", "Suspect", "Text",
    "Trace", "Unreachable", "Unreadable", "UsageError", "ValueType", "Verdict", "Victim", "alone", "normal_function",
    "stack_key",
]  # fmt: skip
