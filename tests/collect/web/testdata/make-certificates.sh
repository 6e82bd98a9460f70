#!/bin/sh
# Makes the throw-away certificates of these tests: two authorities, servers, clients. The keys protect nothing.
# Run in this directory; needs openssl. What should not expire lasts a hundred years.
set -eu

authority() { # name
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj "/CN=$1" \
    -addext "basicConstraints=critical,CA:TRUE" -keyout "$1.key" -out "$1.crt" 2>/dev/null
}

leaf() { # file authority extensions [from] [until]
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$1.key" -out "$1.csr" 2>/dev/null
  printf '[ca]\ndefault_ca=own\n[own]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=any\n' >ca.conf
  printf 'rand_serial=yes\nunique_subject=no\n[any]\ncommonName=supplied\n[leaf]\n%b\n' "$3" >>ca.conf
  : >index
  openssl ca -batch -notext -config ca.conf -extensions leaf -cert "$2.crt" -keyfile "$2.key" -in "$1.csr" -out "$1.crt" \
    -startdate "${4:-20200101000000Z}" -enddate "${5:-21200101000000Z}" 2>/dev/null
  cat "$1.key" "$1.crt" >"$1.pem"
}

server='extendedKeyUsage=serverAuth\nsubjectAltName'
authority authority
authority stranger
leaf server authority "$server=DNS:localhost,IP:127.0.0.1"
leaf expired authority "$server=DNS:localhost,IP:127.0.0.1" 20200101000000Z 20210101000000Z
leaf renamed authority "$server=DNS:orders.example"
leaf client authority 'extendedKeyUsage=clientAuth'
leaf unknown-client stranger 'extendedKeyUsage=clientAuth'
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj "/CN=self-signed" \
  -addext "subjectAltName=DNS:localhost,IP:127.0.0.1" -keyout self-signed.key -out self-signed.crt 2>/dev/null
cat self-signed.key self-signed.crt >self-signed.pem
openssl pkey -in client.key -aes128 -passout pass:secret -out locked.key
rm -f ./*.csr ca.conf index* serial* [0-9A-F]*.pem authority.key stranger.key stranger.crt server.key server.crt \
  expired.key expired.crt renamed.key renamed.crt self-signed.key self-signed.crt unknown-client.key unknown-client.crt client.pem
