// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// authority is a private certificate authority.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	file        string // in PEM
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	template.Subject.CommonName = rand.Text()
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	certificate, err := x509.ParseCertificate(der)
	must(t, err)
	file := filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return &authority{certificate, key, file}
}

// sign makes a certificate for 127.0.0.1 that is good until then.
func (a *authority) sign(t testing.TB, until time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// warehouseServer answers what opening a catalog and listing its databases asks, as a REST catalog and as S3: there is one, "a".
func warehouseServer(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/v1/config":
		_, _ = io.WriteString(w, `{"defaults": {}, "overrides": {}}`)
	case strings.HasPrefix(r.URL.Path, "/v1/"):
		_, _ = io.WriteString(w, `{"databases": ["a"]}`)
	default:
		_, _ = io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>bucket</Name><Prefix>w/</Prefix><KeyCount>1</KeyCount>`+
			`<IsTruncated>false</IsTruncated><CommonPrefixes><Prefix>w/a.db/</Prefix></CommonPrefixes></ListBucketResult>`)
	}
}

// tlsServer serves it with a certificate, at the address that it gives.
func tlsServer(t testing.TB, certificate tls.Certificate) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(warehouseServer))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that hang up
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

// catalogAt gives the options of a catalog behind an endpoint.
func catalogAt(kind, endpoint string) map[string]string {
	if kind == "REST" {
		return map[string]string{"warehouse": "w", "metastore": "rest", "uri": endpoint, "token.provider": "bear", "token": "t"}
	}
	return map[string]string{
		"warehouse": "s3://bucket/w", "s3.endpoint": endpoint, "s3.region": "here", "s3.path-style-access": "true",
		"s3.access-key": "key", "s3.secret-key": "secret",
	}
}

const childOptions = "PAIMON_TEST_CHILD_OPTIONS"

// TestListsDatabases does nothing but in a child of [listInChild], since the certificates are those of the process.
func TestListsDatabases(t *testing.T) {
	raw := os.Getenv(childOptions)
	if raw == "" {
		return
	}
	var options map[string]string
	must(t, json.Unmarshal([]byte(raw), &options))
	for range 2 { // what failed once, fails in the same way
		list := func() ([]string, error) {
			catalog, err := paimon.NewCatalog(options)
			if err != nil {
				return nil, err
			}
			defer catalog.Close()
			return catalog.ListDatabases()
		}
		names, err := list()
		fmt.Printf("child: %q %v\n", names, err)
	}
}

// listInChild lists the databases of a catalog twice in a process with another environment, and gives what came of it.
func listInChild(t testing.TB, options map[string]string, environment ...string) string {
	t.Helper()
	raw, err := json.Marshal(options)
	must(t, err)
	child := exec.Command(os.Args[0], "-test.run=^TestListsDatabases$")
	// Without what might know a region or credentials.
	plain := slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "AWS_") })
	child.Env = append(append(plain, "AWS_EC2_METADATA_DISABLED=true", "HOME="+t.TempDir(), childOptions+"="+string(raw)), environment...)
	output, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("the child failed: %v\n%s", err, output)
	}
	lines := strings.Split(strings.TrimSuffix(string(output), "PASS\n"), "\n")
	if len(lines) != 3 || lines[0] != lines[1] || !strings.HasPrefix(lines[0], "child: ") {
		t.Fatalf("the child says %q", output)
	}
	return lines[0]
}

// What is missing or wrong in the options of a store is said by the name of the option (case 49).
func TestStoreOptions(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	with := func(change map[string]string) map[string]string {
		options := catalogAt("s3", closed.URL)
		for key, value := range change {
			if options[key] = value; value == "" {
				delete(options, key)
			}
		}
		return options
	}
	for what, test := range map[string]struct {
		options map[string]string
		words   []string
	}{
		"no region":          {with(map[string]string{"s3.region": ""}), []string{"invalid input", "'s3.region'"}},
		"no credentials":     {with(map[string]string{"s3.access-key": "", "s3.secret-key": ""}), []string{"I/O error", "'s3.access-key'", "'s3.secret-key'"}},
		"nobody there":       {with(nil), []string{"I/O error", "'s3.endpoint'"}},
		"bucket in a name":   {with(map[string]string{"s3.path-style-access": ""}), []string{"I/O error", "'s3.path-style-access'"}},
		"no COS endpoint":    {map[string]string{"warehouse": "cosn://b/w"}, []string{"invalid input", "'fs.cosn.endpoint'"}},
		"no OBS endpoint":    {map[string]string{"warehouse": "obs://b/w"}, []string{"invalid input", "'fs.obs.endpoint'"}},
		"no OSS endpoint":    {map[string]string{"warehouse": "oss://b/w"}, []string{"invalid input", "fs.oss.endpoint"}},
		"nobody behind REST": {catalogAt("REST", closed.URL), []string{"I/O error", "'uri'"}},
	} {
		t.Run(what, func(t *testing.T) {
			start := time.Now()
			said := listInChild(t, test.options)
			for _, word := range test.words {
				if !strings.Contains(said, word) {
					t.Errorf("%s does not say %q", said, word)
				}
			}
			if taken := time.Since(start); taken > 20*time.Second { // twice
				t.Errorf("it took %v", taken)
			}
		})
	}
}

// Without certificates, with those of a private authority, and with one that has expired, both ways of speaking TLS work or say what is
// wrong; nothing panics.
func TestTLS(t *testing.T) {
	private := newAuthority(t)
	good := tlsServer(t, private.sign(t, time.Now().Add(time.Hour)))
	expired := tlsServer(t, private.sign(t, time.Now().Add(-24*time.Hour)))
	plain := httptest.NewServer(http.HandlerFunc(warehouseServer))
	t.Cleanup(plain.Close)
	empty := t.TempDir()
	nowhere := filepath.Join(empty, "nowhere.pem")
	garbage := filepath.Join(t.TempDir(), "garbage.pem")
	must(t, os.WriteFile(garbage, []byte("-----BEGIN CERTIFICATE-----\nZ2FyYmFnZQ==\n-----END CERTIFICATE-----\n"), 0o600))
	const listed = `child: ["a"] <nil>`
	tests := []struct {
		what, endpoint, bundle string
		kinds                  []string
		words                  []string // none if it works
	}{
		{"private authority", good, private.file, []string{"REST", "s3"}, nil},
		{"expired", expired, private.file, []string{"REST", "s3"}, []string{"I/O error", "xpired"}},
		{"no bundle", good, nowhere, []string{"REST", "s3"}, []string{"I/O error", "no TLS certificate bundle was found", "SSL_CERT_FILE"}},
		{"garbage", good, garbage, []string{"REST", "s3"}, []string{"I/O error", "no TLS certificate bundle was found", "SSL_CERT_FILE"}},
		{"other authority", good, newAuthority(t).file, []string{"REST", "s3"}, []string{"I/O error", "not known", "SSL_CERT_FILE"}},
		{"TLS to a server without", strings.Replace(plain.URL, "http:", "https:", 1), private.file, []string{"REST", "s3"}, []string{"I/O error", "http://"}},
		{"no TLS", plain.URL, private.file, []string{"REST", "s3"}, nil},
	}
	for _, test := range tests {
		for _, kind := range test.kinds {
			t.Run(test.what+"/"+kind, func(t *testing.T) {
				said := listInChild(t, catalogAt(kind, test.endpoint), "SSL_CERT_FILE="+test.bundle, "SSL_CERT_DIR="+empty)
				if test.words == nil && said != listed {
					t.Errorf("got %s", said)
				}
				for _, word := range test.words {
					if !strings.Contains(said, word) {
						t.Errorf("%s does not say %q", said, word)
					}
				}
				if strings.Contains(said, "internal error") || strings.Contains(said, "panic") {
					t.Errorf("got %s", said)
				}
			})
		}
	}
}
