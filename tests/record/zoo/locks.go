package main

import "sync"

type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) deposit(amount int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += amount
}

type index struct {
	mu    sync.RWMutex
	names map[string]int
}

func (x *index) lookup(name string) int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.names[name]
}

func (x *index) insert(name string) {
	x.mu.Lock()
	x.names[name]++
	x.mu.Unlock()
}

// replace waits for the readers, insert for the writer before it.
func (x *index) replace(names map[string]int) {
	x.mu.Lock()
	x.names = names
	x.mu.Unlock()
}

type mailbox struct {
	mu       sync.Mutex
	nonEmpty *sync.Cond
	letters  []string
}

func (m *mailbox) take() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.letters) == 0 {
		m.nonEmpty.Wait()
	}
	return m.letters[0]
}

func waitForAll(group *sync.WaitGroup) {
	group.Wait()
}

// locked can be reached for ever; what is made in openLocks alone cannot.
var locked struct {
	account account
	index   index
	mailbox *mailbox
}

func openLocks() {
	const creator = "main.openLocks"
	lost := &account{}
	lost.mu.Lock()
	show(exhibit{Function: "main.(*account).deposit", Count: 3, State: "sync.Mutex.Lock", CreatedBy: creator, Leaked: true})
	for i := 0; i < 3; i++ {
		go lost.deposit(i)
	}

	// One reader holds it: the first writer waits for the reader, the second for the first, new readers for both.
	x := &locked.index
	x.mu.RLock()
	show(exhibit{Function: "main.(*index).replace", Count: 1, State: "sync.RWMutex.Lock", CreatedBy: creator})
	go x.replace(map[string]int{})
	settle()
	show(exhibit{Function: "main.(*index).insert", Count: 2, State: "sync.RWMutex.Lock", CreatedBy: creator})
	go x.insert("okapi")
	go x.insert("tapir")
	show(exhibit{Function: "main.(*index).lookup", Count: 3, State: "sync.RWMutex.RLock", CreatedBy: creator})
	for i := 0; i < 3; i++ {
		go x.lookup("okapi")
	}

	group := new(sync.WaitGroup)
	group.Add(1)
	show(exhibit{Function: "main.waitForAll", Count: 2, State: "sync.WaitGroup.Wait", CreatedBy: creator, Leaked: true})
	go waitForAll(group)
	go waitForAll(group)

	locked.mailbox = &mailbox{}
	locked.mailbox.nonEmpty = sync.NewCond(&locked.mailbox.mu)
	show(exhibit{Function: "main.(*mailbox).take", Count: 2, State: "sync.Cond.Wait", CreatedBy: creator})
	go locked.mailbox.take()
	go locked.mailbox.take()
}
