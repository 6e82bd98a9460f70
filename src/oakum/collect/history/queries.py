"""What is asked of Prometheus about one process: its memory, goroutines, collections, starts, work."""

from collections.abc import Mapping

from oakum.collect.history.selector import exactly

# What each scrape of a Go process has; and what the kubelet tells of containers, in its own name.
SIGNS = ("go_goroutines", "process_resident_memory_bytes")
CONTAINER_SIGN = "container_memory_working_set_bytes"
_STATE = (
    "go_goroutines", "go_threads", "process_resident_memory_bytes", "process_virtual_memory_bytes",
    "process_start_time_seconds", "process_cpu_seconds_total", "process_open_fds", "process_max_fds",
    "go_memstats_(heap_(alloc|inuse|idle|released|sys)|next_gc|sys|stack_(sys|inuse))_bytes",
    "go_memstats_(alloc_bytes|mallocs|frees)_total", "go_memstats_last_gc_time_seconds", "go_memstats_heap_objects",
    "go_gc_duration_seconds_count", "go_gc_cycles_total_gc_cycles_total", "go_gc_gogc_percent",
    "go_gc_gomemlimit_bytes", "go_gc_heap_(live|goal)_bytes", "go_info", "go_build_info", "kubernetes_build_info",
)  # fmt: skip
_WORK = (
    "http_(server_)?requests?_total", "http_(server_)?request_duration_seconds_count", "[a-z0-9_]+_requests_total",
    "apiserver_request_(total|count)", "grpc_server_(handled|started)_total", "rpc_server_duration_[a-z]+_count",
)  # fmt: skip
_CONTAINER = (
    "container_memory_(working_set_bytes|rss)", "container_spec_memory_limit_bytes",
    "kube_pod_container_status_restarts_total",
)  # fmt: skip
# What tells one process from another.
PLACES = ("cluster", "job", "namespace", "pod", "container", "instance")


def queries(labels: Mapping[str, str], of_a_container: bool) -> list[tuple[str, str]]:
    """Return (what it tells, query) of a process with these labels."""
    found = []
    if not of_a_container:
        mine = exactly(labels, PLACES).inner()
        found.append(("state", f'{{__name__=~"{"|".join(_STATE)}",{mine}}}'))
        # Summed by the server: there may be thousands of paths and codes.
        counted = f'{{__name__=~"{"|".join(_WORK)}",__name__!~"promhttp_.*",{mine}}}'
        by = ", ".join(name for name in PLACES if labels.get(name))
        found.append(("work", f"sum by (__name__, {by}) ({counted})"))
    if labels.get("pod") and labels.get("namespace"):
        pod = exactly(labels, ("cluster", "namespace", "pod", "container")).inner()
        whole = "" if labels.get("container") else ',container!="",container!="POD"'
        inner = f'{{__name__=~"{"|".join(_CONTAINER)}",{pod}{whole}}}'
        kept = ", ".join(name for name in ("namespace", "pod", "container") if labels.get(name))
        # A container that was restarted has a cgroup more for some minutes.
        found.append(("container", f"max by (__name__, {kept}) ({inner})" if not whole else
                      f"sum by (__name__, {kept}) ({inner})"))  # fmt: skip
    return found
