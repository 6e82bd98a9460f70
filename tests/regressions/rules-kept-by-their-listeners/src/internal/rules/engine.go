package rules

import (
	"sync/atomic"

	"github.com/expr-lang/expr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"example.com/cardguard/riskscore/internal/lists"
)

var (
	publications = promauto.NewCounter(prometheus.CounterOpts{Name: "risk_rule_publications_total", Help: "Rule books published."})
	scored       = promauto.NewCounterVec(prometheus.CounterOpts{Name: "risk_payments_scored_total", Help: "Payments scored."}, []string{"decision"})
	ruleCount    = promauto.NewGauge(prometheus.GaugeOpts{Name: "risk_rules", Help: "Rules in force."})
)

// Ruleset is one published rule book.
type Ruleset struct {
	rules  []*compiled
	listed atomic.Pointer[map[string]bool]
}

// Engine scores payments by the rule book in force.
type Engine struct {
	book *lists.Book
	cur  atomic.Pointer[Ruleset]
}

func NewEngine(book *lists.Book) *Engine {
	e := &Engine{book: book}
	e.cur.Store(&Ruleset{})
	return e
}

// Publish compiles a rule book and puts it in force.
func (e *Engine) Publish(sources []Source) error {
	set := &Ruleset{rules: make([]*compiled, 0, len(sources))}
	for _, s := range sources {
		c, err := compile(s)
		if err != nil {
			return err
		}
		set.rules = append(set.rules, c)
	}
	set.forget()
	// Answers remembered from a list are void once the list changes.
	e.book.Watch(func(string) { set.forget() })
	e.cur.Store(set)
	publications.Inc()
	ruleCount.Set(float64(len(set.rules)))
	return nil
}

func (s *Ruleset) forget() {
	m := make(map[string]bool)
	s.listed.Store(&m)
}

// Score adds the points of all rules that hold.
func (e *Engine) Score(p Payment) (int, string) {
	set := e.cur.Load()
	p.Listed = e.book.Has
	total := 0
	for _, c := range set.rules {
		out, err := expr.Run(c.prog, p)
		if err != nil {
			continue
		}
		if hit, _ := out.(bool); hit {
			c.hits.Add(1)
			total += c.src.Points
		}
	}
	decision := "accept"
	switch {
	case total >= 80:
		decision = "decline"
	case total >= 40:
		decision = "review"
	}
	scored.WithLabelValues(decision).Inc()
	return total, decision
}
