"""Where the SQL port is: from arguments, the environment, and a file that maps regions."""

from __future__ import annotations

import ipaddress
import json
import os
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .error import InvalidArgumentError

DEFAULT_PORT = 5432
DEFAULT_REGION = "local"
CERTIFICATE_FILES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")


@dataclass(frozen=True)
class Server:
    """Where to connect to.

    Attributes:
        setting: what says so, for errors.
    """

    host: str
    port: int
    region: str
    is_tls: bool
    setting: str

    @property
    def where(self) -> str:
        """HOST:PORT."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """True when nothing leaves this machine."""
        if self.host.startswith("/") or _is_local_name(self.host):
            return True
        address = _address(self.host)
        return address is not None and address.is_loopback

    def tls(self) -> dict[str, str]:
        """libpq's parameters: certificates are verified, except on loopback."""
        if not self.is_tls:
            return {"sslmode": "disable"}
        if self.is_loopback:
            return {"sslmode": "prefer"}
        return {"sslmode": "verify-full", **({} if "PGSSLROOTCERT" in os.environ else {"sslrootcert": _roots()})}


def find_server(region: str | None, host: str | None, port: int | None, is_tls: bool) -> Server:
    """The server that arguments, `QUERN_REGION`, `QUERN_HOST`, `QUERN_PORT` and `QUERN_REGIONS` mean.

    With a host that is a domain the server is `<region>.sql.<host>`; an address, `localhost`, or a host with a port is
    used as it is; a region in the file that `QUERN_REGIONS` names (JSON: `{"eu": "sql.eu.example:5432"}`) is there.

    Raises:
        InvalidArgumentError: no such port, an unreadable file, a region without a host.
    """
    named, region = region is not None, region or os.environ.get("QUERN_REGION") or DEFAULT_REGION
    setting = "the argument host" if host is not None else "QUERN_HOST"
    host = host or os.environ.get("QUERN_HOST") or None
    number = _port(port if port is not None else os.environ.get("QUERN_PORT"))
    mapped = _regions().get(region)
    if mapped is not None:
        name, its_port = _split(mapped)
        return Server(name, number or its_port or DEFAULT_PORT, region, is_tls, "the file QUERN_REGIONS")
    if host is None:
        if region != DEFAULT_REGION:
            raise InvalidArgumentError(f"no host for region {region!r}: give host, or set QUERN_HOST or QUERN_REGIONS")
        return Server("127.0.0.1", number or DEFAULT_PORT, region, is_tls, "the default; host or QUERN_HOST changes it")
    name, its_port = _split(host)
    is_whole = its_port is not None or _address(name) is not None or name.startswith("/") or _is_local_name(name)
    if not is_whole and (named or region != DEFAULT_REGION or os.environ.get("QUERN_REGION")):
        name = f"{region}.sql.{name}"
        setting += " and the region"
    return Server(name, number or its_port or DEFAULT_PORT, region, is_tls, setting)


def _port(port: Any) -> int | None:
    if port is None or port == "":
        return None
    try:
        number = int(port)
    except (TypeError, ValueError):
        number = 0
    if not 0 < number < 65536:
        raise InvalidArgumentError(f"a port is a number from 1 to 65535, not {port!r}")
    return number


def _split(host: str) -> tuple[str, int | None]:
    """A host and its port, where it has one."""
    if host.startswith("["):
        name, _, rest = host[1:].partition("]")
        return name, _port(rest.lstrip(":"))
    if host.count(":") == 1:
        name, _, port = host.partition(":")
        return name, _port(port)
    return host, None


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_local_name(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")


def _regions() -> dict[str, str]:
    file = os.environ.get("QUERN_REGIONS")
    if not file:
        return {}
    try:
        regions = json.loads(Path(file).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidArgumentError(f"QUERN_REGIONS names {file}, which cannot be read: {error}") from None
    if not isinstance(regions, dict) or not all(isinstance(one, str) for one in regions.values()):
        raise InvalidArgumentError(f'QUERN_REGIONS names {file}, which is no JSON object {{"region": "host:port"}}')
    return regions


def _roots() -> str:
    """A file of the certificates that this machine trusts; the driver brings none along."""
    paths = ssl.get_default_verify_paths()
    for file in (paths.cafile, *CERTIFICATE_FILES):
        if file is not None and os.path.exists(file):
            return file
    return "system"
