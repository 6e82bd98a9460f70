"""Drafts of tests: which function is called, on an object made as the program makes it, with which arguments."""

import re

import pytest
from msgspec.structs import replace

from go_scenes import Texts, scene
from oakum.explain.reproducers import drafted_tests
from oakum.model import Cause, CauseSite, DraftedTest, Frame, Site, Trace
from oakum.model.known import KnownMatch

DESK = """package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"time"
)

type Prices interface {
	Of(ctx context.Context, lane string) (int, error)
}

type client struct{ base string }

type Desk struct {
	client   *client
	patience time.Duration
	swaps    *swaps
}

type swaps struct{ moves chan int }

func newDesk(base string, patience time.Duration) *Desk {
	return &Desk{client: &client{base}, patience: patience, swaps: &swaps{make(chan int)}}
}

func (d *Desk) Quote(ctx context.Context, lane string, urgent bool) int {
	offers := make(chan int)
	go func() { // GO
		offers <- d.price(lane) // WAIT
	}()
	select {
	case offer := <-offers:
		return offer
	case <-time.After(d.patience):
		return 0
	}
}

func (d *Desk) price(lane string) int {
	if lane == "transpacific" {
		return 2
	}
	return 1
}

func (d *Desk) refresh(ctx context.Context) {}

func (d *Desk) serve(w http.ResponseWriter, r *http.Request) { d.Quote(r.Context(), "x", false) }

func (s *swaps) run() {}

func main() {
	prices := flag.String("prices", "http://prices.internal:8090", "where prices are")
	keep := flag.Duration("keep", 800*time.Millisecond, "patience")
	flag.Parse()
	unrelated := make(map[string]int)
	_ = unrelated
	desk := newDesk(*prices, *keep)
	go desk.swaps.run()
	background(desk.refresh)
	http.HandleFunc("/quotes/", desk.serve)
	log.Fatal(http.ListenAndServe(":8080", nil))
}

func background(task func(context.Context)) {}
"""


def drafts(text: str | dict[str, str], state: str = "chan send") -> tuple[DraftedTest, ...]:
    packages = {"main": text} if isinstance(text, str) else text
    return drafted_tests(replace(scene(packages, state).suspect, wait="hard"), Texts(packages))


def test_an_object_is_made_as_the_program_makes_it() -> None:
    first = drafts(DESK)[0]
    text = first.written()
    assert (first.name, first.function, first.measures) == ("TestDeskQuoteLeak", "(*Desk).Quote", "goroutines")
    assert "desk := newDesk(peerURL, 800*time.Millisecond)" in text, "flags are their defaults, addresses a peer's"
    assert "go desk.swaps.run()" in text
    assert "go repeatedDeskQuoteLeak(background, desk.refresh)" in text, "what a framework runs beside it"
    assert 'desk.Quote(ctx, fmt.Sprintf("k%d", n), false)' in text
    assert r"created by \S*\.\(\*Desk\)\.Quote" in text
    for gone in ("flag.", "unrelated", "ListenAndServe", "prices.internal", ":8080"):
        assert gone not in text, gone


def test_arguments_and_surroundings_are_varied() -> None:
    texts = [draft.written() for draft in drafts(DESK)]
    assert any('desk.Quote(ctx, "transpacific", false)' in text for text in texts), "what the code compares with"
    assert any(re.search(r"desk\.Quote\(ctx, .*, true\)", text) for text in texts)
    assert any("newDesk(peerURL, time.Millisecond)" in text for text in texts), "a limit as good as none"
    assert any("20*time.Millisecond" in text for text in texts), "a context that ends early"
    assert any('httptest.NewRequest("GET", fmt.Sprintf("/quotes/%d", n)' in text for text in texts), "a route"
    assert len(texts) <= 48


def test_drafts_stand_side_by_side() -> None:
    draft = drafts(DESK)[0]
    names = [set(re.findall(r"(?m)^func (\w+)\(", draft.written(str(number)))) for number in (1, 2)]
    assert names[0]
    assert not names[0] & names[1]
    assert not re.search("[\\0-\\3]", draft.written())


