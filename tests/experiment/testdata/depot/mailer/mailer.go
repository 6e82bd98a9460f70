// Package mailer tells people about their parcels.
package mailer

import "time"

// Send sends a letter; whoever asked does not wait for it.
func Send(takes time.Duration) {
	go func() {
		time.Sleep(takes)
	}()
}
