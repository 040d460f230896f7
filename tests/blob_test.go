// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// descriptorOf builds a blob descriptor, in the form of version 2.
func descriptorOf(uri string, offset, length int64) []byte {
	b := append([]byte{2}, "CSEDBOLB"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(uri)))
	b = append(b, uri...)
	b = binary.LittleEndian.AppendUint64(b, uint64(offset))
	return binary.LittleEndian.AppendUint64(b, uint64(length))
}

// fileOf writes a file and gives its URI.
func fileOf(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, []byte(content), 0o600))
	return "file://" + path
}

func newBlobReader(t testing.TB, options map[string]string) *paimon.BlobReader {
	t.Helper()
	reader, err := paimon.NewBlobReader(options)
	must(t, err)
	t.Cleanup(reader.Close)
	return reader
}

func openBlob(t testing.TB, descriptor []byte) *paimon.BlobStream {
	t.Helper()
	stream, err := newBlobReader(t, nil).OpenBlob(descriptor)
	must(t, err)
	t.Cleanup(func() { must(t, stream.Close()) })
	return stream
}

var blobs = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int32},
	{Name: "content", Type: arrow.BinaryTypes.LargeBinary, Nullable: true},
	{Name: "named", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.BinaryTypes.LargeBinary), Nullable: true},
}, nil)

// newBlobTable creates a table with columns of type BLOB and MAP<STRING, BLOB>. A nil content is null.
func newBlobTable(t testing.TB, asDescriptor string, allocator memory.Allocator, contents ...[]byte) *paimon.Table {
	t.Helper()
	_, table := newTable(t, arrow.NewSchema(blobs.Fields()[:1], nil), func(schema *paimon.Schema) {
		schema.Fields = append(schema.Fields,
			paimon.DataField{ID: 1, Name: "content", Type: paimon.BlobType()},
			paimon.DataField{ID: 2, Name: "named", Type: paimon.MapType(paimon.StringType(), paimon.BlobType())})
		schema.Options = map[string]string{
			"row-tracking.enabled": "true", "data-evolution.enabled": "true", "blob-as-descriptor": asDescriptor,
		}
	})
	batch := blobRecord(allocator, contents...)
	defer batch.Release()
	j := newJob(t, table, "", false)
	must(t, j.write.WriteArrowBatch(batch))
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	return table
}

// blobRecord makes a record of contents, and of maps that have each as "copy" and, beside it, a null blob and an empty one.
func blobRecord(allocator memory.Allocator, contents ...[]byte) arrow.RecordBatch {
	b := array.NewRecordBuilder(allocator, blobs)
	defer b.Release()
	named := b.Field(2).(*array.MapBuilder)
	key, value := named.KeyBuilder().(*array.StringBuilder), named.ItemBuilder().(*array.BinaryBuilder)
	for i, content := range contents {
		b.Field(0).(*array.Int32Builder).Append(int32(i))
		if content == nil {
			b.Field(1).AppendNull()
			named.AppendNull()
			continue
		}
		b.Field(1).(*array.BinaryBuilder).Append(content)
		named.Append(true)
		if len(content) == 0 {
			continue // an empty map
		}
		key.AppendValues([]string{"copy", "null", ""}, nil)
		value.AppendValues([][]byte{content, nil, {}}, []bool{true, false, true})
	}
	return b.NewRecordBatch()
}

var bigBlob = bytes.Repeat([]byte("0123456789abcdef"), 10<<20/16)

func TestBlobValues(t *testing.T) {
	allocator := checkLeaks(t)
	want := [][]byte{[]byte("one"), nil, {}, bigBlob, []byte("two")}
	table := newBlobTable(t, "false", allocator, want...)
	row := 0
	for batch, err := range newReader(t, table).All() {
		must(t, err)
		content := batch.Column(1).(*array.LargeBinary)
		for i := range content.Len() {
			if content.IsNull(i) != (want[row] == nil) || !bytes.Equal(content.Value(i), want[row]) {
				t.Errorf("row %d has %d bytes, null %v", row, len(content.Value(i)), content.IsNull(i))
			}
			row++
		}
		batch.Release()
	}
	if row != len(want) {
		t.Errorf("%d rows", row)
	}
}

