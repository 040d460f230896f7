// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// withSecrets gives, for each kind of storage, the options of a catalog at an endpoint that is named like it. What is secret in them
// begins with the mark.
func withSecrets(t testing.TB, mark string) map[string]map[string]string {
	t.Helper()
	secret := func(name string) string { return mark + name }
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	account, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "me@example.com", "token_uri": "http://gcs.test/token",
		"private_key_id": secret("id"), "private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	must(t, err)
	rest := func(uri string, more map[string]string) map[string]string {
		options := map[string]string{"warehouse": "w", "metastore": "rest", "uri": uri}
		maps.Copy(options, more)
		return options
	}
	const azure = "abfs://container@account.dfs.core.windows.net/w"
	return map[string]map[string]string{
		"s3": {
			"warehouse": "s3://bucket/w", "s3.endpoint": "http://s3.test", "s3.region": "here", "s3.access-key": "key",
			"s3.secret-key": secret("key"), "s3.session.token": secret("token"),
		},
		"s3a": {
			"warehouse": "s3a://bucket/w", "fs.s3a.endpoint": "http://s3a.test", "s3.region": "here", "fs.s3a.access.key": "key",
			"fs.s3a.secret.key": secret("key"),
		},
		"oss": {
			"warehouse": "oss://bucket/w", "fs.oss.endpoint": "http://oss.test", "fs.oss.accessKeyId": "key",
			"fs.oss.accessKeySecret": secret("key"), "fs.oss.securityToken": secret("token"), "fs.oss.retry.count": "0",
		},
		"googleapis": {"warehouse": "gs://bucket/w", "gcs.credential": base64.StdEncoding.EncodeToString(account)},
		"azure-key": {
			"warehouse": azure, "azure.endpoint": "http://azure-key.test", "azure.account-name": "account",
			"azure.account-key": base64.StdEncoding.EncodeToString([]byte(secret("key"))),
		},
		"azure-signature": {
			"warehouse": azure, "azure.endpoint": "http://azure-signature.test", "azure.sas-token": "sv=2024-01-01&sig=" + secret("signature"),
		},
		"cos": {
			"warehouse": "cosn://bucket/w", "fs.cosn.endpoint": "http://cos.test", "fs.cosn.userinfo.secretId": "key",
			"fs.cosn.userinfo.secretKey": secret("key"),
		},
		"obs": {
			"warehouse": "obs://bucket/w", "fs.obs.endpoint": "http://obs.test", "fs.obs.access.key": "key", "fs.obs.secret.key": secret("key"),
		},
		"rest-token": rest("http://rest-token.test", map[string]string{"token.provider": "bear", "token": secret("token")}),
		"rest-dlf": rest("http://rest-dlf.test", map[string]string{
			"token.provider": "dlf", "dlf.region": "here", "dlf.access-key-id": "key",
			"dlf.access-key-secret": secret("key"), "dlf.security-token": secret("token"),
		}),
		// What is refused before anybody is asked.
		"not a header":                       rest("http://x.test", map[string]string{"token.provider": "bear", "token": secret("token") + "\nx"}),
		"not a string":                       rest("http://x.test", map[string]string{"token.provider": "bear", "token": secret("token") + "\x00"}),
		"not a key":                          {"warehouse": "gs://bucket/w", "gcs.credential": base64.StdEncoding.EncodeToString([]byte(secret("credential")))},
		"not complete":                       {"warehouse": "oss://bucket/w", "fs.oss.accessKeySecret": secret("key")},
		"password in a bucket":               {"warehouse": "s3://key:" + secret("key") + "@bucket/w"},
		"password in an address":             rest("http://me:"+secret("password")+"@x.test", map[string]string{"token.provider": "bear", "token": "t"}),
		"password in a bucket, with a slash": {"warehouse": "s3://key:a/" + secret("key") + "@bucket/w"},
		"password in an endpoint": {
			"warehouse": "s3://bucket/w", "s3.endpoint": "http://me:" + secret("password") + "@127.0.0.1:1", "s3.region": "here",
			"s3.access-key": "key", "s3.secret-key": secret("key"),
		},
		"password in another endpoint": {
			"warehouse": "oss://bucket/w", "fs.oss.endpoint": "me:" + secret("password") + "@oss.test", "fs.oss.accessKeyId": "key",
			"fs.oss.accessKeySecret": secret("key"),
		},
		"password in a name node": {"warehouse": "hdfs://h/w", "hdfs.name-node": "hdfs://me:" + secret("password") + "@127.0.0.1:1"},
		"password in an address of another kind": rest("ftp://me:"+secret("password")+"@x.test", map[string]string{
			"token.provider": "bear", "token": "t",
		}),
		"password in no address": rest("http://me:"+secret("password")+"@[::1", map[string]string{"token.provider": "bear", "token": "t"}),
		"token after an address": rest("http://x.test#token="+secret("token"), map[string]string{"token.provider": "bear", "token": "t"}),
		"token in an address":    rest("http://x.test?token="+secret("token"), map[string]string{"token.provider": "bear", "token": "t"}),
	}
}

