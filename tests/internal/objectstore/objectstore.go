// SPDX-License-Identifier: Apache-2.0

// Package objectstore is as much of an S3 server as a warehouse needs, in memory, for tests that want a storage to misbehave.
package objectstore

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Store is a server with one bucket. Its hooks may be changed at any time.
type Store struct {
	URL string

	mu      sync.Mutex
	objects map[string][]byte
	parts   map[string][][]byte // of uploads, by number
	mute    func(*http.Request) Silence
	waiting int
	changed *sync.Cond
}

// Silence says how a request is left without an answer.
type Silence int

// The kinds of silence.
const (
	Answer Silence = iota // not at all
	Ignore                // and without an effect
	Obey                  // but does what it asks for
)

// New starts a server, which ends with the test.
func New(t testing.TB) *Store {
	s := &Store{objects: make(map[string][]byte), parts: make(map[string][][]byte)}
	s.changed = sync.NewCond(&s.mu)
	server := httptest.NewServer(s)
	s.URL = server.URL
	t.Cleanup(func() {
		s.Mute(nil)
		server.CloseClientConnections()
		server.Close()
	})
	return s
}

// Options are a catalog's for a warehouse in the store.
func (s *Store) Options() map[string]string {
	return map[string]string{
		"warehouse":            "s3://bucket/warehouse",
		"s3.endpoint":          s.URL,
		"s3.region":            "us-east-1",
		"s3.access-key":        "key",
		"s3.secret-key":        "secret",
		"s3.path-style-access": "true",
	}
}

// Mute leaves the requests unanswered for which mute says so, from now on; nil answers all.
func (s *Store) Mute(mute func(*http.Request) Silence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mute = mute
	s.changed.Broadcast()
}

// Waiting is how many clients wait for an answer that will not come, and have not hung up.
func (s *Store) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// Keys lists the keys below a prefix, sorted.
func (s *Store) Keys(prefix string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys(prefix)
}

func (s *Store) keys(prefix string) []string {
	var keys []string
	for key := range s.objects {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	silence := Answer
	if s.mute != nil {
		silence = s.mute(r)
	}
	if silence == Answer {
		defer s.mu.Unlock()
		s.answer(w, r, body)
		return
	}
	if silence == Obey {
		s.answer(httptest.NewRecorder(), r, body)
	}
	s.waiting++
	s.mu.Unlock()
	<-r.Context().Done()
	s.mu.Lock()
	s.waiting--
	s.mu.Unlock()
}

func (s *Store) answer(w http.ResponseWriter, r *http.Request, body []byte) {
	key := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/bucket"), "/")
	query := r.URL.Query()
	switch {
	case key == "" && r.Method == http.MethodGet:
		s.list(w, query.Get("prefix"), query.Get("delimiter"), query.Get("start-after"))
	case key == "" && r.Method == http.MethodPost && query.Has("delete"):
		var request struct {
			Object []struct{ Key string }
		}
		if xml.Unmarshal(body, &request) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		for _, object := range request.Object {
			delete(s.objects, object.Key)
		}
		say(w, "<DeleteResult></DeleteResult>")
	case r.Method == http.MethodPost && query.Has("uploads"):
		id := strconv.Itoa(len(s.parts) + 1)
		s.parts[id] = nil
		say(w, "<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>", id)
	case r.Method == http.MethodPut && query.Has("uploadId"):
		number, _ := strconv.Atoi(query.Get("partNumber"))
		parts := s.parts[query.Get("uploadId")]
		for len(parts) < number {
			parts = append(parts, nil)
		}
		parts[number-1] = body
		s.parts[query.Get("uploadId")] = parts
		w.Header().Set("ETag", tag(body))
	case r.Method == http.MethodPost && query.Has("uploadId"):
		s.objects[key] = bytes.Join(s.parts[query.Get("uploadId")], nil)
		say(w, "<CompleteMultipartUploadResult><ETag>%s</ETag></CompleteMultipartUploadResult>", tag(s.objects[key]))
	case r.Method == http.MethodPut && r.Header.Get("If-None-Match") == "*" && s.objects[key] != nil:
		w.WriteHeader(http.StatusPreconditionFailed)
	case r.Method == http.MethodPut && r.Header.Get("X-Amz-Copy-Source") != "":
		w.WriteHeader(http.StatusNotImplemented)
	case r.Method == http.MethodPut:
		s.objects[key] = body
		w.Header().Set("ETag", tag(body))
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		object, ok := s.objects[key]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			say(w, "<Error><Code>NoSuchKey</Code></Error>")
			return
		}
		w.Header().Set("ETag", tag(object))
		http.ServeContent(w, r, "", time.Unix(1, 0), bytes.NewReader(object))
	default:
		w.WriteHeader(http.StatusNotImplemented)
	}
}

func (s *Store) list(w io.Writer, prefix, delimiter, after string) {
	type contents struct {
		Key          string
		Size         int
		ETag         string
		LastModified string
	}
	type common struct{ Prefix string }
	var result struct {
		XMLName        xml.Name `xml:"ListBucketResult"`
		IsTruncated    bool
		Contents       []contents
		CommonPrefixes []common
	}
	for _, key := range s.keys(prefix) {
		if key <= after {
			continue
		}
		rest := strings.TrimPrefix(key, prefix)
		if at := strings.Index(rest, delimiter); delimiter != "" && at >= 0 {
			folder := common{prefix + rest[:at+1]}
			if !slices.Contains(result.CommonPrefixes, folder) {
				result.CommonPrefixes = append(result.CommonPrefixes, folder)
			}
			continue
		}
		result.Contents = append(result.Contents, contents{key, len(s.objects[key]), tag(s.objects[key]), "2020-01-01T00:00:00.000Z"})
	}
	_ = xml.NewEncoder(w).Encode(result)
}

// say writes an answer; a client that has hung up does not matter.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

func tag(object []byte) string {
	sum := md5.Sum(object)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}