func TestBlobDescriptors(t *testing.T) {
	allocator := checkLeaks(t)
	want := [][]byte{[]byte("one"), nil, {}, bigBlob, []byte("two")}
	table := newBlobTable(t, "true", allocator, want...)
	var descriptors [][]byte
	var maps []map[string][]byte
	for batch, err := range newReader(t, table).All() {
		must(t, err)
		content := batch.Column(1).(*array.LargeBinary)
		for i := range content.Len() {
			if content.IsNull(i) {
				descriptors = append(descriptors, nil)
			} else {
				descriptors = append(descriptors, bytes.Clone(content.Value(i)))
			}
			named, err := paimon.StringBlobMapDescriptors(batch.Column(2), i)
			must(t, err)
			maps = append(maps, named)
		}
		batch.Release()
	}
	if len(descriptors) != len(want) || descriptors[1] != nil {
		t.Fatalf("got descriptors %q", descriptors)
	}
	reader, err := table.NewBlobReader()
	must(t, err)
	defer reader.Close()
	table.Close()

	// Many at once, in another order than they are stored in.
	got, err := reader.ReadBlobs([][]byte{descriptors[4], descriptors[3], descriptors[2], descriptors[0], descriptors[4]})
	must(t, err)
	for i, row := range []int{4, 3, 2, 0, 4} {
		if got[i] == nil || !bytes.Equal(got[i], want[row]) {
			t.Errorf("blob %d has %d bytes", row, len(got[i]))
		}
	}
	one, err := reader.ReadBlob(descriptors[0])
	must(t, err)
	if string(one) != "one" {
		t.Errorf("got %q", one)
	}
	stream, err := reader.OpenBlob(descriptors[3])
	must(t, err)
	reader.Close()
	big, err := io.ReadAll(stream)
	must(t, err)
	must(t, stream.Close())
	if !bytes.Equal(big, bigBlob) {
		t.Errorf("the stream has %d bytes", len(big))
	}

	for row, named := range maps {
		switch {
		case want[row] == nil:
			if named != nil {
				t.Errorf("the null row has %q", named)
			}
		case len(want[row]) == 0:
			if named == nil || len(named) != 0 {
				t.Errorf("the empty row has %q", named)
			}
		default:
			if null, ok := named["null"]; len(named) != 3 || !ok || null != nil {
				t.Errorf("row %d has %d entries, null %v", row, len(named), null)
			}
			values, err := newBlobReader(t, nil).ReadBlobs([][]byte{named["copy"], named[""]})
			must(t, err)
			if !bytes.Equal(values[0], want[row]) || values[1] == nil || len(values[1]) != 0 {
				t.Errorf("row %d has blobs of %d and %d bytes", row, len(values[0]), len(values[1]))
			}
		}
	}
}

// One table gives values to one read and descriptors to another, whose options say so.
func TestBlobDescriptorsOfARead(t *testing.T) {
	allocator := checkLeaks(t)
	table := newBlobTable(t, "false", allocator, []byte("one"))
	builder, err := table.NewReadBuilderWithOptions(map[string]string{"blob-as-descriptor": "true"})
	must(t, err)
	defer builder.Close()
	must(t, builder.WithProjection([]string{"content"}))
	batches, err := readerOf(builder)
	must(t, err)
	defer batches.Close()
	batch, err := batches.NextRecord()
	must(t, err)
	descriptor := bytes.Clone(batch.Column(0).(*array.LargeBinary).Value(0))
	batch.Release()
	blob, err := newBlobReader(t, nil).ReadBlob(descriptor)
	must(t, err)
	if string(blob) != "one" || string(descriptor) == "one" {
		t.Errorf("descriptor %q, blob %q", descriptor, blob)
	}
	if rows := readRows(t, table, "content"); len(rows) != 1 || rows[0] != "b25l" { // base64
		t.Errorf("got %q", rows)
	}
}

// Who chooses the bytes of a blob does not choose what the program reads.
func TestWriteBlobsThatLookLikeDescriptors(t *testing.T) {
	allocator := checkLeaks(t)
	table := newBlobTable(t, "false", allocator, []byte("plain"))
	j := newJob(t, table, "", false)
	batch := blobRecord(allocator, []byte("x"), descriptorOf(fileOf(t, "secret"), 0, -1))
	defer batch.Release()
	wantError(t, j.write.WriteArrowBatch(batch), paimon.CodeInvalidInput, "'content'", "blob-as-descriptor", "db.t")
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	if rows := readRows(t, table, "id"); len(rows) != 1 {
		t.Errorf("%d rows", len(rows))
	}
}

