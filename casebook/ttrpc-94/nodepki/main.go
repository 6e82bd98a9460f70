// Command nodepki writes the certificates of a node: a CA, the kubelet's
// serving certificate and the certificate of the API server as its client.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"flag"
	"log"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

type issuer struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newIssuer(dir string) (*issuer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	cert := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "kubernetes"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(365 * 24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		SubjectKeyId:          []byte("edge-node-ca"),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	i := &issuer{dir: dir, cert: cert, key: key}
	return i, i.write("ca.crt", "CERTIFICATE", der)
}

func (i *issuer) write(name, kind string, der []byte) error {
	data := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	return os.WriteFile(filepath.Join(i.dir, name), data, 0o600)
}

func (i *issuer) issue(name string, serial int64, subject pkix.Name, usage x509.ExtKeyUsage) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	cert := &x509.Certificate{
		SerialNumber:   big.NewInt(serial),
		Subject:        subject,
		NotBefore:      i.cert.NotBefore,
		NotAfter:       i.cert.NotAfter,
		AuthorityKeyId: i.cert.SubjectKeyId,
		KeyUsage:       x509.KeyUsageDigitalSignature,
		ExtKeyUsage:    []x509.ExtKeyUsage{usage},
		DNSNames:       []string{"localhost"},
		IPAddresses:    []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, i.cert, &key.PublicKey, i.key)
	if err != nil {
		return err
	}
	if err := i.write(name+".crt", "CERTIFICATE", der); err != nil {
		return err
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return i.write(name+".key", "EC PRIVATE KEY", private)
}

func main() {
	dir := flag.String("dir", "pki", "directory to write to")
	flag.Parse()
	if err := os.MkdirAll(*dir, 0o700); err != nil {
		log.Fatal(err)
	}
	ca, err := newIssuer(*dir)
	if err != nil {
		log.Fatal(err)
	}
	node := pkix.Name{CommonName: "system:node:edge-07", Organization: []string{"system:nodes"}}
	if err := ca.issue("kubelet", 2, node, x509.ExtKeyUsageServerAuth); err != nil {
		log.Fatal(err)
	}
	client := pkix.Name{CommonName: "kube-apiserver-kubelet-client", Organization: []string{"system:masters"}}
	if err := ca.issue("apiserver-kubelet-client", 3, client, x509.ExtKeyUsageClientAuth); err != nil {
		log.Fatal(err)
	}
}
