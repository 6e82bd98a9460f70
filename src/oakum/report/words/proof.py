"""Words for tests that show a leak: what came of them, or why none is offered."""

WORDS = {
    "proof.shown": (
        "The test `{name}` failed in {times:#run} without the drafted fix (left behind: {before}) and passed in "
        "{times:#run} with it (left behind: {after}).",
        "测试 `{name}` 在未打补丁时 {times:,} 次运行均失败（残留：{before}），"
        "打上补丁后 {times:,} 次均通过（残留：{after}）。",
    ),
    "proof.holds.goroutines": (
        "Proven by a test: {calls} is called {count:,} times. Without this fix goroutines stay behind "
        "(in {times:#run}: {before}) and the test fails; with it (in {times:#run}: {after}) it passes.",
        "已由测试证明：调用 {calls} {count:,} 次。不打此补丁时有协程残留（{times:,} 次运行分别为 {before}），测试失败；"
        "打上后（{times:,} 次运行分别为 {after}）测试通过。",
    ),
    "proof.holds.heap": (
        "Proven by a test: {calls} is called in rounds. Without this fix each call leaves live heap behind "
        "(bytes, in {times:#run}: {before}) and the test fails; with it (in {times:#run}: {after}) it passes.",
        "已由测试证明：反复调用 {calls}。不打此补丁时每次调用都残留存活堆内存"
        "（{times:,} 次运行分别为 {before} 字节），测试失败；"
        "打上后（{times:,} 次运行分别为 {after} 字节）测试通过。",
    ),
    "proof.test": ("The test: {path}", "测试文件：{path}"),
    "proof.command": (
        "save the test at that path, then run this: it fails now, and passes with the fix",
        "把测试保存到该路径后运行：现在失败，打上补丁后通过",
    ),
    "proof.none": ("No test offered: {why}", "未提供测试：{why}"),
    "proof.none.no-draft": (
        "no function of the program's own code that leads to the leak can be called in a test.",
        "程序自身代码中，没有可在测试中调用、又能走到泄漏处的函数。",
    ),
    "proof.none.outside": (
        "the checkout is built from what lies outside of it; name that directory with --source, too.",
        "该源码树的构建依赖其外部的目录；请用 --source 一并指定。",
    ),
    "proof.none.not-built": ("the drafted tests do not compile here: {why}", "草拟的测试在此无法编译：{why}"),
    "proof.none.no-failure": (
        "{tried:#drafted test} ran, and none of them triggered the leak.",
        "已运行 {tried:,} 个草拟的测试，均未触发泄漏。",
    ),
    "proof.none.no-difference": (
        "{tried:#drafted test} ran; {failed:,} failed without the fix, and none of these passed with it every time.",
        "已运行 {tried:,} 个草拟的测试；其中 {failed:,} 个在未打补丁时失败，但打上补丁后没有一个每次都通过。",
    ),
    "proof.none.late": (
        "the time for this finding was up after {tried:#drafted test}.",
        "运行 {tried:,} 个草拟的测试后，本发现的时限已到。",
    ),
    "proof.no-fix": (
        "--prove: there is no drafted fix that a test could tell from the code as it is",
        "--prove：没有可供测试验证的补丁草稿",
    ),
    "proof.no-go": (
        "--prove: no test was run, there is no go command on this machine (https://go.dev/dl)",
        "--prove：本机没有 go 命令，未运行任何测试（https://go.dev/dl）",
    ),
    "proof.not-again": (
        "Tests of the report were not run again: their results are taken from it.",
        "报告中的测试未重新运行：其结果取自报告。",
    ),
}  # fmt: skip