// Where the table says so, a value that is a descriptor is written as what it names.
func TestWriteBlobDescriptors(t *testing.T) {
	allocator := checkLeaks(t)
	uri := fileOf(t, "abcdefghij")
	almost := []byte("\x02CSEDBOL")
	table := newBlobTable(t, "true", allocator, descriptorOf(uri, 2, 3), descriptorOf(uri, 5, -1), almost)
	builder, err := table.NewReadBuilderWithOptions(map[string]string{"blob-as-descriptor": "false"})
	must(t, err)
	t.Cleanup(builder.Close)
	var got []string
	for batch := range batchesOf(t, builder) {
		content, named := batch.Column(1).(*array.LargeBinary), batch.Column(2).(*array.Map).Items().(*array.LargeBinary)
		for i := range content.Len() {
			got = append(got, string(content.Value(i)))
		}
		for i := 0; i < named.Len(); i += 3 {
			got = append(got, string(named.Value(i)))
		}
		batch.Release()
	}
	if want := []string{"cde", "fghij", string(almost), "cde", "fghij", string(almost)}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}

	// What looks like one and is none is refused, and the write can go on. One that names nothing ends it.
	j := newJob(t, table, "", false)
	write := func(content []byte) error {
		batch := blobRecord(allocator, content)
		defer batch.Release()
		return j.write.WriteArrowBatch(batch)
	}
	wantError(t, write([]byte("\x02CSEDBOLBgarbage")), paimon.CodeInvalidInput, "db.t", "'content'", "descriptor")
	wantError(t, write(descriptorOf(uri, -1, 3)), paimon.CodeInvalidInput, "'content'", "offset")
	must(t, write(descriptorOf(uri, 0, 1)))
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	if rows := readRows(t, table, "id"); len(rows) != 4 {
		t.Errorf("%d rows", len(rows))
	}
	wantError(t, write(descriptorOf(uri+".gone", 0, 1)), paimon.CodeNotFound, "db.t", uri+".gone")
	_, err = j.write.PrepareCommit()
	wantError(t, err, paimon.CodeInvalidInput, "failure")
}

func TestReadBlobs(t *testing.T) {
	checkLeaks(t)
	letters, digits := fileOf(t, "abcdefghij"), fileOf(t, "0123456789")
	reader := newBlobReader(t, map[string]string{"some.option": "value"})
	got, err := reader.ReadBlobs([][]byte{
		descriptorOf(digits, 1, 3), descriptorOf(letters, 3, -1), descriptorOf(letters, 5, 0), descriptorOf(letters, 10, -1),
		descriptorOf(letters, 0, 10), descriptorOf(letters, 0, 10), descriptorOf(digits, 20, -1),
	})
	must(t, err)
	if text := string(bytes.Join(got, []byte("|"))); text != "123|defghij|||abcdefghij|abcdefghij|" {
		t.Errorf("got %q", text)
	}
	// A descriptor of version 1 has no magic number.
	first := descriptorOf(letters, 2, 2)
	one, err := reader.ReadBlob(append([]byte{1}, first[9:]...))
	must(t, err)
	if string(one) != "cd" {
		t.Errorf("got %q", one)
	}
	for _, none := range [][][]byte{nil, {}} {
		got, err = reader.ReadBlobs(none)
		must(t, err)
		if got == nil || len(got) != 0 {
			t.Errorf("got %q for no descriptors", got)
		}
	}
}

