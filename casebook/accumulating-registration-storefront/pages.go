package main

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/lane"
	"example.org/granaryworks/granary/peer"
	"example.org/kestrelops/switchyard/toggles"
)

// Pages are the pages of the shop.
type Pages struct {
	store   *toggles.Store
	stock   *peer.Peer
	layouts *layoutCache
	page    *template.Template
	common  *Experiments
}

func newPages(store *toggles.Store, stock *peer.Peer, shared bool) *Pages {
	p := &Pages{
		store:   store,
		stock:   stock,
		layouts: newLayoutCache(),
		page:    template.Must(template.New("page").Parse(pageText)),
	}
	if shared {
		p.common = NewExperiments(store)
	}
	return p
}

const pageText = `<html><head><title>{{.Title}}</title></head><body class="{{.Layout}}">
{{range .Lines}}<p>{{.}}</p>
{{end}}</body></html>`

type pageData struct {
	Title  string
	Layout string
	Lines  []string
}

func (p *Pages) experiments() *Experiments {
	if p.common != nil {
		return p.common
	}
	return NewExperiments(p.store)
}

func (p *Pages) catalog(w http.ResponseWriter, r *http.Request) {
	item := chassis.Tail(r, "/catalog/")
	data := pageData{Title: "Item " + item}
	x := p.experiments()
	if x.Active("new-stock-badge", item) {
		text, err := p.stock.Get(r.Context(), "/stock/"+item, 1<<20)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		data.Lines = append(data.Lines, fmt.Sprintf("%d bytes of stock", len(text)))
	}
	data.Layout = p.layouts.get(item, x.Active("wide-layout", item)).name
	p.write(w, data)
}

func (p *Pages) cart(w http.ResponseWriter, r *http.Request) {
	p.write(w, pageData{Title: "Cart", Layout: "narrow", Lines: []string{chassis.Tail(r, "/cart/")}})
}

func (p *Pages) write(w http.ResponseWriter, data pageData) {
	for i := 0; i < 200; i++ {
		data.Lines = append(data.Lines, fmt.Sprintf("line %d of %s, as it was printed for the last customer", i, data.Title))
	}
	var out bytes.Buffer
	if err := p.page.Execute(&out, data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(out.Bytes())
}

func (p *Pages) setFeature(w http.ResponseWriter, r *http.Request) {
	percent, err := strconv.ParseUint(r.URL.Query().Get("percent"), 10, 32)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.store.Set(chassis.Tail(r, "/features/"), uint32(percent))
}

// preview renders the front page on the workers twice a second.
func (p *Pages) preview(workers *lane.Lane) func(context.Context) {
	return func(ctx context.Context) {
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				workers.Close()
				return
			case <-tick.C:
				workers.Do(func() {
					var out bytes.Buffer
					p.page.Execute(&out, pageData{Title: "Welcome", Layout: "wide"})
				})
			}
		}
	}
}
