"""A profile as the text that google/pprof's Profile.String() and `go tool pprof -raw` print."""

from oakum.model import Profile


def dump(profile: Profile) -> str:
    """Return the profile in google/pprof's own debugging form."""
    out = []
    if profile.period_type is not None:
        out.append(f"PeriodType: {profile.period_type.type} {profile.period_type.unit}")
    out.append(f"Period: {profile.period}")
    if profile.duration_nanos:
        out.append(f"Duration: {_duration(profile.duration_nanos)}")
    out += ["Samples:", " ".join(str(type) for type in profile.sample_types)]
    for sample in range(profile.samples):
        values = "".join(f" {value:10d}" for value in profile.values[:, sample].tolist())
        rows = profile.stacks[int(profile.stack_ids[sample])].tolist()
        out.append(values + ": " + "".join(f"{row + 1} " for row in rows))
        labels = profile.labels(int(profile.label_ids[sample]))
        texts = sorted(f"{label.key}:[{label.text}]" for label in labels if label.text)
        numbers = sorted(f"{label.key}:[{label.number}]" for label in labels if not label.text)
        out += [" " * 16 + " ".join(part) for part in (texts, numbers) if part]
    out.append("Locations")
    for row in range(len(profile.locations)):
        head = f"{row + 1:6d}: {int(profile.locations.address[row]):#x} "
        if profile.locations.mapping[row] >= 0:
            head += f"M={int(profile.locations.mapping[row]) + 1} "
        named = profile.locations.line_starts[row] < profile.locations.line_starts[row + 1]
        for frame in profile.frames(row):
            out.append(head + (f"{frame.function} {frame.file}:{frame.line}:0 s=0" if named else ""))
            head = " " * 13
    out.append("Mappings")
    for number, mapping in enumerate(profile.mappings, 1):
        bits = "[FN]" * mapping.has_functions + "[FL]" * mapping.has_filenames + "[LN]" * mapping.has_line_numbers
        span = f"{mapping.start:#x}/{mapping.limit:#x}/{mapping.offset:#x}"
        out.append(f"{number}: {span} {mapping.file} {mapping.build_id} {bits}")
    return "\n".join(out) + "\n"


def _duration(nanos: int) -> str:
    """Return Go's fmt.Sprintf("%.4v", time.Duration(nanos)): the first four characters of 4h35m2.83s."""
    seconds = nanos // 1_000_000_000
    hours, minutes = seconds // 3600, seconds // 60 % 60
    text = f"{hours}h" if hours else ""
    text += f"{minutes}m" if hours or minutes else ""
    return (text + f"{seconds % 60 + nanos % 1_000_000_000 / 1e9:g}s")[:4]