func TestBlobErrors(t *testing.T) {
	checkLeaks(t)
	letters := fileOf(t, "abcdefghij")
	gone := "file://" + filepath.Join(t.TempDir(), "gone.blob")
	good := descriptorOf(letters, 0, 3)
	reader := newBlobReader(t, map[string]string{"s3.secret-key": "TOPSECRET", "s3.access-key": "TOPSECRET", "s3.endpoint": "TOP SECRET\x01"})
	for name, test := range map[string]struct {
		descriptor []byte
		target     error
		word       string
	}{
		"nil":                 {nil, paimon.CodeInvalidInput, "too short"},
		"empty":               {[]byte{}, paimon.CodeInvalidInput, "too short"},
		"truncated":           {good[:len(good)-1], paimon.CodeInvalidInput, "too short"},
		"garbage":             {bytes.Repeat([]byte{2}, 100), paimon.CodeInvalidInput, "magic"},
		"later version":       {append([]byte{3}, good[1:]...), paimon.CodeUnsupported, "version"},
		"negative offset":     {descriptorOf(letters, -1, 3), paimon.CodeInvalidInput, "offset"},
		"negative length":     {descriptorOf(letters, 0, -2), paimon.CodeInvalidInput, "length"},
		"huge length":         {descriptorOf(letters, 0, 1<<40), paimon.CodeInvalidInput, letters},
		"beyond the end":      {descriptorOf(letters, 8, 3), paimon.CodeInvalidInput, letters},
		"huge range":          {descriptorOf(letters, 1<<62, 1<<62), paimon.CodeInvalidInput, letters},
		"no such file":        {descriptorOf(gone, 0, 3), paimon.CodeNotFound, gone},
		"no such file, whole": {descriptorOf(gone, 0, -1), paimon.CodeNotFound, gone},
		"a folder":            {descriptorOf("file://"+t.TempDir(), 0, 3), nil, "file://"},
		"no URI":              {descriptorOf("", 0, 3), nil, ""},
		"relative path":       {descriptorOf("some/where", 0, 3), nil, "some/where"},
		"unknown scheme":      {descriptorOf("gopher://host/file", 0, 3), nil, "gopher"},
		"broken options":      {descriptorOf("s3://bucket/key", 0, 3), nil, "s3://bucket/key"},
		"not UTF-8":           {descriptorOf("file:///\xff", 0, 3), paimon.CodeInvalidInput, "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(err error, place string) {
				t.Helper()
				var e *paimon.Error
				if !errors.As(err, &e) {
					t.Fatalf("got %v", err)
				}
				if test.target != nil && !errors.Is(err, test.target) {
					t.Errorf("got %v, want %v", err, test.target)
				}
				if !strings.Contains(err.Error(), test.word) || !strings.Contains(err.Error(), place) || strings.Contains(err.Error(), "SECRET") {
					t.Errorf("%q should say %q and %q, and no option", err, test.word, place)
				}
			}
			_, err := reader.ReadBlob(test.descriptor)
			check(err, "[0]")
			got, err := reader.ReadBlobs([][]byte{good, good, test.descriptor})
			if got != nil {
				t.Errorf("got %q", got)
			}
			check(err, "2")
		})
	}
	one, err := reader.ReadBlob(good)
	must(t, err)
	if string(one) != "abc" {
		t.Errorf("after the errors a blob is %q", one)
	}
}

