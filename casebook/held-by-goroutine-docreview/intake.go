package main

import (
	"fmt"
	"net/http"

	"example.org/granaryworks/granary/chassis"
)

// A Page is one scanned page.
type Page struct {
	number int
	pixels []byte
}

// A Document waits for its review with all its pages.
type Document struct {
	name   string
	pages  []Page
	ticket *Ticket
}

// Intake receives documents.
type Intake struct {
	desk    *Desk
	archive *Archive
}

func (in *Intake) receive(w http.ResponseWriter, r *http.Request) {
	name := chassis.Tail(r, "/documents/")
	doc := &Document{name: name, pages: decode(name)}
	doc.ticket = in.desk.submit(name)
	go in.finish(doc)
	w.WriteHeader(http.StatusAccepted)
	fmt.Fprintf(w, "%s: ticket %d\n", name, doc.ticket.number)
}

// finish files the document when the verdict is there.
func (in *Intake) finish(doc *Document) {
	verdict := doc.ticket.wait()
	if verdict.accepted {
		in.archive.file(doc)
	}
}

func decode(name string) []Page {
	pages := make([]Page, 4)
	for i := range pages {
		pages[i] = Page{number: i + 1, pixels: scan(name, i)}
	}
	return pages
}

func scan(name string, page int) []byte {
	pixels := make([]byte, 48<<10)
	for i := range pixels {
		pixels[i] = name[(i+page)%len(name)]
	}
	return pixels
}
