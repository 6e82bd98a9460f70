package mailer

import (
	"testing"
	"time"
)

func TestSendSoon(t *testing.T) { Send(50 * time.Millisecond) }

func TestSendLater(t *testing.T) { Send(700 * time.Millisecond) }
