"""The part that a line of source has in a mistake, as it stands beside the line: key -> (English, Chinese)."""

_ROLES: dict[str, tuple[str, str]] = {
    # Channels.
    "made": ("made here", "在此创建"),
    "never-made": ("never made: nil", "从未创建：为 nil"),
    "buffered": ("its buffer", "其缓冲"),
    "select": ("waits in this select", "在此 select 中等待"),
    "sent": ("sent here", "在此发送"),
    "sent-twice": ("sent a second time", "第二次发送"),
    "never-sent": ("never sent", "未发送"),
    "received": ("received here", "在此接收"),
    "never-received": ("not received on this way", "此路径上未接收"),
    "drained": ("drained here", "在此取空"),
    "closed": ("closed here", "在此关闭"),
    "never-closed": ("never closed", "未关闭"),
    "left": ("left here", "由此退出"),
    # Goroutines and what starts and stops them.
    "started": ("started here", "在此启动"),
    "spawned": ("spawned here", "在此启动 goroutine"),
    "bounded-by": ("the bound", "数量上限"),
    "stopped": ("stopped here", "在此停止"),
    "stopped-without-draining": ("stopped without draining", "停止前未取空"),
    "never-stopped": ("never stopped", "未停止"),
    "never-cancelled": ("never cancelled", "未取消"),
    "driver": ("driven from here", "由此反复驱动"),
    "armed": ("timer set here", "在此设置定时器"),
    # Locks.
    "locked": ("locked here", "在此加锁"),
    "locked-first": ("locked first", "先加的锁"),
    "locked-second": ("locked second", "后加的锁"),
    "locked-again": ("locked again", "再次加锁"),
    "held": ("lock is held here", "在此仍持有锁"),
    "unlocked": ("unlocked here", "在此解锁"),
    "never-unlocked": ("never unlocked", "未解锁"),
    # WaitGroup, Cond, waits.
    "added": ("counted here (Add)", "在此计数（Add）"),
    "done": ("counted off here (Done)", "在此减计数（Done）"),
    "never-done": ("never counted off (Done)", "未减计数（Done）"),
    "panics": ("panics here", "在此 panic"),
    "signalled": ("signalled here", "在此唤醒"),
    "never-signalled": ("never signalled", "未发出唤醒"),
    "never-woken": ("never woken", "无人唤醒"),
    "waits": ("waits here", "在此等待"),
    "never-interrupted": ("nothing interrupts it", "无从中断"),
    # Network and other resources.
    "no-deadline": ("no deadline", "没有截止时间"),
    "never-set": ("never set", "未设置"),
    "never-timed-out": ("never times out", "永不超时"),
    "acquired": ("acquired here", "在此获取"),
    "never-released": ("never released", "未释放"),
    "never-unmapped": ("never unmapped", "未解除映射"),
    # What grows.
    "registered": ("registered here", "在此注册"),
    "registered-too-early": ("registered too early", "注册过早"),
    "registered-again": ("registered again", "再次注册"),
    "never-removed": ("never removed", "未移除"),
    "stored": ("stored here", "在此存入"),
    "key": ("the key", "所用的键"),
    "cut": ("cut out here", "在此截取"),
    "chained": ("keeps the one before", "引用前一个"),
    "deferred": ("deferred here", "在此 defer"),
    "loop": ("the loop", "循环"),
}

WORDS: dict[str, tuple[str, str]] = {f"cause.role.{name}": words for name, words in _ROLES.items()}

__all__ = ["WORDS"]
