// Package cursor remembers how far each merchant's feed has been read.
package cursor

import (
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Table maps a page of a feed to its resume token.
type Table struct {
	tokens *lru.Cache[string, string]
}

// NewTable makes a table for at most size pages. A token is some 20 bytes.
func NewTable(size int) (*Table, error) {
	c, err := lru.New[string, string](size)
	if err != nil {
		return nil, err
	}
	return &Table{tokens: c}, nil
}

// Mark notes the token of a page.
func (t *Table) Mark(merchant string, page int, token string) {
	t.tokens.Add(fmt.Sprintf("%s/%d", merchant, page), token)
}

// Token returns the token of a page.
func (t *Table) Token(merchant string, page int) (string, bool) {
	return t.tokens.Get(fmt.Sprintf("%s/%d", merchant, page))
}

// Len is the number of pages known.
func (t *Table) Len() int { return t.tokens.Len() }
