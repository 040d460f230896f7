// SPDX-License-Identifier: Apache-2.0

package paimon

var (
	// paimon_result_blob_reader paimon_blob_reader_new(const paimon_option* options, size_t len);
	ffiBlobReaderNew = bind2[result[cBlobReader], *cOption, uintptr]("paimon_blob_reader_new")
	// paimon_result_blob_reader paimon_table_new_blob_reader(const paimon_table*);
	ffiTableNewBlobReader = bind1[result[cBlobReader], *cTable]("paimon_table_new_blob_reader")
	// void paimon_blob_reader_free(paimon_blob_reader* reader);
	ffiBlobReaderFree = bind1[void, *cBlobReader]("paimon_blob_reader_free")
	// paimon_error* paimon_blob_reader_read_blobs(const paimon_blob_reader*, const paimon_bytes*, size_t len, paimon_bytes* values);
	ffiBlobReaderReadBlobs = bind4[*cError, *cBlobReader, *cBytes, uintptr, *cBytes]("paimon_blob_reader_read_blobs")
	// paimon_result_blob_stream paimon_blob_reader_open_blob(const paimon_blob_reader*, const uint8_t* descriptor, size_t len);
	ffiBlobReaderOpenBlob = bind3[result[cBlobStream], *cBlobReader, *byte, uintptr]("paimon_blob_reader_open_blob")
	// void paimon_blob_stream_free(paimon_blob_stream* stream);
	ffiBlobStreamFree = bind1[void, *cBlobStream]("paimon_blob_stream_free")
	// paimon_result_size paimon_blob_stream_read(const paimon_blob_stream*, uint8_t* buffer, size_t len);
	ffiBlobStreamRead = bind3[resultSize, *cBlobStream, *byte, uintptr]("paimon_blob_stream_read")
	// paimon_result_size paimon_blob_stream_seek(const paimon_blob_stream*, int64_t offset, int32_t whence);
	ffiBlobStreamSeek = bind3[resultSize, *cBlobStream, int64, int32]("paimon_blob_stream_seek")
)

// readBlobs reads blobs into Go memory. None of the results is nil.
func readBlobs(h *handle[cBlobReader], p *cBlobReader, op string, descriptors [][]byte) ([][]byte, error) {
	if len(descriptors) == 0 {
		return [][]byte{}, nil
	}
	if _, err := h.lib.resolve(ffiBytesFree.symbol); err != nil {
		return nil, withOp(err, op, h.object)
	}
	runs, values := make([]cBytes, len(descriptors)), make([]cBytes, len(descriptors))
	for i, descriptor := range descriptors {
		if len(descriptor) > 0 {
			runs[i] = cBytes{&descriptor[0], uintptr(len(descriptor))}
		}
	}
	e, err := ffiBlobReaderReadBlobs.call(h.lib, p, &runs[0], uintptr(len(runs)), &values[0])
	if err := h.lib.done(op, h.object, e, err); err != nil {
		return nil, err
	}
	blobs := make([][]byte, len(values))
	for i, value := range values {
		if blobs[i] = h.lib.takeBytes(value); blobs[i] == nil {
			blobs[i] = []byte{}
		}
	}
	return blobs, nil
}

// openBlob opens a stream over the blob of a descriptor.
func openBlob(h *handle[cBlobReader], p *cBlobReader, op string, descriptor []byte) (*handle[cBlobStream], error) {
	return adopt(h.lib, ffiBlobStreamFree, op, h.object, func() (result[cBlobStream], error) {
		var first *byte
		if len(descriptor) > 0 {
			first = &descriptor[0]
		}
		return ffiBlobReaderOpenBlob.call(h.lib, p, first, uintptr(len(descriptor)))
	})
}
