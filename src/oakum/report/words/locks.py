"""What the waits-for links say: locks, their holders, and parents that wait for a child. English, Chinese."""

WORDS: dict[str, tuple[str, str]] = {
    "locks.same-lock": (
        "{count:,} goroutines wait for the same lock ({lock}).",
        "{count:,} 个 goroutine 在等待同一把锁（{lock}）。",
    ),
    "locks.holder.passed": (
        "The lock ({lock}) is held by a goroutine that waits for something else: it stands in {function}, past "
        "the line where others wait for the lock.",
        "这把锁（{lock}）由一个正在等待别的东西的 goroutine 持有："
        "它停在 {function} 中，已经越过其他 goroutine 等锁的那一行。",
    ),
    "locks.holder.carried": (
        "The lock ({lock}) is most likely held by a goroutine that waits elsewhere: its frame {function} carries the "
        "address of the lock or of the object that has it.",
        "这把锁（{lock}）很可能由一个在别处等待的 goroutine 持有：它的栈帧 {function} 带有这把锁或其所属对象的地址。",
    ),
    "locks.holder.shape": (
        "The lock ({lock}) may be held by a goroutine that waits elsewhere: {function} of the same code is on its "
        "stack. No address proves it.",
        "这把锁（{lock}）可能由一个在别处等待的 goroutine 持有："
        "它的栈上有同一处代码的 {function}。没有地址可以证明这一点。",
    ),
    "locks.twice": (
        "The goroutine waits for a lock ({lock}) that it seems to hold itself: {function} is on its own stack.",
        "这个 goroutine 在等待一把似乎由它自己持有的锁（{lock}）：{function} 就在它自己的栈上。",
    ),
    "locks.reads-again": (
        "A reader asks for the read lock ({lock}) a second time within {function}, while a writer already waits "
        "for the first one to be released: neither can go on.",
        "一个读者在 {function} 中第二次请求读锁（{lock}），而一个写者已经在等它释放第一次的读锁：两者都无法继续。",
    ),
    "locks.writer": (
        "A writer waits for the lock ({lock}); until it has had it, no new reader and no other writer gets in.",
        "一个写者在等待这把锁（{lock}）；在它得到锁之前，新的读者和其他写者都进不来。",
    ),
    "locks.nobody": (
        "No stack shows who holds the lock ({lock}): it was locked twice, never unlocked by code that has returned, or "
        "is held by a goroutine that waits for something else.",
        "没有任何栈显示谁持有这把锁（{lock}）：可能被锁了两次，可能已经返回的代码没有解锁，"
        "也可能持有它的 goroutine 正在等待别的东西。",
    ),
    "locks.cycle": (
        "{count:,} goroutines wait for each other in a circle: each holds a lock that the next one wants.",
        "{count:,} 个 goroutine 互相等待成环：每一个都持有下一个想要的锁。",
    ),
    "locks.parent": (
        "Goroutine {parent} waits for goroutine {child}, which it started and which stands in {function} [{state}]; "
        "{count:#goroutine} in all wait so.",
        "goroutine {parent} 在等待它自己启动的 goroutine {child}，后者停在 {function} [{state}]；"
        "这样等待的共有 {count:,} 个 goroutine。",
    ),
    "locks.parent.by-name": (
        "{count:#goroutine} in the function that started others and waits for them: those stand in {function} "
        "[{state}].",
        "{count:,} 个 goroutine 停在启动了其他 goroutine 的函数里等待它们，被启动的停在 {function} [{state}]。",
    ),
    "locks.beside": (
        "{count:#goroutine} in a WaitGroup, for those started beside: they stand in {function} [{state}].",
        "{count:,} 个 goroutine 在 WaitGroup 中等待与自己一同启动的 goroutine，后者停在 {function} [{state}]。",
    ),
    "locks.place": (
        "{count:#goroutine} at a line that others have passed, as if behind them in a queue: those stand in {function} "
        "[{state}].",
        "{count:,} 个 goroutine 停在其他 goroutine 已经越过的一行上，好像在它们后面排队："
        "那些 goroutine 停在 {function} [{state}]。",
    ),
    "locks.object": (
        "{count:#goroutine} stopping an object whose work cannot end: on the same object, by its address, another "
        "stands in {function} [{state}].",
        "{count:,} 个 goroutine 正在停止一个工作无法结束的对象：按地址看，同一个对象上还有 goroutine 停在 "
        "{function} [{state}]。",
    ),
    "locks.type": (
        "{count:#goroutine} stopping an object; for one of the same type another stands in {function} [{state}]. No "
        "address proves that it is the same object.",
        "{count:,} 个 goroutine 正在停止一个对象；同类型的对象上还有 goroutine 停在 {function} [{state}]。"
        "没有地址可以证明是同一个对象。",
    ),
}
