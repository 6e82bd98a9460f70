package feeds_test

import (
	"testing"
	"time"

	"example.com/depot/feeds"
)

func TestFeed(t *testing.T) {
	feed := feeds.Open(time.Millisecond)
	t.Cleanup(feed.Close)
	feed.Next()
}

func TestFeedNotClosed(t *testing.T) {
	feed := feeds.Open(time.Millisecond)
	feed.Next()
}
