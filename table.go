// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"encoding/json"

	"github.com/apache/arrow-go/v18/arrow"
)

// A Table is an open table: where its reads and writes start. Its schema is that of the moment it was opened; its data is not: a
// scan or commit made later works on the latest snapshot.
//
// It is safe for concurrent use. It stays valid after its [Catalog] is closed, and what is made from it stays valid after it is
// closed.
type Table struct {
	h        *handle[cTable]
	id       Identifier
	location string
}

// newTable takes over a native table.
func newTable(h *handle[cTable], id Identifier) (*Table, error) {
	r, err := ffiTableLocation.call(h.lib, h.ptr)
	location, err := h.lib.bytesOf("get table", h.object, r, err)
	if err != nil {
		h.close()
		return nil, err
	}
	return &Table{h: h, id: id, location: string(location)}, nil
}

func (t *Table) base() *handle[cTable] {
	if t == nil {
		return nil
	}
	return t.h
}

// Close frees the table. It is idempotent, does not wait for calls in flight, and is harmless on a nil table.
func (t *Table) Close() { t.base().close() }

// Identifier is the name under which the table was opened. It outlives Close.
func (t *Table) Identifier() Identifier {
	if t == nil {
		return Identifier{}
	}
	return t.id
}

// Location is the path or URL of the table's folder. It outlives Close.
func (t *Table) Location() string {
	if t == nil {
		return ""
	}
	return t.location
}

// Schema gives the table's schema as of its opening. The caller owns the copy.
func (t *Table) Schema() (*Schema, error) {
	const op = "get schema"
	p, err := t.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer t.h.release()
	r, err := ffiTableSchema.call(t.h.lib, p)
	raw, err := t.h.lib.bytesOf(op, t.h.object, r, err)
	if err != nil {
		return nil, err
	}
	schema := new(Schema)
	if err := json.Unmarshal(raw, schema); err != nil {
		return nil, withOp(err, op, t.h.object)
	}
	return schema, nil
}

// ArrowSchema gives the Arrow schema of the record batches that reads of the whole table return and writes accept.
func (t *Table) ArrowSchema() (*arrow.Schema, error) {
	schema, err := t.Schema()
	if err != nil {
		return nil, err
	}
	arrowSchema, err := schema.Arrow()
	if err != nil {
		return nil, withOp(err, "get Arrow schema", t.h.object)
	}
	return arrowSchema, nil
}

// LatestSnapshot gives the newest snapshot there is now, or nil for a table that has none.
func (t *Table) LatestSnapshot() (*Snapshot, error) {
	const op = "get latest snapshot"
	p, err := t.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer t.h.release()
	r, err := ffiTableLatestSnapshot.call(t.h.lib, p)
	raw, err := t.h.lib.bytesOf(op, t.h.object, r, err)
	if err != nil || raw == nil {
		return nil, err
	}
	snapshot := new(Snapshot)
	if err := json.Unmarshal(raw, snapshot); err != nil {
		return nil, withOp(err, op, t.h.object)
	}
	return snapshot, nil
}

// NewReadBuilder starts a read of the table. The caller closes the builder.
func (t *Table) NewReadBuilder() (*ReadBuilder, error) {
	const op = "new read builder"
	p, err := t.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer t.h.release()
	h, err := adopt(t.h.lib, ffiReadBuilderFree, op, t.h.object, func() (result[cReadBuilder], error) {
		return ffiTableNewReadBuilder.call(t.h.lib, p)
	})
	if err != nil {
		return nil, err
	}
	return &ReadBuilder{h: h, location: t.location}, nil
}

// NewWriteBuilder starts a write to the table under a commit user of its own, a random UUID. The caller closes the builder.
func (t *Table) NewWriteBuilder() (*WriteBuilder, error) {
	const op = "new write builder"
	p, err := t.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer t.h.release()
	h, err := adopt(t.h.lib, ffiWriteBuilderFree, op, t.h.object, func() (result[cWriteBuilder], error) {
		return ffiTableNewWriteBuilder.call(t.h.lib, p)
	})
	return newWriteBuilder(h, t.location, err)
}

// NewWriteBuilderWithCommitUser starts a write to the table under the given commit user: the name by which a job that is retried
// recognises its own commits. It becomes part of file names, so it must not be empty and must not contain path separators or
// control characters. The caller closes the builder.
func (t *Table) NewWriteBuilderWithCommitUser(commitUser string) (*WriteBuilder, error) {
	const op = "new write builder"
	p, err := t.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer t.h.release()
	user, err := cString(op, t.h.object, "the commit user", commitUser)
	if err != nil {
		return nil, err
	}
	h, err := adopt(t.h.lib, ffiWriteBuilderFree, op, t.h.object, func() (result[cWriteBuilder], error) {
		return ffiTableNewWriteBuilderWithCommitUser.call(t.h.lib, p, user)
	})
	return newWriteBuilder(h, t.location, err)
}
