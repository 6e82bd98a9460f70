package main

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Line is an article in a cart.
type Line struct {
	article  string
	quantity int
	price    float64
	hold     *time.Timer
	note     [48]byte
}

// A Cart belongs to one visitor.
type Cart struct {
	id    string
	lines []Line
	holds int
}

// Carts are the open carts.
type Carts struct {
	lifetime time.Duration
	release  bool
	stock    stock

	mu   sync.Mutex
	byID map[string]*Cart
}

// NewCarts gives carts up after the given time; with release, a paid cart gives up its holds at once.
func NewCarts(lifetime time.Duration, release bool) *Carts {
	return &Carts{lifetime: lifetime, release: release, byID: make(map[string]*Cart)}
}

func (c *Carts) open() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return float64(len(c.byID))
}

// Open returns a new cart with room for the usual number of lines.
func (c *Carts) Open(id string) *Cart {
	cart := &Cart{id: id, lines: make([]Line, 0, 160)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byID[id] = cart
	return cart
}

// Add puts an article into the cart and holds it in stock until the cart is given up.
func (c *Carts) Add(cart *Cart, article string, price float64) {
	at := len(cart.lines)
	cart.lines = append(cart.lines, Line{article: article, quantity: 1, price: price})
	cart.holds++
	c.stock.take(1)
	cart.lines[at].hold = c.hold(cart, at)
}

func (c *Carts) hold(cart *Cart, at int) *time.Timer {
	return time.AfterFunc(c.lifetime, func() { c.abandon(cart, at) })
}

// Close takes a paid cart away.
func (c *Carts) Close(cart *Cart) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byID, cart.id)
	sum := 0.0
	for _, line := range cart.lines {
		if c.release {
			line.hold.Stop()
		}
		sum += float64(line.quantity) * line.price
	}
	return sum
}

// abandon puts a line that nobody paid back into stock.
func (c *Carts) abandon(cart *Cart, at int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID[cart.id] == cart {
		c.stock.take(-cart.lines[at].quantity)
		if cart.holds--; cart.holds == 0 {
			delete(c.byID, cart.id)
		}
	}
}

// Saved keeps the cart of a known customer; there is one per customer.
func (c *Carts) Saved(customer string) *Cart {
	c.mu.Lock()
	defer c.mu.Unlock()
	cart, ok := c.byID["customer/"+customer]
	if !ok {
		cart = &Cart{id: "customer/" + customer, lines: stored()}
		c.byID[cart.id] = cart
	}
	return cart
}

func stored() []Line {
	return make([]Line, 480)
}

// stock counts the articles that are held.
type stock struct {
	held int64
}

func (s *stock) take(n int) {
	atomic.AddInt64(&s.held, int64(n))
}
