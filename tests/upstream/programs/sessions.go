package main // Sessions are kept for each request; only ClearHandler, which nobody put around the handler, forgets them.

import (
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/gorilla/context"
	"github.com/gorilla/sessions"
)

const batch = 25

var every = 50 * time.Millisecond
var store = sessions.NewCookieStore([]byte("0123456789abcdef0123456789abcdef"))
var root http.Handler

func desk(w http.ResponseWriter, r *http.Request) {
	s, _ := store.Get(r, "desk")
	s.Values["seen"] = 1
	s.Save(r, w)
}

func setup() {
	root = http.HandlerFunc(desk)
	if mode == "healthy" {
		root = context.ClearHandler(root)
	}
}

func serve(n int) {
	root.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/desk", nil))
}
