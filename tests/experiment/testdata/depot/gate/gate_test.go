package gate

import (
	"io"
	"net/http"
	"testing"
)

func get(t *testing.T) *http.Response {
	t.Helper()
	answer, err := http.Get(Server().URL)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestGate(t *testing.T) {
	answer := get(t)
	defer answer.Body.Close()
	io.Copy(io.Discard, answer.Body)
}

func TestGateUnread(t *testing.T) {
	if answer := get(t); answer.StatusCode != 200 {
		t.Fatal(answer.Status)
	}
}
