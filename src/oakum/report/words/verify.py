"""What `oakum verify BEFORE AFTER` says: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "verify.title": ("Before and after: {process}", "修复前后对比：{process}"),
    "verify.badge.fixed": ("FIXED", "已修复"),
    "verify.badge.leaks": ("STILL LEAKS", "仍在泄漏"),
    "verify.badge.undecided": ("INCONCLUSIVE", "无法定论"),
    "verify.fixed": ("{gone:#leak} gone, no new one.", "{gone:,} 处泄漏已消失，无新增。"),
    "verify.leaks": ("{what}.", "{what}。"),
    "verify.undecided": ("{what}.", "{what}。"),
    "verify.undecided-none": (
        "no leak was found before, so there is nothing to verify.",
        "修复前未发现泄漏，无可验证。",
    ),
    "verify.count.new": ("{count:#new leak}", "{count:,} 处新泄漏"),
    "verify.count.same": ("{count:,} still there", "{count:,} 处仍在"),
    "verify.count.smaller": ("{count:,} only smaller", "{count:,} 处仅减小"),
    "verify.count.gone": ("{count:,} gone", "{count:,} 处已消失"),
    "verify.count.unsettled": ("{count:,} not decided", "{count:,} 处未能判定"),
    "verify.became.gone": ("gone", "已消失"),
    "verify.became.smaller": ("smaller", "减小"),
    "verify.became.same": ("still there", "仍在"),
    "verify.became.new": ("new", "新增"),
    "verify.became.unsettled": ("not decided", "未判定"),
    "verify.side.before": ("before", "修复前"),
    "verify.side.after": ("after", "修复后"),
    "verify.about": ("{side}: {told}", "{side}：{told}"),
    "verify.work": ("{units:,} {unit}", "{units:,} {unit}"),
    "verify.sentence.gone": (
        "{before} before, none after: a leak above {smallest} would have been seen.",
        "修复前 {before}，修复后没有：高于 {smallest} 的泄漏会被检出。",
    ),
    "verify.sentence.gone-some": (
        "{before} before, {after} after, which does not grow: a leak above {smallest} would have been seen.",
        "修复前 {before}，修复后 {after}，不再增长：高于 {smallest} 的泄漏会被检出。",
    ),
    "verify.sentence.smaller": (
        "{before} before, {after} after: {ratio} of it is left.",
        "修复前 {before}，修复后 {after}：仍剩 {ratio}。",
    ),
    "verify.sentence.same": (
        "{before} before, {after} after: {ratio} of what it was.",
        "修复前 {before}，修复后 {after}：为原来的 {ratio}。",
    ),
    "verify.sentence.same-no-ratio": (
        "{before} before, {after} after.",
        "修复前 {before}，修复后 {after}。",
    ),
    "verify.sentence.new": (
        "{after} after. Before, it was not found: a fix can uncover what another leak hid.",
        "修复后 {after}。修复前未发现：修复可能使被掩盖的泄漏显现。",
    ),
    "verify.rate.goroutines": (
        "{value} [{low}, {high}] goroutines per {unit}",
        "每{unit} {value} [{low}, {high}] 个协程",
    ),
    "verify.rate.bytes": ("{value} [{low}, {high}] per {unit}", "每{unit} {value} [{low}, {high}]"),
    "verify.least.goroutines": ("{value} goroutines per {unit}", "每{unit} {value} 个协程"),
    "verify.least.bytes": ("{value} per {unit}", "每{unit} {value}"),
    "verify.unmeasured": ("not measured", "未测量"),
    "verify.ratio": ("{value:.0%} [{low:.0%}, {high:.0%}]", "{value:.0%} [{low:.0%}, {high:.0%}]"),
    # Units of work: one, a thousand or a million of them.
    "verify.unit.request": ("request", "次请求"),
    "verify.unit.run": ("run", "次运行"),
    "verify.unit.second": ("second", "秒"),
    "verify.unit.iteration": ("iteration", "次迭代"),
    "verify.unit.goroutine started": ("goroutine started", "启动 1 个协程"),
    "verify.unit.object allocated": ("object allocated", "分配 1 个对象"),
    "verify.units.request": ("requests", "次请求"),
    "verify.units.run": ("runs", "次运行"),
    "verify.units.second": ("seconds", "秒"),
    "verify.units.iteration": ("iterations", "次迭代"),
    "verify.units.goroutine started": ("goroutines started", "个启动的协程"),
    "verify.units.object allocated": ("objects allocated", "个分配的对象"),
    "verify.section.changes": ("Findings", "各项发现"),
    "verify.section.notes": ("Notes", "说明"),
    "verify.section.missing": ("What is missing", "缺少什么"),
    "verify.section.inputs": ("Evidence", "证据"),
    "verify.chart": ("{what} in `{function}` over work done", "`{function}` 的{what}与完成的工作量"),
    "verify.chart.said": ("{side}: {counts} after {work}", "{side}：完成 {work} 后为 {counts}"),
    "verify.diagnose-one": ("all of that side", "该侧的完整诊断"),
    "verify.again": ("Every number again, from the captures:", "从采集文件重新计算每个数字："),
    "verify.why.program": (
        "These are two programs: `{before}` before, `{after}` after.",
        "这是两个程序：修复前为 `{before}`，修复后为 `{after}`。",
    ),
    "verify.why.snapshots-before": (
        "Before has {snapshots:#snapshot}; growth per work needs three, with load between them.",
        "修复前只有 {snapshots:,} 个快照；按工作量计算增长需要三个，且其间有负载。",
    ),
    "verify.why.snapshots-after": (
        "After has {snapshots:#snapshot}; growth per work needs three, with load between them.",
        "修复后只有 {snapshots:,} 个快照；按工作量计算增长需要三个，且其间有负载。",
    ),
    "verify.why.load-before": (
        "Before shows no work between its snapshots: nothing to divide its growth by.",
        "修复前的快照之间看不到任何工作量：无法换算增长。",
    ),
    "verify.why.load-after": (
        "After shows no work between its snapshots: without load nothing leaks, fixed or not.",
        "修复后的快照之间看不到任何工作量：没有负载时，无论修复与否都不会泄漏。",
    ),
    "verify.why.units": (
        "The work is not the same: counted in {before} before, in {after} after.",
        "工作量单位不同：修复前按 {before} 计，修复后按 {after} 计。",
    ),
    "verify.why.requests": (
        "The work is not the same: `{before}` before, `{after}` after.",
        "所做的工作不同：修复前为 `{before}`，修复后为 `{after}`。",
    ),
    "verify.why.failed-after": (
        "After, {failed:,} of {units:,} units of work failed as they did not before ({said}): nothing shows that what "
        "leaked was reached.",
        "修复后的 {units:,} 个工作单位中有 {failed:,} 个失败，而修复前并非如此（{said}）：无法说明泄漏处被执行过。",
    ),
    "verify.why.before-unclear": (
        "Before, {units:,} units of work do not show how much each leaves: more load is needed there, too.",
        "修复前的 {units:,} 个工作单位看不出每个残留多少：那一侧也需要更多负载。",
    ),
    "verify.why.power": (
        "After did too little work to see it: {units:,} units, about {more:,} more are needed.",
        "修复后的工作量太少，看不出来：已有 {units:,} 个单位，还需约 {more:,} 个。",
    ),
    "verify.note.same-build": (
        "Both sides are the same build ({build}): is the fix in it?",
        "两侧是同一构建（{build}）：修复是否已包含其中？",
    ),
    "verify.note.failed-before": (
        "Before: {failed:,} of {units:,} units of work failed.",
        "修复前：{units:,} 个工作单位中有 {failed:,} 个失败。",
    ),
    "verify.note.failed-after": (
        "After: {failed:,} of {units:,} units of work failed; what leaks only on success was not exercised.",
        "修复后：{units:,} 个工作单位中有 {failed:,} 个失败；仅在成功时发生的泄漏未被触发。",
    ),
    "verify.note.ended-before": (
        "Before: the experiment ended early, after {units:,} units of work.",
        "修复前：实验提前结束，完成 {units:,} 个工作单位。",
    ),
    "verify.note.ended-after": (
        "After: the experiment ended early, after {units:,} units of work.",
        "修复后：实验提前结束，完成 {units:,} 个工作单位。",
    ),
    "verify.note.no-leak-before": ("No leak was found before.", "修复前未发现泄漏。"),
}  # fmt: skip
