"""The part that a line of source has in a mistake, as it stands beside the line: key -> (English, Chinese)."""

_ROLES: dict[str, tuple[str, str]] = {
    # Channels.
    "made": ("created here", "在此创建"),
    "never-made": ("never created: nil", "未创建：nil"),
    "buffered": ("buffer size", "缓冲大小"),
    "select": ("waits in this select", "在此 select 等待"),
    "sent": ("sent here", "在此发送"),
    "sent-twice": ("second send", "第二次发送"),
    "never-sent": ("never sent", "未发送"),
    "received": ("received here", "在此接收"),
    "never-received": ("no receive on this path", "该路径未接收"),
    "drained": ("drained here", "在此排空"),
    "closed": ("closed here", "在此 close"),
    "never-closed": ("never closed", "未 close"),
    "left": ("returns here", "由此返回"),
    # Goroutines and what starts and stops them.
    "started": ("started here", "在此启动"),
    "spawned": ("goroutine started here", "在此启动协程"),
    "bounded-by": ("the limit", "并发上限"),
    "stopped": ("stopped here", "在此停止"),
    "stopped-without-draining": ("stopped, not drained", "停止但未排空"),
    "never-stopped": ("never stopped", "未停止"),
    "never-cancelled": ("never cancelled", "未取消"),
    "driver": ("triggered here", "由此触发"),
    "armed": ("timer set here", "在此设置 timer"),
    # Locks.
    "locked": ("locked here", "在此加锁"),
    "locked-first": ("first lock", "第一把锁"),
    "locked-second": ("second lock", "第二把锁"),
    "locked-again": ("locked again", "再次加锁"),
    "held": ("lock held here", "此处持锁"),
    "unlocked": ("unlocked here", "在此解锁"),
    "never-unlocked": ("never unlocked", "未解锁"),
    # WaitGroup, Cond, waits.
    "added": ("Add", "Add"),
    "done": ("Done", "Done"),
    "never-done": ("Done not called", "未调用 Done"),
    "panics": ("panics here", "在此 panic"),
    "signalled": ("signaled here", "在此唤醒"),
    "never-signalled": ("never signaled", "未唤醒"),
    "never-woken": ("never woken", "未被唤醒"),
    "waits": ("waits here", "在此等待"),
    "never-interrupted": ("cannot be interrupted", "无法中断"),
    # Network and other resources.
    "no-deadline": ("no deadline", "没有超时"),
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
    "key": ("the key", "键"),
    "cut": ("sliced here", "在此截取"),
    "chained": ("keeps the previous one", "引用前一个"),
    "deferred": ("deferred here", "在此 defer"),
    "loop": ("the loop", "循环"),
}

WORDS: dict[str, tuple[str, str]] = {f"cause.role.{name}": words for name, words in _ROLES.items()}

__all__ = ["WORDS"]
