package gangway

import "sync"

// Crew runs tasks on a fixed number of hands that rest on a condition variable.
type Crew struct {
	mu     sync.Mutex
	wake   *sync.Cond
	tasks  []func()
	closed bool
}

// NewCrew starts the hands.
func NewCrew(hands int) *Crew {
	c := &Crew{}
	c.wake = sync.NewCond(&c.mu)
	for i := 0; i < hands; i++ {
		go c.hand()
	}
	return c
}

// Do puts a task at the end of the line.
func (c *Crew) Do(task func()) {
	c.mu.Lock()
	c.tasks = append(c.tasks, task)
	c.mu.Unlock()
	c.wake.Signal()
}

// Close sends the hands home once the line is empty.
func (c *Crew) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.wake.Broadcast()
}

func (c *Crew) next() (func(), bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.tasks) == 0 {
		if c.closed {
			return nil, false
		}
		c.wake.Wait()
	}
	task := c.tasks[0]
	c.tasks = c.tasks[1:]
	return task, true
}

func (c *Crew) hand() {
	for {
		task, ok := c.next()
		if !ok {
			return
		}
		task()
	}
}
