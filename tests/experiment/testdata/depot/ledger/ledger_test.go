package ledger

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	fmt.Println("the ledger has a TestMain of its own")
	code := m.Run()
	os.Exit(code)
}

func TestBook(t *testing.T) {
	for i := 0; i < 20; i++ {
		if Book().Number == "" {
			t.Fatal("no number")
		}
	}
}

func TestWeigh(t *testing.T) {
	for i := 0; i < 200; i++ {
		if Weigh().Number == "" {
			t.Fatal("no number")
		}
	}
}

func TestListen(t *testing.T) {
	seen := make([]string, 0, 1000)
	Listen(func(entry *Entry) { seen = append(seen, entry.Number) })
}

func BenchmarkBook(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Book()
	}
}

func BenchmarkWeigh(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Weigh()
	}
}
