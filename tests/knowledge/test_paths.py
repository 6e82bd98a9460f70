"""Modules that the paths of files name: from the module cache, with -trimpath, of a fork."""

import pytest

from oakum.knowledge.paths import linked_modules

FUNCTION = "k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive"


@pytest.mark.parametrize(
    ("function", "file", "module", "version", "fork"),
    [
        (FUNCTION, "/go/pkg/mod/k8s.io/apimachinery@v0.18.8/pkg/watch/x.go", "k8s.io/apimachinery", "v0.18.8", None),
        (FUNCTION, "k8s.io/apimachinery@v0.18.8/pkg/watch/x.go", "k8s.io/apimachinery", "v0.18.8", None),
        (FUNCTION, r"C:\go\pkg\mod\k8s.io\apimachinery@v0.18.8\pkg\watch\x.go", "k8s.io/apimachinery", "v0.18.8", None),
        (
            FUNCTION, "github.com/rancher/apimachinery@v0.18.8-r1/pkg/watch/x.go",
            "k8s.io/apimachinery", "v0.18.8-r1", "github.com/rancher/apimachinery",
        ),
        (
            "github.com/Shopify/sarama.(*client).x", "/go/pkg/mod/github.com/!shopify/sarama@v1.29.0/client.go",
            "github.com/Shopify/sarama", "v1.29.0", None,
        ),
        ("gopkg.in/yaml%2ev2.x", "/go/pkg/mod/gopkg.in/yaml.v2@v2.4.0/x.go", "gopkg.in/yaml.v2", "v2.4.0", None),
        ("main.main", "k8s.io/kubernetes@v1.18.8/cmd/kubelet/kubelet.go", "k8s.io/kubernetes", "v1.18.8", None),
    ],
)  # fmt: skip
def test_named(function: str, file: str, module: str, version: str, fork: str | None) -> None:
    build = linked_modules([("main.main", "/src/main.go"), (function, file)])
    assert build is not None
    assert build.modules == {module: version}
    assert (build.replaced or {}).get(module) == fork


@pytest.mark.parametrize(
    "file",
    [
        "/src/vendor/k8s.io/apimachinery/pkg/watch/x.go",
        "/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.21.3.linux-amd64/src/x.go",
        "@v1/x.go",
        "",
    ],
)
def test_not_named(file: str) -> None:
    assert linked_modules([(FUNCTION, file)]) is None
