package main

import (
	"errors"
	"strings"
)

var errNoID = errors.New("message without an id")

// A Message is mail, taken apart.
type Message struct {
	ID      string
	From    string
	Subject string
	Text    string
}

// ParseMessage takes a message apart.
func ParseMessage(raw []byte) (Message, error) {
	text := string(raw)
	head, body, _ := strings.Cut(text, "\r\n\r\n")
	m := Message{Text: body}
	for head != "" {
		var line string
		line, head, _ = strings.Cut(head, "\r\n")
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.ToLower(name) {
		case "message-id":
			m.ID = strings.Trim(value, "<>")
		case "from":
			m.From = value
		case "subject":
			m.Subject = value
		}
	}
	if m.ID == "" {
		return m, errNoID
	}
	return m, nil
}
