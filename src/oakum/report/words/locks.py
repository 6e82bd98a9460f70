"""What the waits-for links say: locks, their holders, and parents that wait for a child. English, Chinese."""

WORDS: dict[str, tuple[str, str]] = {
    "locks.same-lock": (
        "{count:,} goroutines wait for the same lock ({lock}).",
        "{count:,} 个协程在等待同一把锁（{lock}）。",
    ),
    "locks.holder.passed": (
        "The lock ({lock}) is held by a goroutine blocked in {function}, past the line where the others wait for "
        "the lock.",
        "锁（{lock}）由一个阻塞在 {function} 的协程持有：它已越过其他协程等锁的那一行。",
    ),
    "locks.holder.carried": (
        "The lock ({lock}) is most likely held by a goroutine blocked elsewhere: its frame {function} has the "
        "address of the lock or of its object.",
        "锁（{lock}）很可能由阻塞在别处的协程持有：其栈帧 {function} 带有该锁或所属对象的地址。",
    ),
    "locks.holder.shape": (
        "The lock ({lock}) may be held by a goroutine blocked elsewhere with {function} of the same code on its "
        "stack. No address confirms it.",
        "锁（{lock}）可能由阻塞在别处的协程持有：其栈上有同一处代码的 {function}，但没有地址可以印证。",
    ),
    "locks.twice": (
        "The goroutine waits for a lock ({lock}) that it most likely holds itself: {function} is on its own stack.",
        "协程在等待一把很可能由自己持有的锁（{lock}）：{function} 就在它自己的栈上。",
    ),
    "locks.reads-again": (
        "{function} takes the read lock ({lock}) a second time while a writer waits for the first to be released: "
        "deadlock.",
        "{function} 第二次获取读锁（{lock}），而写者正在等第一次的读锁释放：双方死锁。",
    ),
    "locks.writer": (
        "A writer waits for the lock ({lock}). Until it gets it, every new reader and writer queues behind it.",
        "一个写者在等待锁（{lock}）；在它拿到之前，新来的读者和写者都要排队。",
    ),
    "locks.nobody": (
        "No stack shows who holds the lock ({lock}). Either code that returned did not unlock it, or it was locked "
        "twice, or its holder is blocked elsewhere.",
        "没有调用栈显示谁持有锁（{lock}）：可能已返回的代码没有解锁，可能重复加锁，也可能持有者阻塞在别处。",
    ),
    "locks.cycle": (
        "{count:,} goroutines wait for each other in a cycle: each holds the lock that the next one needs.",
        "{count:,} 个协程循环等待：各自持有下一个所需的锁。",
    ),
    "locks.parent": (
        "Goroutine {parent} waits for goroutine {child}, which it started and which is blocked in {function} "
        "[{state}]. {count:#goroutine} in total wait like this.",
        "协程 {parent} 在等待它启动的协程 {child}，后者阻塞在 {function} [{state}]；共有 {count:,} 个协程这样等待。",
    ),
    "locks.parent.by-name": (
        "{count:#goroutine} waiting for goroutines they started, which are blocked in {function} [{state}].",
        "{count:,} 个协程在等待自己启动的协程，后者阻塞在 {function} [{state}]。",
    ),
    "locks.beside": (
        "{count:#goroutine} waiting on a WaitGroup for siblings, which are blocked in {function} [{state}].",
        "{count:,} 个协程通过 WaitGroup 等待同批启动的协程，后者阻塞在 {function} [{state}]。",
    ),
    "locks.place": (
        "{count:#goroutine} waiting at a line that others have passed, as in a queue; those are blocked in "
        "{function} [{state}].",
        "{count:,} 个协程等在其他协程已越过的一行，形同排队；后者阻塞在 {function} [{state}]。",
    ),
    "locks.object": (
        "{count:#goroutine} stopping an object whose work cannot finish: another goroutine on the same object (same "
        "address) is blocked in {function} [{state}].",
        "{count:,} 个协程正在停止一个无法收尾的对象：同一对象（地址相同）上另有协程阻塞在 {function} [{state}]。",
    ),
    "locks.type": (
        "{count:#goroutine} stopping an object; another goroutine on an object of the same type is blocked in "
        "{function} [{state}]. No address confirms that it is the same object.",
        "{count:,} 个协程正在停止一个对象；同类型对象上另有协程阻塞在 {function} [{state}]，"
        "但没有地址能印证是同一对象。",
    ),
}
