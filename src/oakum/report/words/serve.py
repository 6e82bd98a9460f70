"""What the pages of `oakum serve` say: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "serve.skip": ("Skip to content", "跳到正文"),
    "serve.nav": ("Pages", "页面"),
    "serve.services": ("Services", "服务"),
    "serve.utc": ("times are UTC", "时间为 UTC"),
    "serve.theme.dark": ("Dark", "深色"),
    "serve.theme.light": ("Light", "浅色"),
    "serve.empty": ("`{path}` holds no history yet.", "`{path}` 中还没有历史记录。"),
    "serve.empty.next": ("To fill it:", "填充方法："),
    "serve.error.back": ("All services", "所有服务"),
    "serve.error.400": ("Bad request", "请求无效"),
    "serve.error.400.do": ("The request could not be read.", "无法读取该请求。"),
    "serve.error.403": ("Refused", "已拒绝"),
    "serve.error.403.do": (
        "This form is from before the server was started, or from another site. Load the page again, and repeat it.",
        "该表单来自服务启动之前或其他站点。请重新加载页面后再试。",
    ),
    "serve.error.404": ("Not found", "未找到"),
    "serve.error.404.do": ("There is no such page.", "没有该页面。"),
    "serve.error.405": ("Method not allowed", "不支持该方法"),
    "serve.error.405.do": ("This page can only be read.", "该页面只能读取。"),
    "serve.error.413": ("Too large", "过大"),
    "serve.error.413.do": ("What was sent is larger than this page takes.", "发送的内容超过该页面的上限。"),
    "serve.error.500": ("Failed", "失败"),
    "serve.error.500.do": (
        "The server failed at this page. Its log says where.",
        "服务器在该页面出错，位置见其日志。",
    ),
    "serve.error.503": ("Busy, or no store", "繁忙或无存储"),
    "serve.error.503.do": (
        "More is asked than can be answered now. Try again in a few seconds.",
        "当前请求过多。请几秒后重试。",
    ),
}
