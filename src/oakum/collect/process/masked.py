"""A command line -> the same without what could be a secret: only words of a harmless form are shown.

Shown are flags, numbers, durations, addresses, paths and short plain words; all else, and whatever a flag named like a
secret is given, becomes ***.
"""

import re
from collections.abc import Sequence

MASK = "***"
# --config=x   -v=2   --token abc   -D
_FLAG = re.compile(r"(--?[A-Za-z][\w.-]{0,80})(?:=(.*))?", re.DOTALL)
# --bearer-token   DB_PASSWORD   -apikey   --client-secret   --aws-access-key-id
_SECRET = re.compile(
    r"tok(?:en)?s?$|token|secret|pass(?:w|phrase|$)|pwd|cred|cookie|session|auth|bearer|dsn|sign|salt|seed|"
    r"(?:api|access|private|account|encryption|master|license)[-_.]?key|key[-_.]?id|connection[-_.]?string|conn[-_.]?str",
    re.IGNORECASE,
)
# --token-file=/x and --tls-private-key-file=/x name places
_PLACE = re.compile(r"(?:file|path|dir|directory|folder)$", re.IGNORECASE)
# 8080   1.5   -3   512MiB   30s   1h30m   50%   true
_NUMBER = re.compile(
    r"-?\d[\d.,]{0,15}(?:%|[KMGTPE]i?B?|[kmgt]b?|B|[nuµm]s|[smhdw](?:\d{1,3}[smhdw]){0,3})?|true|false"
)
# :8080   0.0.0.0:443   localhost:6060   [::1]:9090   http://etcd:2379   unix:///run/x.sock; not admin:1234, a password
_ADDRESS = re.compile(
    r"(?:localhost|[A-Za-z0-9-]{1,40}(?:\.[A-Za-z0-9-]{1,40}){1,8}|\[[0-9a-fA-F:.]{2,45}\])?:\d{1,5}"
    r"|[a-z][a-z0-9+.]{0,15}://(?:[A-Za-z0-9.-]{1,80}|\[[0-9a-fA-F:.]{2,45}\])(?::\d{1,5})?/?"
    r"|(?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2})?|unix://(?:/[\w.-]{1,64}){1,12}"
)
# /etc/kubernetes/kubelet.conf   ./config.yaml     no part as long as a key
_PATH = re.compile(r"\.{0,2}(?:/[\w.@:-]{0,48}){1,24}")
# serve   kube-system   info   node-7
_WORD = re.compile(r"[a-z][a-z-]{0,19}(?:-\d{1,3})?|[A-Z]{2,12}")


def masked(arguments: Sequence[str]) -> list[str]:
    """Return the words of a command line that may be shown, *** for the others; the program's own path is shown."""
    shown: list[str] = []
    secret = short = False  # of the flag before
    for at, word in enumerate(arguments):
        flag = _FLAG.fullmatch(word) if at else None
        if at == 0:
            shown.append(_program(word))
        elif flag is None:
            harmless = not secret and _harmless(word) and not (short and _WORD.fullmatch(word))
            shown.append(word if harmless else MASK)
        elif flag[2] is not None:
            value = MASK if _names_a_secret(flag[1]) or not _harmless(flag[2]) else flag[2]
            shown.append(f"{flag[1]}={value}")
        else:
            # -pS3cret is a flag and its value in one word; Go programs spell -listen too, which is a plain word
            plain = word.startswith("--") or _WORD.fullmatch(word[1:]) or len(word) == 2
            shown.append(word if plain else word[:2] + MASK)
        secret = flag is not None and flag[2] is None and _names_a_secret(flag[1])
        short = flag is not None and flag[2] is None and len(word) == 2
    return shown


def _program(word: str) -> str:
    # A program may write anything into its first word: "nginx: master process /usr/sbin/nginx"
    return word.split("=")[0].split(" ")[0][:200]


def _names_a_secret(flag: str) -> bool:
    return bool(_SECRET.search(flag)) and not _PLACE.search(flag)


def _harmless(value: str) -> bool:
    return any(form.fullmatch(value) for form in (_NUMBER, _ADDRESS, _PATH, _WORD))
