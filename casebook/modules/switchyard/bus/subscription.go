package bus

const pendingSize = 1024

// Subscription is one handler's place on the bus.
type Subscription struct {
	bus     *Bus
	topic   string
	handler Handler
	in      chan Event
	next    chan Event
	pending ring
}

func newSubscription(b *Bus, topic string, handler Handler) *Subscription {
	return &Subscription{
		bus:     b,
		topic:   topic,
		handler: handler,
		in:      make(chan Event),
		next:    make(chan Event),
		pending: newRing(pendingSize),
	}
}

// Cancel takes the subscription off the bus. Events that are pending are still handled.
func (s *Subscription) Cancel() {
	s.bus.remove(s)
}

func (s *Subscription) pop() {
	defer close(s.next)
	var next chan<- Event
	var head Event
	for {
		select {
		case next <- head:
			var ok bool
			if head, ok = s.pending.read(); !ok {
				next = nil
			}
		case e, ok := <-s.in:
			if !ok {
				return
			}
			if next == nil {
				head, next = e, s.next
			} else {
				s.pending.write(e)
			}
		}
	}
}

func (s *Subscription) run() {
	for e := range s.next {
		s.handler.OnEvent(e)
	}
}
