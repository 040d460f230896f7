// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"context"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// A BlobReader reads the blobs that descriptors name: what a table with the option blob-as-descriptor gives instead of the values of
// its BLOB columns. A descriptor is a URI, an offset and a length.
//
// A reader reads whatever a descriptor names, as far as its credentials reach: any file of the machine that the process may read, or,
// with a reader made from a table, any http or https address. So take descriptors only from tables whose writers you trust.
//
// It is safe for concurrent use. A reader made from a [Table] stays valid after the table is closed, and the streams that it opened
// stay valid after it is closed itself.
type BlobReader struct {
	h *handle[cBlobReader]
}

// NewBlobReader makes a reader that belongs to no table. It opens the storage of each URI with these options, which are those of a
// catalog: "s3.access-key", "fs.oss.endpoint" and so on. Wrong ones come to light when a blob is read. Errors never repeat an option.
// The caller closes the reader.
//
// Like [NewCatalog] it loads the native library if it is the first call of the process.
func NewBlobReader(storageOptions map[string]string) (*BlobReader, error) {
	const op = "new blob reader"
	if err := checkAddresses(op, storageOptions); err != nil {
		return nil, err
	}
	array, n, err := cOptions(op, "", storageOptions)
	if err != nil {
		return nil, err
	}
	l, err := openLibrary(op)
	if err != nil {
		return nil, err
	}
	h, err := adopt(l, ffiBlobReaderFree, op, "", func() (result[cBlobReader], error) {
		return ffiBlobReaderNew.call(l, array, n)
	})
	if err != nil {
		return nil, err
	}
	return &BlobReader{h}, nil
}

// NewBlobReader makes a reader over the storage of the table, with the credentials of its catalog. The caller closes it.
func (t *Table) NewBlobReader() (*BlobReader, error) {
	const op = "new blob reader"
	p, err := t.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer t.h.release()
	h, err := adopt(t.h.lib, ffiBlobReaderFree, op, t.h.object, func() (result[cBlobReader], error) {
		return ffiTableNewBlobReader.call(t.h.lib, p)
	})
	if err != nil {
		return nil, err
	}
	return &BlobReader{h}, nil
}

func (r *BlobReader) base() *handle[cBlobReader] {
	if r == nil {
		return nil
	}
	return r.h
}

// Close frees the reader. It is idempotent, does not wait for calls in flight, and is harmless on a nil reader.
func (r *BlobReader) Close() { r.base().close() }

// ReadBlob reads the blob of a descriptor into memory. Bytes that are no descriptor are [CodeInvalidInput], as is a blob that its file
// is too short for; a file that is gone is [CodeNotFound].
func (r *BlobReader) ReadBlob(descriptor []byte) ([]byte, error) {
	return r.ReadBlobContext(context.Background(), descriptor)
}

// ReadBlobContext is [BlobReader.ReadBlob], and ends when ctx does.
func (r *BlobReader) ReadBlobContext(ctx context.Context, descriptor []byte) (_ []byte, err error) {
	const op = "read blob"
	p, end, err := r.base().begin(ctx, op)
	if err != nil {
		return nil, err
	}
	defer end(&err)
	blobs, err := readBlobs(r.h, p, op, [][]byte{descriptor})
	if err != nil {
		return nil, err
	}
	return blobs[0], nil
}

// ReadBlobs reads the blobs of several descriptors, many at a time, and returns them in the order of their descriptors. If one cannot
// be read there are none: the error says which descriptors it is about, counted from 0, all of one file together. No descriptors give
// no blobs. A nil descriptor is an error, so leave out those of null values.
func (r *BlobReader) ReadBlobs(descriptors [][]byte) ([][]byte, error) {
	return r.ReadBlobsContext(context.Background(), descriptors)
}

// ReadBlobsContext is [BlobReader.ReadBlobs], and ends when ctx does.
func (r *BlobReader) ReadBlobsContext(ctx context.Context, descriptors [][]byte) (_ [][]byte, err error) {
	const op = "read blobs"
	p, end, err := r.base().begin(ctx, op)
	if err != nil {
		return nil, err
	}
	defer end(&err)
	return readBlobs(r.h, p, op, descriptors)
}

// OpenBlob opens the blob of a descriptor as a stream. Bytes that are no descriptor are [CodeInvalidInput] here, but storage is not
// touched before the stream is read, so that a file that is gone is the error of the first read. Blobs at http and https addresses
// can only be read whole, and are [CodeUnsupported] here. The caller closes the stream.
func (r *BlobReader) OpenBlob(descriptor []byte) (*BlobStream, error) {
	return r.OpenBlobContext(context.Background(), descriptor)
}

// OpenBlobContext is [BlobReader.OpenBlob] for a stream whose calls end when ctx does.
func (r *BlobReader) OpenBlobContext(ctx context.Context, descriptor []byte) (*BlobStream, error) {
	const op = "open blob"
	p, err := r.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer r.h.release()
	if err := checkContext(ctx, op, r.h.object); err != nil {
		return nil, err
	}
	h, err := openBlob(r.h, p, op, descriptor)
	if err != nil {
		return nil, err
	}
	h.turns = newTurn()
	return &BlobStream{h: h, ctx: ctx}, nil
}