const childSecrets = "PAIMON_TEST_CHILD_SECRETS"

// TestPrintsEverything does nothing but in a child of TestSecrets: it calls what there is to call on catalogs, and prints errors and
// values in every way.
func TestPrintsEverything(t *testing.T) {
	raw := os.Getenv(childSecrets)
	if raw == "" {
		return
	}
	var kinds map[string]map[string]string
	must(t, json.Unmarshal([]byte(raw), &kinds))
	schema, err := paimon.SchemaFromArrow(people)
	must(t, err)
	for kind, options := range kinds {
		failures := 0
		show := func(values ...any) {
			for _, value := range values {
				fmt.Printf("%v|%+v|%#v|%s|%q\n", value, value, value, value, value)
				for err, ok := value.(error); ok && err != nil; err = errors.Unwrap(err) {
					failures++
					fmt.Printf("%#v %v\n", err, err)
				}
			}
		}
		blobs, err := paimon.NewBlobReader(options)
		show(blobs, err)
		if err == nil {
			_, err := blobs.ReadBlob(descriptorOf(options["warehouse"]+"/blob", 0, 1))
			show(err)
			blobs.Close()
		}
		catalog, err := paimon.NewCatalog(options)
		show(catalog, err)
		if err == nil {
			id := paimon.NewIdentifier("db", "t")
			names, err := catalog.ListDatabases()
			show(names, err)
			names, err = catalog.ListTables("db")
			show(names, err)
			show(catalog.CreateDatabase("db", options, false), catalog.DropDatabase("db", false, true), catalog.DropTable(id, false))
			show(catalog.CreateTable(id, schema, false), catalog.RenameTable(id, paimon.NewIdentifier("db", "u"), false))
			table, err := catalog.GetTable(id)
			show(table, err, catalog)
			catalog.Close()
			show(catalog, catalog.CreateDatabase("db", nil, false))
		}
		if failures == 0 {
			t.Errorf("%s: nothing failed", kind)
		}
	}
}

// Whatever fails, and however an error or a handle is printed, no secret is in it; nor in what the native library might log.
func TestSecrets(t *testing.T) {
	mark := "SECRET" + rand.Text()
	kinds := withSecrets(t, mark)
	raw, err := json.Marshal(kinds)
	must(t, err)
	answers := map[string]http.HandlerFunc{
		"forbidden": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>no</Message><Resource>`+r.URL.Path+`</Resource></Error>`)
		},
		"silent": func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = connection.Close()
			}
		},
		"broken":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"garbage": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "garbage\n\x00") },
	}
	for answer, handler := range answers {
		t.Run(answer, func(t *testing.T) {
			var asked sync.Map
			// A proxy, so that all stores can have names.
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Store(r.Host, true)
				handler(w, r)
			}))
			t.Cleanup(server.Close)
			child := exec.Command(os.Args[0], "-test.run=^TestPrintsEverything$")
			child.Env = append(os.Environ(), childSecrets+"="+string(raw), "RUST_LOG=trace", "RUST_BACKTRACE=full", "NO_PROXY=", "no_proxy=",
				"HTTP_PROXY="+server.URL, "http_proxy="+server.URL, "HTTPS_PROXY="+server.URL, "https_proxy="+server.URL)
			output, err := child.CombinedOutput()
			if err != nil {
				t.Errorf("the child failed: %v\n%.2000s", err, output)
			}
			said := string(output)
			for kind := range kinds {
				found := strings.Contains(kind, " ") // refused before
				asked.Range(func(host, _ any) bool {
					found = found || strings.Contains(host.(string), kind+".")
					return !found
				})
				if !found {
					t.Errorf("%s: the server was not asked", kind)
				}
			}
			encoded := base64.StdEncoding.EncodeToString([]byte(mark))
			for _, form := range []string{mark, url.QueryEscape(mark), encoded[:len(encoded)-4], "PRIVATE KEY"} {
				if i := strings.Index(said, form); i >= 0 {
					t.Errorf("a secret in %q", said[max(0, i-300):min(len(said), i+100)])
				}
			}
			for _, inside := range []string{"internal error", "panicked", "TRACE", "DEBUG"} {
				if i := strings.Index(said, inside); i >= 0 {
					t.Errorf("%s in %q", inside, said[max(0, i-300):min(len(said), i+100)])
				}
			}
		})
	}
}
