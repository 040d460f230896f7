// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
)

// A PostponeFixedBucketWriteBuilder makes writes and commits that put the rows of a postpone table (one with a primary key and the
// option bucket = -2) into buckets at once, so that readers see them as soon as they are committed. Rows that a [WriteBuilder] writes
// to such a table wait, unseen, until a compaction job of another engine has put them into buckets.
//
// How many buckets a partition has is said by the plan ([PostponeFixedBucketWriteBuilder.WithBucketPlan]), or else by the files that it
// has already, or else by the table's option postpone.default-bucket-num.
//
// It is safe for concurrent use and stays valid after its [Table] is closed.
type PostponeFixedBucketWriteBuilder struct {
	wb *WriteBuilder // over a native builder that makes such writes
}

// NewPostponeFixedBucketWriteBuilder starts a write to fixed buckets of a postpone table, under a commit user of its own, a random
// UUID. A table that is none, and one whose primary key lacks a partition key, is [CodeUnsupported]. The caller closes the builder.
func (t *Table) NewPostponeFixedBucketWriteBuilder() (*PostponeFixedBucketWriteBuilder, error) {
	const op = "new fixed-bucket write builder"
	p, err := t.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer t.h.release()
	h, err := adopt(t.h.lib, ffiWriteBuilderFree, op, t.h.object, func() (result[cWriteBuilder], error) {
		return ffiTableNewPostponeFixedBucketWriteBuilder.call(t.h.lib, p)
	})
	return t.postponeBuilder(h, err)
}

// NewPostponeFixedBucketWriteBuilderWithCommitUser is [Table.NewPostponeFixedBucketWriteBuilder] under the given commit user, for
// which the rules of [Table.NewWriteBuilderWithCommitUser] hold.
func (t *Table) NewPostponeFixedBucketWriteBuilderWithCommitUser(commitUser string) (*PostponeFixedBucketWriteBuilder, error) {
	const op = "new fixed-bucket write builder"
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
		return ffiTableNewPostponeFixedBucketWriteBuilderWithCommitUser.call(t.h.lib, p, user)
	})
	return t.postponeBuilder(h, err)
}

func (t *Table) postponeBuilder(h *handle[cWriteBuilder], err error) (*PostponeFixedBucketWriteBuilder, error) {
	wb, err := newWriteBuilder(h, t.source, err)
	if err != nil {
		return nil, err
	}
	return &PostponeFixedBucketWriteBuilder{wb}, nil
}

func (wb *PostponeFixedBucketWriteBuilder) plain() *WriteBuilder {
	if wb == nil {
		return nil
	}
	return wb.wb
}

// Close frees the builder. It is idempotent, does not wait for calls in flight, and is harmless on a nil builder.
func (wb *PostponeFixedBucketWriteBuilder) Close() { wb.plain().Close() }

// WithOverwrite is [WriteBuilder.WithOverwrite]. An overwrite may give a partition another number of buckets than it has.
func (wb *PostponeFixedBucketWriteBuilder) WithOverwrite() error { return wb.plain().WithOverwrite() }

// WithResources is [WriteBuilder.WithResources].
func (wb *PostponeFixedBucketWriteBuilder) WithResources(r *ResourceContext) error {
	return wb.plain().WithResources(r)
}

// WithBucketPlan says how many buckets each partition has, for the writes that are made from now on. The plan has the table's
// partition columns and then total_buckets, an int32 that is neither null nor below 1, and a row for each partition that will be written
// to; for a table without partitions one row of total_buckets alone. Anything else is [CodeInvalidInput], and the builder keeps the plan
// it had, as is a row written to a partition that is not in the plan. A partition whose files are in another number of buckets already is
// [CodeInvalidInput] when it is committed, unless as an overwrite.
//
// The plan stays the caller's, who may release it when the call returns.
func (wb *PostponeFixedBucketWriteBuilder) WithBucketPlan(plan arrow.RecordBatch) error {
	const op = "set bucket plan"
	h := wb.plain().base()
	p, err := h.acquire(op)
	if err != nil {
		return err
	}
	defer h.release()
	return setBucketPlan(h, p, op, plan)
}