// A BlobStream reads one blob piece by piece. It is an [io.ReadSeekCloser], and works without a buffer: each Read is a request to the
// storage, so give it large slices or put a [bufio.Reader] before it.
//
// It is safe for concurrent use; calls wait for each other.
type BlobStream struct {
	h   *handle[cBlobStream]
	ctx context.Context // of all its calls: io.Reader has no room for one
}

var _ io.ReadSeekCloser = (*BlobStream)(nil)

func (s *BlobStream) base() *handle[cBlobStream] {
	if s == nil {
		return nil
	}
	return s.h
}

// Close frees the stream and returns nil; the result is for [io.Closer]. It is idempotent, does not wait for calls in flight, and is
// harmless on a nil stream.
func (s *BlobStream) Close() error {
	s.base().close()
	return nil
}

// Read reads into b as [io.Reader] says, with io.EOF at the end. After an error the position is where it was, and it may be tried
// again.
func (s *BlobStream) Read(b []byte) (_ int, err error) {
	const op = "read blob"
	if _, err := s.base().acquire(op); err != nil {
		return 0, err
	}
	defer s.h.release()
	if len(b) == 0 {
		return 0, nil
	}
	p, end, err := s.h.begin(s.ctx, op)
	if err != nil {
		return 0, err
	}
	defer end(&err)
	r, err := ffiBlobStreamRead.call(s.h.lib, p, &b[0], uintptr(len(b)))
	if err := s.h.lib.done(op, s.h.object, r.err, err); err != nil {
		return 0, err
	}
	if r.value == 0 {
		return 0, io.EOF
	}
	return int(r.value), nil
}

// Seek moves to a position as [io.Seeker] says. One beyond the end is fine and has nothing to read; one before the start is
// [CodeInvalidInput], and the stream stays where it was.
func (s *BlobStream) Seek(offset int64, whence int) (_ int64, err error) {
	const op = "seek in blob"
	if _, err := s.base().acquire(op); err != nil {
		return 0, err
	}
	defer s.h.release()
	if whence < io.SeekStart || whence > io.SeekEnd {
		return 0, invalidInput(op, s.h.object, "whence is %d, want io.SeekStart, io.SeekCurrent or io.SeekEnd", whence)
	}
	p, end, err := s.h.begin(s.ctx, op)
	if err != nil {
		return 0, err
	}
	defer end(&err)
	r, err := ffiBlobStreamSeek.call(s.h.lib, p, offset, int32(whence))
	if err := s.h.lib.done(op, s.h.object, r.err, err); err != nil {
		return 0, err
	}
	return int64(r.value), nil
}

// StringBlobMapDescriptors gives the descriptors in one row of a column of type MAP<STRING, BLOB>, as a table with the option
// blob-as-descriptor returns them, by key. A null row is a nil map, an empty one is not nil, and a null blob is a nil descriptor. Keys
// and descriptors are copies, so they outlive the batch.
//
// A column of another type, a row that it does not have and a key that stands twice are [CodeInvalidInput].
func StringBlobMapDescriptors(column arrow.Array, row int) (descriptors map[string][]byte, err error) {
	const op = "get blob map"
	if column == nil {
		return nil, invalidInput(op, "", "the column is nil")
	}
	defer func() { // as of a column that was released
		if r := recover(); r != nil {
			descriptors, err = nil, invalidInput(op, "", "the column is broken (was it released?): %v", r)
		}
	}()
	wrongType := func() error {
		return invalidInput(op, "", "the column is of type %v, want map<utf8, large_binary>", column.DataType())
	}
	list, ok := column.(*array.Map)
	if !ok {
		return nil, wrongType()
	}
	entries := list.ListValues().(*array.Struct) // list.Keys and list.Items forget its offset
	keys, ok := entries.Field(0).(interface{ Value(i int) string })
	if !ok {
		return nil, wrongType()
	}
	blobs, ok := entries.Field(1).(interface{ Value(i int) []byte })
	if !ok {
		return nil, wrongType()
	}
	if row < 0 || row >= list.Len() {
		return nil, invalidInput(op, "", "row %d of a column of %d", row, list.Len())
	}
	if list.IsNull(row) {
		return nil, nil
	}
	start, end := list.ValueOffsets(row)
	descriptors = make(map[string][]byte, end-start)
	for i := int(start); i < int(end); i++ {
		name := strings.Clone(keys.Value(i))
		if _, twice := descriptors[name]; twice {
			return nil, invalidInput(op, "", "row %d has the key %q twice", row, name)
		}
		descriptors[name] = nil
		if entries.Field(1).IsValid(i) {
			descriptors[name] = append([]byte{}, blobs.Value(i)...)
		}
	}
	return descriptors, nil
}
