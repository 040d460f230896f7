// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"context"
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
	source   string // tells its splits and commits from those of other tables and branches
}

// newTable takes over a native table.
func newTable(h *handle[cTable], id Identifier) (*Table, error) {
	r, err := ffiTableLocation.call(h.lib, h.ptr)
	location, err := h.lib.bytesOf("get table", h.object, r, err)
	if err != nil {
		h.close()
		return nil, err
	}
	return &Table{h: h, id: id, location: string(location), source: string(location) + id.suffix()}, nil
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
	var schema *Schema
	err := t.describe(context.Background(), "get schema", &schema, func(p *cTable) (resultBytes, error) {
		return ffiTableSchema.call(t.h.lib, p)
	})
	return schema, err
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
	return t.LatestSnapshotContext(context.Background())
}

// LatestSnapshotContext is [Table.LatestSnapshot], and ends when ctx does.
func (t *Table) LatestSnapshotContext(ctx context.Context) (*Snapshot, error) {
	var snapshot *Snapshot
	err := t.describe(ctx, "get latest snapshot", &snapshot, func(p *cTable) (resultBytes, error) {
		return ffiTableLatestSnapshot.call(t.h.lib, p)
	})
	return snapshot, err
}

// Snapshot gives the snapshot with the given ID. One that has expired, or never was, is [ErrSnapshotNotExist]; the message says which
// there are.
func (t *Table) Snapshot(id int64) (*Snapshot, error) {
	return t.SnapshotContext(context.Background(), id)
}

// SnapshotContext is [Table.Snapshot], and ends when ctx does.
func (t *Table) SnapshotContext(ctx context.Context, id int64) (*Snapshot, error) {
	var snapshot *Snapshot
	err := t.describe(ctx, "get snapshot", &snapshot, func(p *cTable) (resultBytes, error) {
		return ffiTableSnapshot.call(t.h.lib, p, id)
	})
	return snapshot, err
}

// ListSnapshots gives all snapshots that have not expired, oldest first. It reads a file for each of them.
func (t *Table) ListSnapshots() ([]Snapshot, error) {
	return t.ListSnapshotsContext(context.Background())
}

// ListSnapshotsContext is [Table.ListSnapshots], and ends when ctx does.
func (t *Table) ListSnapshotsContext(ctx context.Context) ([]Snapshot, error) {
	var snapshots []Snapshot
	err := t.describe(ctx, "list snapshots", &snapshots, func(p *cTable) (resultBytes, error) {
		return ffiTableListSnapshots.call(t.h.lib, p)
	})
	return snapshots, err
}

// describe runs a native call that gives JSON, or nothing, which leaves into as it is.
func (t *Table) describe(ctx context.Context, op string, into any, call func(*cTable) (resultBytes, error)) (err error) {
	p, end, err := t.base().begin(ctx, op)
	if err != nil {
		return err
	}
	defer end(&err)
	r, err := call(p)
	raw, err := t.h.lib.bytesOf(op, t.h.object, r, err)
	if err != nil || raw == nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return withOp(err, op, t.h.object)
	}
	return nil
}

// NewReadBuilder starts a read of the table. The caller closes the builder.
func (t *Table) NewReadBuilder() (*ReadBuilder, error) {
	return t.NewReadBuilderContext(context.Background())
}

// NewReadBuilderContext is [Table.NewReadBuilder], and ends when ctx does.
func (t *Table) NewReadBuilderContext(ctx context.Context) (_ *ReadBuilder, err error) {
	const op = "new read builder"
	p, end, err := t.base().begin(ctx, op)
	if err != nil {
		return nil, err
	}
	defer end(&err)
	h, err := adopt(t.h.lib, ffiReadBuilderFree, op, t.h.object, func() (result[cReadBuilder], error) {
		return ffiTableNewReadBuilder.call(t.h.lib, p)
	})
	if err != nil {
		return nil, err
	}
	return &ReadBuilder{h: h, source: t.source}, nil
}

// NewReadBuilderWithOptions starts a read of the table with options of this read alone, over those of the table, such as
// "read.batch-size", the largest number of rows in a record batch. Options that Paimon does not know are ignored.
//
// One of these travels to an earlier snapshot, whose schema the read then has: "scan.snapshot-id"; "scan.tag-name";
// "scan.timestamp-millis" (milliseconds since the epoch) or "scan.timestamp" ("2006-01-02 15:04:05" or "2006-01-02", of the process's time
// zone), the last snapshot not after that; "scan.watermark", the first snapshot with that watermark or a later one; "scan.version", a
// tag, or else a snapshot ID. More than one, or one that leads to no snapshot, is [CodeInvalidInput]; the latter also matches
// [ErrSnapshotNotExist] or [ErrTagNotExist] where that is the reason, and never reads something else instead. The caller closes the
// builder.
func (t *Table) NewReadBuilderWithOptions(options map[string]string) (*ReadBuilder, error) {
	return t.NewReadBuilderWithOptionsContext(context.Background(), options)
}

// NewReadBuilderWithOptionsContext is [Table.NewReadBuilderWithOptions], and ends when ctx does.
func (t *Table) NewReadBuilderWithOptionsContext(ctx context.Context, options map[string]string) (_ *ReadBuilder, err error) {
	const op = "new read builder"
	p, end, err := t.base().begin(ctx, op)
	if err != nil {
		return nil, err
	}
	defer end(&err)
	array, n, err := cOptions(op, t.h.object, options)
	if err != nil {
		return nil, err
	}
	h, err := adopt(t.h.lib, ffiReadBuilderFree, op, t.h.object, func() (result[cReadBuilder], error) {
		return ffiTableNewReadBuilderWithOptions.call(t.h.lib, p, array, n)
	})
	if err != nil {
		return nil, err
	}
	return &ReadBuilder{h: h, source: t.source}, nil
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
	return newWriteBuilder(h, t.source, err)
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
	return newWriteBuilder(h, t.source, err)
}