// NewWrite makes a write. Without a plan, and without postpone.default-bucket-num, it is [CodeInvalidInput]. The caller closes it.
func (wb *PostponeFixedBucketWriteBuilder) NewWrite() (*PostponeFixedBucketTableWrite, error) {
	tw, err := wb.plain().NewWrite()
	if err != nil {
		return nil, err
	}
	return &PostponeFixedBucketTableWrite{tw}, nil
}

// NewCommit makes a commit, whose mode is fixed now. The caller closes it.
func (wb *PostponeFixedBucketWriteBuilder) NewCommit() (*PostponeFixedBucketTableCommit, error) {
	tc, err := wb.plain().NewCommit()
	if err != nil {
		return nil, err
	}
	return &PostponeFixedBucketTableCommit{tc}, nil
}

// A PostponeFixedBucketTableWrite is a [TableWrite] to fixed buckets. It differs in that it is done with the first
// [PostponeFixedBucketTableWrite.PrepareCommit], and with the first record that the engine refuses.
//
// It is safe for concurrent use; calls wait for each other. It stays valid after its builder is closed.
type PostponeFixedBucketTableWrite struct {
	tw *TableWrite
}

func (tw *PostponeFixedBucketTableWrite) plain() *TableWrite {
	if tw == nil {
		return nil
	}
	return tw.tw
}

// Close frees the write and drops what was not prepared. It is idempotent, does not wait for calls in flight, and is harmless on a
// nil write.
func (tw *PostponeFixedBucketTableWrite) Close() { tw.plain().Close() }

// WriteArrowBatch is [TableWrite.WriteArrowBatch]. But a record that does not fit may end the write: then all that it wrote is
// discarded, and PrepareCommit says so.
func (tw *PostponeFixedBucketTableWrite) WriteArrowBatch(record arrow.RecordBatch) error {
	return tw.WriteArrowBatchContext(context.Background(), record)
}

// WriteArrowBatchContext is [PostponeFixedBucketTableWrite.WriteArrowBatch], and ends when ctx does.
func (tw *PostponeFixedBucketTableWrite) WriteArrowBatchContext(ctx context.Context, record arrow.RecordBatch) error {
	return tw.plain().WriteArrowBatchContext(ctx, record)
}

// PrepareCommit finishes the files and returns their messages, which the caller closes. It closes the write, whether it succeeds or
// not.
func (tw *PostponeFixedBucketTableWrite) PrepareCommit() (*PostponeFixedBucketCommitMessages, error) {
	return tw.PrepareCommitContext(context.Background())
}

// PrepareCommitContext is [PostponeFixedBucketTableWrite.PrepareCommit], and ends when ctx does. It closes the write then too.
func (tw *PostponeFixedBucketTableWrite) PrepareCommitContext(ctx context.Context) (*PostponeFixedBucketCommitMessages, error) {
	defer tw.Close()
	m, err := tw.plain().PrepareCommitContext(ctx)
	if err != nil {
		return nil, err
	}
	return &PostponeFixedBucketCommitMessages{m}, nil
}

// PostponeFixedBucketCommitMessages are the [CommitMessages] of a [PostponeFixedBucketTableWrite].
//
// They are safe for concurrent use and stay valid after their write is closed. Closing them keeps the files.
type PostponeFixedBucketCommitMessages struct {
	m *CommitMessages
}

func (m *PostponeFixedBucketCommitMessages) plain() *CommitMessages {
	if m == nil {
		return nil
	}
	return m.m
}

// Close frees the messages. It is idempotent, does not wait for calls in flight, and is harmless on nil messages.
func (m *PostponeFixedBucketCommitMessages) Close() { m.plain().Close() }

// Merge is [CommitMessages.Merge].
func (m *PostponeFixedBucketCommitMessages) Merge(source *PostponeFixedBucketCommitMessages) error {
	return m.plain().Merge(source.plain())
}

