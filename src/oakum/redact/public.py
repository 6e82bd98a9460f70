"""What everybody may know: packages and modules that anybody can read, words that say what a thing does, not whose.

Comes in: an import path or a word. Goes out: whether it may stay. Unknown is private: a name on github.com may be that
of a private repository, so that there only what the catalogue or the lists below have is kept.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache

from oakum.knowledge.benign import benign
from oakum.knowledge.globs import is_glob
from oakum.knowledge.leaks import leaks
from oakum.knowledge.pairs import pairs
from oakum.knowledge.signature import bare
from oakum.model.frame import split_function

# `go list std`, and what earlier releases had; internal packages are those below the same tops.
_STDLIB = frozenset(
    """
    archive/tar archive/zip bufio bytes cmp compress/bzip2 compress/flate compress/gzip compress/lzw
    compress/zlib container/heap container/list container/ring context crypto crypto/aes crypto/cipher
    crypto/des crypto/dsa crypto/ecdh crypto/ecdsa crypto/ed25519 crypto/elliptic crypto/fips140 crypto/hkdf
    crypto/hmac crypto/hpke crypto/md5 crypto/mlkem crypto/mlkem/mlkemtest crypto/pbkdf2 crypto/rand crypto/rc4
    crypto/rsa crypto/sha1 crypto/sha256 crypto/sha3 crypto/sha512 crypto/subtle crypto/tls crypto/x509
    crypto/x509/pkix database/sql database/sql/driver debug/buildinfo debug/dwarf debug/elf debug/gosym
    debug/macho debug/pe debug/plan9obj embed encoding encoding/ascii85 encoding/asn1 encoding/base32
    encoding/base64 encoding/binary encoding/csv encoding/gob encoding/hex encoding/json encoding/pem
    encoding/xml errors expvar flag fmt go/ast go/build go/build/constraint go/constant go/doc go/doc/comment
    go/format go/importer go/parser go/printer go/scanner go/token go/types go/version hash hash/adler32
    hash/crc32 hash/crc64 hash/fnv hash/maphash html html/template image image/color image/color/palette
    image/draw image/gif image/jpeg image/png index/suffixarray io io/fs io/ioutil iter log log/slog log/syslog
    maps math math/big math/bits math/cmplx math/rand math/rand/v2 mime mime/multipart mime/quotedprintable net
    net/http net/http/cgi net/http/cookiejar net/http/fcgi net/http/httptest net/http/httptrace
    net/http/httputil net/http/pprof net/mail net/netip net/rpc net/rpc/jsonrpc net/smtp net/textproto net/url
    os os/exec os/signal os/user path path/filepath plugin reflect regexp regexp/syntax runtime runtime/cgo
    runtime/coverage runtime/debug runtime/metrics runtime/pprof runtime/race runtime/trace slices sort strconv
    strings structs sync sync/atomic syscall testing testing/cryptotest testing/fstest testing/iotest
    testing/quick testing/slogtest testing/synctest text/scanner text/tabwriter text/template
    text/template/parse time time/tzdata unicode unicode/utf16 unicode/utf8 unique unsafe weak
    encoding/json/v2 encoding/json/jsontext crypto/tls/fipsonly hash/adler32 runtime/msan runtime/asan uuid simd
    """.split()
)
_TOPS = frozenset(path.partition("/")[0] for path in _STDLIB) | {"internal"}
# Hosts on which everything can be read by everybody: each belongs to one project or one author of public modules.
_HOSTS = frozenset(
    """
    cel.dev cloud.google.com contrib.go.opencensus.io dario.cat entgo.io filippo.io go.etcd.io go.mongodb.org
    go.opencensus.io go.opentelemetry.io go.starlark.net go.uber.org go.yaml.in gocloud.dev golang.org
    gomodules.xyz gonum.org google.golang.org gopkg.in gorm.io gotest.tools helm.sh honnef.co istio.io k8s.io
    knative.dev modernc.org mvdan.cc oras.land rsc.io sigs.k8s.io storj.io tags.cncf.io zgo.at
    """.split()
)
# Where anybody keeps repositories, private ones too: the host may stay, what follows is looked at.
_SHARED_HOSTS = frozenset(
    "github.com gitlab.com bitbucket.org codeberg.org gitee.com sr.ht git.sr.ht dev.azure.com".split()
)
# Owners whose repositories of Go libraries and servers are public: foundations, and authors of well-known modules. Not
# companies: they have private repositories too, so that of theirs only single modules are listed.
_ON_GITHUB = frozenset(
    f"github.com/{name}"
    for name in """
    BurntSushi Masterminds Sirupsen alecthomas andybalholm antlr argoproj beorn7 blang boltdb bradfitz caarlos0
    cenkalti cespare cilium cncf containerd containernetworking containers coredns cortexproject cpuguy83 cyphar
    davecgh dgraph-io dgrijalva dustin emicklei envoyproxy etcd-io evanphx fatih felixge fluent fsnotify
    gin-contrib gin-gonic go-chi go-errors go-kit go-logr go-openapi go-playground go-redis go-sql-driver
    go-zookeeper gobwas gocql godbus gofiber gofrs gogo golang golang-jwt golang-migrate golang-sql gomodule
    googleapis gorilla grpc-ecosystem imdario inconshreveable ishidawataru jackc jmespath jmoiron jonboulle
    josharian json-iterator julienschmidt klauspost konsorten kubernetes kubernetes-sigs kylelemons labstack
    lestrrat-go libp2p lucas-clemente magiconair mattn matttproud miekg mitchellh moby modern-go mohae morikuni
    nxadm olekukonko onsi open-telemetry opencontainers opentracing panjf2000 patrickmn pborman pelletier
    peterbourgon pmezard prometheus quic-go rcrowley robfig russross satori segmentio sergi shirou sirupsen
    soheilhy spf13 stretchr subosito syndtr tidwall tmc twmb uber-go ugorji urfave valyala vishvananda vmihailenco
    xdg-go xiang90 youmark zeebo aws/aws-sdk-go aws/aws-sdk-go-v2 aws/smithy-go coreos/go-oidc coreos/go-semver
    coreos/go-systemd coreos/pkg docker/cli docker/distribution docker/go-connections docker/go-events
    docker/go-metrics docker/go-units google/btree google/cel-go google/gnostic google/gnostic-models
    google/go-cmp google/gofuzz google/pprof google/s2a-go google/shlex google/uuid grafana/regexp
    hashicorp/errwrap hashicorp/go-cleanhttp hashicorp/go-hclog hashicorp/go-multierror hashicorp/go-retryablehttp
    hashicorp/go-version hashicorp/golang-lru hashicorp/hcl hashicorp/memberlist hashicorp/serf kr/pretty kr/pty
    kr/text lib/pq nats-io/nkeys nats-io/nuid pkg/errors pkg/sftp redis/rueidis rs/cors rs/xid rs/zerolog
    sony/gobreaker tikv/client-go uber/jaeger-client-go
    """.split()
)
# Parts of import paths and of file systems that say how, not what.
COMMON_PARTS = frozenset(
    """api app bin build builds cmd command-line-arguments dist go golang goroot gopath home internal lib local main mnt
    mod opt out output pkg private root src srv sys third_party tmp usr var vendor workspace Godeps _workspace
    _output dockerized plugin Cellar libexec hostedtoolcache sdk x64 toolchains""".split()
)
# Methods that the standard library asks for by name, and what the diagnosis reads in the names of others' functions.
_METHODS = frozenset(
    """main init glob func Accept Close Dial DialContext Do Done Err Error Flush Go Handle HandleFunc Len Less Lock
    Marshal MarshalJSON Mutex Name New Open Pop Push RLock RUnlock RWMutex Read ReadFrom Recv RoundTrip Run Scan Send
    Serve ServeHTTP Shutdown Start Stop String Swap TryLock Unlock Unmarshal UnmarshalJSON Wait Write WriteHeader
    WriteTo accept acceptTCP close do done lock loop mu pop push read readLock recv rlock run send serve start stop
    wait wlock write writeLock readlock writelock worker""".split()
)
# Names that begin so stay recognisable by it: a call that takes the next thing, one that stops its object.
LEADING = (
    "dequeue", "receive", "fetch", "shift", "next", "poll", "pull", "recv", "take", "get", "pop",
    "disconnect", "terminate", "teardown", "shutdown", "destroy", "finish", "close", "drain", "flush", "halt", "join",
    "quit", "shut", "stop", "gracefully", "graceful", "forced", "force", "must", "hard", "soft", "try", "do",
)  # fmt: skip
STOPPING = frozenset(
    "close destroy disconnect drain finish flush halt join quit shut shutdown stop teardown terminate".split()
)


class Public:
    """What may stay, with what the user adds to it."""

    def __init__(self, keep: Sequence[str] = ()) -> None:
        self._keep = tuple(keep)
        self.package = cache(self._package)

    def _package(self, path: str) -> bool:
        """Tell whether an import path is public, vendored or not."""
        if path in _STDLIB or path == "std":
            return True
        parts = path.split("/")
        if parts[0] in _TOPS and "internal" in parts:
            return True
        if path.startswith("vendor/golang.org/x/"):
            return True
        if any(fnmatchcase(path, one) or fnmatchcase(path, f"{one.rstrip('/*')}/*") for one in self._keep):
            return True
        heads = ["/".join(parts[:many]) for many in range(1, len(parts) + 1)]
        return parts[0] in _HOSTS or any(head in _ON_GITHUB or head in _modules() for head in heads)

    def name(self, word: str) -> bool:
        """Tell whether a function's or a type's name says nothing about whose it is."""
        return word in _METHODS or word in _role_names() or any(fnmatchcase(word, one) for one in self._keep)


def upstream_packages(function: str) -> frozenset[str]:
    """Return the packages of the catalogue in which a function of this receiver and name leaks.

    A fork, and code that was taken over into other packages, is recognised by such names; they are public.
    """
    return _upstream().get(bare(function).lower(), frozenset())


@cache
def _upstream() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for leak in leaks().entries:
        for name in {name for one in (*leak.goroutines, *leak.heap) for name in one.functions if not is_glob(name)}:
            if any(name.startswith((f"{module}/", f"{module}.")) for module in leak.modules):
                found.setdefault(bare(name).lower(), set()).add(split_function(name)[0])
    return {name: frozenset(packages) for name, packages in found.items()}


def host_stays(host: str) -> bool:
    """Tell whether the first element of a private import path is a host that everybody uses."""
    return host in _SHARED_HOSTS or host in _HOSTS


@cache
def _modules() -> frozenset[str]:
    told = {module for leak in leaks().entries for module in leak.modules}
    told |= {entry.module for entry in pairs().entries} | {entry.module for entry in benign().entries}
    return frozenset(module for module in told if "." in module.partition("/")[0] and " " not in module)


@cache
def _role_names() -> frozenset[str]:
    """Return the names by which any package's functions are known to register, subscribe or watch."""
    acquire = [pattern for entry in pairs().entries if entry.generic for pattern in entry.acquire]
    return frozenset(pattern.rpartition(".")[2] for pattern in acquire if is_glob(pattern))
