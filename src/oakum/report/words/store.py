"""What a store says of itself: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "store.none": (
        "{path} holds no store. To make one: oakum watch TARGET --store {path}, or oakum store add {path} FILE...",
        "{path} 中没有存储。创建方法：oakum watch TARGET --store {path}，或 oakum store add {path} FILE...",
    ),
    "store.no-directory": (
        "{path} is a file; a store is a directory: name the one that `oakum watch --store DIR` was given.",
        "{path} 是文件；存储应为目录：请给出 `oakum watch --store DIR` 所用的目录。",
    ),
    "store.foreign": (
        "{path} holds something else ({name}) and no store; name an empty or a new directory.",
        "{path} 中已有其他内容（{name}），且不是存储；请指定空目录或新目录。",
    ),
    "store.busy": (
        "{path}: process {pid} is writing into this store; there is one writer at a time. Reading it is possible: "
        "oakum history --store {path}",
        "{path}：进程 {pid} 正在写入该存储；同一时间只能有一个写入者。仍可读取：oakum history --store {path}",
    ),
    "store.busy-unknown": (
        "{path}: another process is writing into this store; there is one writer at a time.",
        "{path}：另一个进程正在写入该存储；同一时间只能有一个写入者。",
    ),
    "store.too-new": (
        "{path} is a store of version {version}; this oakum reads up to version {known}. Upgrade: pip install -U "
        "'oakum[store]'",
        "{path} 是版本 {version} 的存储；当前 oakum 最高支持版本 {known}。升级：pip install -U 'oakum[store]'",
    ),
    "store.no-duckdb": (
        "a store needs DuckDB, which is not installed: pip install 'oakum[store]'",
        "存储需要 DuckDB，但未安装：pip install 'oakum[store]'",
    ),
    "store.unread": ("{path} could not be read: {error}.", "无法读取 {path}：{error}。"),
    "store.damaged-manifest": (
        "{path} is damaged: it is not the manifest of a store. oakum store check tells what is whole.",
        "{path} 已损坏：不是存储清单。oakum store check 可查看哪些部分完好。",
    ),
    "store.full": (
        "{path}: no space left on the disk. Nothing acknowledged is lost; it goes on when there is space again.",
        "{path}：磁盘空间不足。已确认的数据没有丢失；有空间后继续写入。",
    ),
    "store.failed": ("{path}: {error}.", "{path}：{error}。"),
    "store.no-log": (
        "{path} is missing: the newest snapshots are not in this copy.",
        "缺少 {path}：该副本不含最新的快照。",
    ),
    "store.no-part": (
        "{file} is missing or damaged: {rows:,} rows of {table} are left out.",
        "{file} 缺失或损坏：未包含 {table} 的 {rows:,} 行。",
    ),
    "store.no-manifest": (
        "{path} is missing: the store is read from its parts, and rows may be in it twice.",
        "缺少 {path}：根据数据文件读取存储，行可能重复。",
    ),
    "store.unread-part": ("{file} is damaged and left out.", "{file} 已损坏，未包含在内。"),
    "store.damaged-log": (
        "{path} is damaged: {bytes:bytes} in it are no batch; the batches before and behind them are whole.",
        "{path} 已损坏：其中 {bytes:bytes} 不是有效批次；其前后的批次完好。",
    ),
    "store.no-export": (
        "{path} is no exported store; oakum store export DIR FILE writes one.",
        "{path} 不是导出的存储；可用 oakum store export DIR FILE 导出。",
    ),
    "store.imported-before": (
        "{path} was imported into this store before; nothing was changed.",
        "{path} 之前已导入该存储；未做任何更改。",
    ),
    "store.unsteady": (
        "{path} changed while it was read, again and again; try once more.",
        "读取 {path} 时其内容反复变化；请重试。",
    ),
    "store.event.diagnosis": ("Diagnosed: {verdict}.", "已诊断：{verdict}。"),
    "store.no-capture": (
        "{digest} is not kept in {path} (any more).",
        "{path} 中没有（或已不再）保存 {digest}。",
    ),
    "store.damaged-capture": (
        "{path} is damaged: its bytes do not have its digest.",
        "{path} 已损坏：内容与其摘要不符。",
    ),
}