// The reader of a table takes descriptors of web addresses too, to read them whole.
func TestBlobsOfWebAddresses(t *testing.T) {
	checkLeaks(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("0123456789"))
	}))
	defer server.Close()
	descriptor := descriptorOf(server.URL+"/file?token=TOPSECRET", 2, 3)
	for range 3 { // the native runtime ends with the last handle, and the engine's connections with it
		t.Run("read", func(t *testing.T) {
			_, table := newTable(t, people, nil)
			reader, err := table.NewBlobReader()
			must(t, err)
			defer reader.Close()
			for range 2 {
				got, err := reader.ReadBlob(descriptor)
				must(t, err)
				if string(got) != "234" {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	_, table := newTable(t, people, nil)
	reader, err := table.NewBlobReader()
	must(t, err)
	defer reader.Close()
	_, err = reader.OpenBlob(descriptor)
	wantError(t, err, paimon.CodeUnsupported, "db.t", "read it whole")
	_, unsupported := newBlobReader(t, nil).ReadBlob(descriptor)
	wantError(t, unsupported, paimon.CodeUnsupported, server.URL)
	_, short := reader.ReadBlob(descriptorOf(server.URL+"/file?token=TOPSECRET", 8, 9))
	wantError(t, short, paimon.CodeInvalidInput, "9 bytes", server.URL)
	for _, err := range []error{err, unsupported, short} {
		if strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%v tells a secret", err)
		}
	}
}

func TestBlobStream(t *testing.T) {
	checkLeaks(t)
	content := strings.Repeat("All that glitters is not gold. ", 100)
	uri := fileOf(t, "before"+content+"after")
	descriptor := descriptorOf(uri, 6, int64(len(content)))
	must(t, iotest.TestReader(openBlob(t, descriptor), []byte(content)))
	must(t, iotest.TestReader(openBlob(t, descriptorOf(uri, 6, -1)), []byte(content+"after")))
	must(t, iotest.TestReader(openBlob(t, descriptorOf(uri, 6, 0)), nil))

	stream := openBlob(t, descriptor)
	for _, move := range []struct {
		offset int64
		whence int
		want   int64
	}{
		{5, io.SeekStart, 5},
		{3, io.SeekCurrent, 8},
		{-8, io.SeekCurrent, 0},
		{-4, io.SeekEnd, int64(len(content)) - 4},
		{1 << 40, io.SeekStart, 1 << 40}, // beyond the end
		{1 << 40, io.SeekCurrent, 1 << 41},
		{1, io.SeekEnd, int64(len(content)) + 1},
	} {
		got, err := stream.Seek(move.offset, move.whence)
		must(t, err)
		if got != move.want {
			t.Errorf("Seek(%d, %d) is at %d, want %d", move.offset, move.whence, got, move.want)
		}
	}
	if n, err := stream.Read(make([]byte, 5)); n != 0 || err != io.EOF {
		t.Errorf("beyond the end there are %d bytes, %v", n, err)
	}
	if n, err := stream.Read(nil); n != 0 || err != nil {
		t.Errorf("reading nothing gives %d bytes, %v", n, err)
	}
	_, err := stream.Seek(4, io.SeekStart)
	must(t, err)
	for _, wrong := range [][2]int64{{-1, io.SeekStart}, {-5, io.SeekCurrent}, {-1 << 40, io.SeekEnd}, {1<<63 - 1, io.SeekCurrent}, {0, 3}, {0, -1}} {
		_, err := stream.Seek(wrong[0], int(wrong[1]))
		wantError(t, err, paimon.CodeInvalidInput)
	}
	buffer := make([]byte, 4)
	_, err = io.ReadFull(stream, buffer)
	must(t, err)
	if string(buffer) != content[4:8] {
		t.Errorf("after a refused Seek %q is next, want %q", buffer, content[4:8])
	}
}

// A stream touches storage when it is read. What it needs may come and go, and it can be tried again.
func TestBlobStreamIsLazy(t *testing.T) {
	checkLeaks(t)
	path := filepath.Join(t.TempDir(), "late")
	for _, length := range []int64{-1, 4} {
		stream := openBlob(t, descriptorOf("file://"+path, 0, length))
		_, err := stream.Read(make([]byte, 4))
		wantError(t, err, paimon.CodeNotFound, path)
		must(t, os.WriteFile(path, []byte("late"), 0o600))
		got, err := io.ReadAll(stream)
		must(t, err)
		if string(got) != "late" {
			t.Errorf("got %q", got)
		}
		must(t, os.Remove(path))
	}
	_, err := newBlobReader(t, nil).OpenBlob([]byte("no descriptor"))
	wantError(t, err, paimon.CodeUnsupported, "version")
}

func TestBlobStreamIsShared(t *testing.T) {
	checkLeaks(t)
	content := make([]byte, 4096)
	for i := range content {
		content[i] = byte(i % 251)
	}
	stream := openBlob(t, descriptorOf(fileOf(t, string(content)), 0, -1))
	var mutex sync.Mutex
	var got []byte
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			buffer := make([]byte, 16)
			for {
				n, err := stream.Read(buffer)
				mutex.Lock()
				got = append(got, buffer[:n]...)
				mutex.Unlock()
				if err == io.EOF {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	want := slices.Sorted(slices.Values(content))
	if slices.Sort(got); !bytes.Equal(got, want) {
		t.Errorf("%d bytes were read of %d", len(got), len(want))
	}
}

func TestStringBlobMapDescriptors(t *testing.T) {
	allocator := checkLeaks(t)
	b := array.NewMapBuilder(allocator, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeBinary, false)
	defer b.Release()
	key, value := b.KeyBuilder().(*array.StringBuilder), b.ItemBuilder().(*array.BinaryBuilder)
	b.Append(true)
	key.Append("a")
	value.Append([]byte("first"))
	b.AppendNull()
	b.Append(true)
	b.Append(true)
	key.AppendValues([]string{"a", "b", ""}, nil)
	value.AppendValues([][]byte{[]byte("A"), nil, {}}, []bool{true, false, true})
	b.Append(true)
	key.AppendValues([]string{"twice", "twice"}, nil)
	value.AppendValues([][]byte{[]byte("A"), []byte("B")}, nil)
	column := b.NewMapArray()

	check := func(column arrow.Array, row int, want map[string][]byte) {
		t.Helper()
		got, err := paimon.StringBlobMapDescriptors(column, row)
		must(t, err)
		if (got == nil) != (want == nil) || len(got) != len(want) {
			t.Fatalf("row %d is %q, want %q", row, got, want)
		}
		for name, value := range want {
			if (got[name] == nil) != (value == nil) || !bytes.Equal(got[name], value) {
				t.Errorf("row %d, %q is %q, want %q", row, name, got[name], value)
			}
		}
	}
	last := map[string][]byte{"a": []byte("A"), "b": nil, "": {}}
	check(column, 0, map[string][]byte{"a": []byte("first")})
	check(column, 1, nil)
	check(column, 2, map[string][]byte{})
	check(column, 3, last)
	slice := array.NewSlice(column, 1, 4)
	check(slice, 0, nil)
	check(slice, 2, last)
	_, err := paimon.StringBlobMapDescriptors(slice, 3)
	wantError(t, err, paimon.CodeInvalidInput, "row 3", "3")
	slice.Release()
	// Entries that are a slice themselves: the first is cut off.
	entries := array.NewSliceData(column.Data().Children()[0], 1, 4)
	offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 3}))
	data := array.NewData(column.DataType(), 1, []*memory.Buffer{nil, offsets}, []arrow.ArrayData{entries}, 0, 0)
	cut := array.MakeFromData(data)
	check(cut, 0, last)
	cut.Release()
	data.Release()
	entries.Release()

	for _, row := range []int{-1, 5} {
		_, err = paimon.StringBlobMapDescriptors(column, row)
		wantError(t, err, paimon.CodeInvalidInput, "row", "5")
	}
	_, err = paimon.StringBlobMapDescriptors(column, 4)
	wantError(t, err, paimon.CodeInvalidInput, "twice")
	column.Release()

	_, err = paimon.StringBlobMapDescriptors(nil, 0)
	wantError(t, err, paimon.CodeInvalidInput, "nil")
	for _, wrong := range []arrow.DataType{
		arrow.BinaryTypes.LargeBinary,
		arrow.ListOf(arrow.BinaryTypes.LargeBinary),
		arrow.MapOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.LargeBinary),
		arrow.MapOf(arrow.BinaryTypes.String, arrow.BinaryTypes.String),
	} {
		column := array.MakeArrayOfNull(allocator, wrong, 1)
		_, err = paimon.StringBlobMapDescriptors(column, 0)
		wantError(t, err, paimon.CodeInvalidInput, "map<utf8, large_binary>", wrong.Name())
		column.Release()
	}
}

// A filter on a column that is not read finds it, though it lies in files of its own.
func TestFilterOnABlobThatIsNotRead(t *testing.T) {
	allocator := checkLeaks(t)
	table := newBlobTable(t, "false", allocator, []byte("x"), nil, []byte{})
	for _, test := range []struct {
		null bool
		want []string
	}{{true, []string{"1"}}, {false, []string{"0", "2"}}} {
		builder, err := table.NewReadBuilder()
		must(t, err)
		must(t, builder.WithProjection([]string{"id"}))
		is := table.PredicateBuilder().IsNotNull
		if test.null {
			is = table.PredicateBuilder().IsNull
		}
		p, err := is("content")
		must(t, err)
		must(t, builder.WithFilter(p))
		if rows := builderRows(t, builder); !slices.Equal(rows, test.want) {
			t.Errorf("null %v: got %q, want %q", test.null, rows, test.want)
		}
	}
}
