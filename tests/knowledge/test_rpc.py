"""Calls between processes: every protocol with the stacks that it brings, as real modules print them."""

import pytest

from oakum.knowledge.rpc import Example, examples, rpc
from oakum.model import Capture, GoroutineGroup, Stack
from oakum.model.frame import Frame
from oakum.parse import parse

EXAMPLES = [(name, example) for name, shown in examples().items() for example in shown]


def group(dump: str) -> GoroutineGroup:
    (reading,) = parse(Capture("x", dump.encode()))
    assert reading.goroutines is not None
    (one,) = reading.goroutines.groups
    return one


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_every_example_is_what_it_says(name: str, example: Example) -> None:
    stack = group(example.dump).stack
    found = rpc().call_of(stack) if example.side == "client" else rpc().served_by(stack)
    if not example.matches:
        assert found is None or found.protocol.id != name
        return
    assert found is not None
    assert found.protocol.id == name
    assert found.frame.function == example.function
    service, _, method = example.method.partition(".")
    assert (found.service.lower(), found.method) == (service.lower(), method)


@pytest.mark.parametrize("protocol", rpc().protocols, ids=lambda one: one.id)
def test_every_protocol_has_examples_of_both_sides(protocol) -> None:  # type: ignore[no-untyped-def]  # a parameter
    sides = {example.side for example in examples()[protocol.id] if example.matches}
    assert sides == ({"client", "server"} if protocol.served_by else {"client"})
    assert bool(protocol.server) == (not protocol.served_by)
    assert bool(protocol.ask) == bool(protocol.server)
    assert not protocol.over or protocol.over in {one.id for one in rpc().protocols}


def test_one_that_answers_by_asking_another_is_both() -> None:
    dump = next(one.dump for one in examples()["grpc"] if "_RuntimeService_ListContainerStats_Handler" in one.dump)
    stack = group(dump).stack
    call, served = rpc().call_of(stack), rpc().served_by(stack)
    assert call is not None
    assert served is not None
    assert (call.protocol.id, call.method) == ("ttrpc", "Stats")
    assert (served.protocol.id, served.method) == ("grpc", "ListContainerStats")


def test_no_frames_are_no_call() -> None:
    assert rpc().call_of(Stack(())) is None
    assert rpc().served_by(Stack((Frame("main.main"),))) is None
