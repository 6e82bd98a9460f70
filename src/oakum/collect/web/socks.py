"""SOCKS5 (RFC 1928, 1929): a connection to the proxy -> a connection through it, as `ssh -D` and kubectl's proxy-url.

The proxy looks the name up, as for Go: in a cluster behind a bastion nobody else can.
"""

import ipaddress
from collections.abc import Callable

import httpcore

from oakum.collect.web.proxies import Proxy

# What a SOCKS5 proxy answers when it cannot connect.
_WHY = {
    1: "it failed",
    2: "its rules do not allow it",
    3: "the network cannot be reached",
    4: "the host cannot be reached",
    5: "connection refused",
    6: "it took too long",
    7: "it cannot do that",
    8: "it does not know that kind of address",
}


def through(stream: httpcore.NetworkStream, proxy: Proxy, host: str, port: int, left: Callable[[], float]) -> None:
    """Ask the proxy at the other end for a connection to a host; raise when it does not make one."""
    with_password = proxy.user is not None
    stream.write(b"\x05\x02\x00\x02" if with_password else b"\x05\x01\x00", left())
    version, method = _read(stream, 2, left)
    if version != 5:
        raise httpcore.ProxyError("it does not speak SOCKS5")
    if method == 2 and with_password:
        user, password = (proxy.user or "").encode()[:255], (proxy.password or "").encode()[:255]
        stream.write(b"\x01" + bytes([len(user)]) + user + bytes([len(password)]) + password, left())
        if _read(stream, 2, left)[1] != 0:
            raise httpcore.ProxyError("it does not accept the name and password")
    elif method != 0:
        raise httpcore.ProxyError("it requires authentication")
    stream.write(b"\x05\x01\x00" + _address(host) + port.to_bytes(2, "big"), left())
    _, answer, _, kind = _read(stream, 4, left)
    if answer != 0:
        raise httpcore.ProxyError(f"it could not connect: {_WHY.get(answer, f'error {answer}')}")
    # The address that it uses is read past: nobody needs it.
    _read(stream, {1: 4, 4: 16}.get(kind) or _read(stream, 1, left)[0], left)
    _read(stream, 2, left)


def _address(host: str) -> bytes:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        name = host.encode("ascii", "replace")[:255]
        return b"\x03" + bytes([len(name)]) + name
    return (b"\x01" if address.version == 4 else b"\x04") + address.packed


def _read(stream: httpcore.NetworkStream, size: int, left: Callable[[], float]) -> bytes:
    data = b""
    while len(data) < size:
        more = stream.read(size - len(data), left())
        if not more:
            raise httpcore.ProxyError("it closed the connection")
        data += more
    return data