FAKES = """package main

import "context"

type Prices interface {
	Of(ctx context.Context, lane string) (int, error)
}

type Desk struct{ prices Prices }

func NewDesk(prices Prices) *Desk { return &Desk{prices} }

func (d *Desk) Ask(ctx context.Context, done func(string) error) {
	answers := make(chan int)
	go func() { // GO
		price, _ := d.prices.Of(ctx, "x")
		answers <- price // WAIT
	}()
	select {
	case <-answers:
	case <-ctx.Done():
	}
}
"""


def test_interfaces_are_faked_and_functions_made() -> None:
    text = drafts(FAKES)[0].written()
    assert "subject := NewDesk(fakePricesDeskAskLeak{})" in text
    assert "func (fakePricesDeskAskLeak) Of(ctx context.Context, lane string) (r0 int, r1 error) {" in text
    assert "subject.Ask(ctx, func(string) (r0 error) { time.Sleep(300 * time.Millisecond); return })" in text


@pytest.mark.parametrize("name", ["x`+evil()+`", 'x")\nevil()//', "x\ny"])
def test_a_name_of_a_capture_is_never_code(name: str) -> None:
    suspect = scene(DESK, "chan send").suspect
    frame = Frame(name, "/srv/elsewhere/code.go", 3)
    hostile = replace(
        suspect, wait="hard", sites=(Site("blocked", frame),), traces=(Trace((frame,), "chan send", frame),)
    )
    cause = Cause((), (CauseSite("made", suspect.sites[0].frame),))
    assert drafted_tests(replace(hostile, cause=cause), Texts({"main": DESK})) == ()


@pytest.mark.parametrize(
    "text",
    [
        "package main\n\nfunc main() {\n\tc := make(chan int)\n\tgo func() { // GO\n\t\tc <- 1 // WAIT\n\t}()\n}\n",
        'package main\n\nimport "C"\n\ntype T struct{}\n\nfunc (t *T) ask(x C.int) {\n\tc := make(chan int)\n'
        "\tgo func() { // GO\n\t\tc <- 1 // WAIT\n\t}()\n}\n",
    ],
    ids=["main alone", "a type that no test can write"],
)
def test_nothing_is_drafted_where_nothing_can_be_called(text: str) -> None:
    assert drafts(text) == ()


WATCHES = """package main

import (
	"context"

	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

type Runner struct{ client kubernetes.Interface }

func NewRunner(client kubernetes.Interface) *Runner { return &Runner{client} }

func (r *Runner) Follow(ctx context.Context, name string) {
	events := make(chan watch.Event)
	go func() { // GO
		events <- watch.Event{} // WAIT
	}()
	select {
	case <-events:
	case <-ctx.Done():
	}
}
"""


def test_the_catalogue_has_calls_and_peers_for_known_bugs() -> None:
    packages = {"main": WATCHES}
    known = KnownMatch("kubernetes-98653", "k8s.io/apimachinery", "v0.18.8", (), None, "self", "yes")
    suspect = replace(scene(packages, "chan send").suspect, wait="hard", known=(known,))
    texts = {draft.function: draft.written() for draft in reversed(drafted_tests(suspect, Texts(packages)))}
    library = texts["watch.NewStreamWatcher"]
    assert 'kruntime "k8s.io/apimachinery/pkg/runtime"' in library
    assert re.search(r"watch\.NewStreamWatcher\(&fakeStream\w+\{\}, fakeReports\w+\{\}\)", library)
    own = texts["(*Runner).Follow"]
    assert "NewRunner(client)" in own
    assert '"k8s.io/client-go/rest"' in own
    assert '"watch"' in own
    without = drafted_tests(replace(suspect, known=()), Texts(packages))
    assert not any("NewStreamWatcher" in draft.text or "httptest" in draft.text for draft in without)
