package main

// readAhead fetches the next page while the current one is being read.
type readAhead struct {
	index  *index
	query  string
	wanted chan int
	pages  chan []string
	quit   chan struct{}
	at     int
}

func startReadAhead(ix *index, query string) *readAhead {
	r := &readAhead{
		index:  ix,
		query:  query,
		wanted: make(chan int, 1),
		pages:  make(chan []string, 1),
		quit:   make(chan struct{}),
	}
	go r.run()
	r.wanted <- 0
	return r
}

func (r *readAhead) run() {
	for {
		select {
		case at := <-r.wanted:
			r.pages <- r.index.page(r.query, at, 25)
		case <-r.quit:
			return
		}
	}
}

func (r *readAhead) page() []string {
	page := <-r.pages
	r.at += len(page)
	r.wanted <- r.at
	return page
}

func (r *readAhead) stop() {
	close(r.quit)
}