// A PostponeFixedBucketTableCommit is a [TableCommit] of the messages of [PostponeFixedBucketTableWrite]. A bucket is
// written by one job at a time, and by one of its writes: a commit to one that another commit has written to since the write began is
// [ErrCommitConflict], and would be again, so write the data again; two writes of one job to one bucket are [CodeInvalidInput].
//
// It is safe for concurrent use and stays valid after its builder is closed. It waits for other commits as a [TableCommit] does.
type PostponeFixedBucketTableCommit struct {
	tc *TableCommit
}

func (tc *PostponeFixedBucketTableCommit) plain() *TableCommit {
	if tc == nil {
		return nil
	}
	return tc.tc
}

// Close frees the commit. It is idempotent, does not wait for calls in flight, and is harmless on a nil commit.
func (tc *PostponeFixedBucketTableCommit) Close() { tc.plain().Close() }

// Commit is [TableCommit.Commit].
func (tc *PostponeFixedBucketTableCommit) Commit(m *PostponeFixedBucketCommitMessages) error {
	return tc.plain().Commit(m.plain())
}

// CommitContext is [TableCommit.CommitContext].
func (tc *PostponeFixedBucketTableCommit) CommitContext(ctx context.Context, m *PostponeFixedBucketCommitMessages) error {
	return tc.plain().CommitContext(ctx, m.plain())
}

// CommitWithIdentifier is [TableCommit.CommitWithIdentifier].
func (tc *PostponeFixedBucketTableCommit) CommitWithIdentifier(m *PostponeFixedBucketCommitMessages, id int64) error {
	return tc.plain().CommitWithIdentifier(m.plain(), id)
}

// CommitWithIdentifierContext is [TableCommit.CommitWithIdentifierContext].
func (tc *PostponeFixedBucketTableCommit) CommitWithIdentifierContext(ctx context.Context, m *PostponeFixedBucketCommitMessages, id int64) error {
	return tc.plain().CommitWithIdentifierContext(ctx, m.plain(), id)
}

// FilterAndCommitWithIdentifier is [TableCommit.FilterAndCommitWithIdentifier].
func (tc *PostponeFixedBucketTableCommit) FilterAndCommitWithIdentifier(m *PostponeFixedBucketCommitMessages, id int64) error {
	return tc.plain().FilterAndCommitWithIdentifier(m.plain(), id)
}

// FilterAndCommitWithIdentifierContext is [TableCommit.FilterAndCommitWithIdentifierContext].
func (tc *PostponeFixedBucketTableCommit) FilterAndCommitWithIdentifierContext(ctx context.Context, m *PostponeFixedBucketCommitMessages, id int64) error {
	return tc.plain().FilterAndCommitWithIdentifierContext(ctx, m.plain(), id)
}

// TruncateTable is [TableCommit.TruncateTable].
func (tc *PostponeFixedBucketTableCommit) TruncateTable() error { return tc.plain().TruncateTable() }

// TruncateTableContext is [TableCommit.TruncateTableContext].
func (tc *PostponeFixedBucketTableCommit) TruncateTableContext(ctx context.Context) error {
	return tc.plain().TruncateTableContext(ctx)
}

// TruncateTableWithIdentifier is [TableCommit.TruncateTableWithIdentifier].
func (tc *PostponeFixedBucketTableCommit) TruncateTableWithIdentifier(id int64) error {
	return tc.plain().TruncateTableWithIdentifier(id)
}

// TruncateTableWithIdentifierContext is [TableCommit.TruncateTableWithIdentifierContext].
func (tc *PostponeFixedBucketTableCommit) TruncateTableWithIdentifierContext(ctx context.Context, id int64) error {
	return tc.plain().TruncateTableWithIdentifierContext(ctx, id)
}

// Abort is [TableCommit.Abort].
func (tc *PostponeFixedBucketTableCommit) Abort(m *PostponeFixedBucketCommitMessages) error {
	return tc.plain().Abort(m.plain())
}

// AbortContext is [TableCommit.AbortContext].
func (tc *PostponeFixedBucketTableCommit) AbortContext(ctx context.Context, m *PostponeFixedBucketCommitMessages) error {
	return tc.plain().AbortContext(ctx, m.plain())
}
