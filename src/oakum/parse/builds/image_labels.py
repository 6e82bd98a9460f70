"""Labels of a container image -> Build: the module that its source address names, at the version of its label.

In: JSON of `docker inspect`, `crane config`, `skopeo inspect`, `crictl inspecti`, an OCI image's configuration or
manifest. Out: readings of kind "build", only where both version and source are there.
"""

from collections.abc import Iterator, Mapping

from oakum.model import Buffer, Build, Reading
from oakum.parse.builds.components import REPOSITORIES, released
from oakum.parse.builds.version_json import Told, reading
from oakum.parse.limits import Limits
from oakum.parse.plain_json import MOST, begins, documents, each, inside, text_of
from oakum.regex import regex

_PREFIX = "org.opencontainers.image."
# https://github.com/rancher/rancher.git      git@github.com:rancher/rancher      https://gitlab.com/a/b/tree/v1.2.3
_SOURCE = regex(
    r"(?:https?://|git://|ssh://git@|git@)?(github\.com|gitlab\.com|codeberg\.org|bitbucket\.org)[/:]"
    r"([\w.-]{1,100}/[\w.-]{1,100}?)(?:\.git)?(?:[/#?].{0,500})?"
)
# v2.4.4   2.4.4   1.2.3-rc1     not "latest", not a commit
_VERSION = regex(r"v?(\d{1,6}\.\d{1,6}\.\d{1,6}(?:[-+][0-9A-Za-z.+-]{1,100})?)")
_LABELS = (
    ("Config", "Labels"),
    ("config", "Labels"),
    ("Labels",),
    ("annotations",),
    ("info", "imageSpec", "config", "Labels"),
)


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return the builds that the labels of images tell of, or nothing when there are none."""
    del limits  # bounded by its size
    if len(data) > MOST or not begins(bytes(data[: 4 << 10])):
        return ()
    text = bytes(data)
    if _PREFIX.encode() not in text:
        return ()
    images = [image for document in documents(text) for image in _images(document)]
    told = dict.fromkeys(one for image in images if (one := _version_of(image)))
    return tuple(reading("image-labels", one) for one in told)


def _images(document: object) -> Iterator[Mapping[str, object]]:
    """Yield the images or containers of a document: itself, or each of an array."""
    if isinstance(document, dict):
        yield document
    yield from each(document)


def _version_of(image: Mapping[str, object]) -> Told | None:
    labels = next((found for path in _LABELS if _has_any(found := inside(image, *path))), {})
    version = _VERSION.fullmatch(text_of(labels, f"{_PREFIX}version").strip())
    source = _SOURCE.fullmatch(text_of(labels, f"{_PREFIX}source", f"{_PREFIX}url").strip())
    if not version or not source:
        return None
    module = f"{source[1]}/{source[2]}"
    if component := REPOSITORIES.get(module):
        build = released(component, version[1])
    else:
        build = Build(main=module, main_version=f"v{version[1]}")
    return Told(build) if build else None


def _has_any(labels: Mapping[str, object]) -> bool:
    return any(name.startswith(_PREFIX) for name in labels)
