// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"context"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
)

// A WriteBuilder makes the writes and commits of one job: they share its commit user, and are appends unless
// [WriteBuilder.WithOverwrite] was called before they were made.
//
// It is safe for concurrent use and stays valid after its [Table] is closed.
type WriteBuilder struct {
	h      *handle[cWriteBuilder]
	mode   *writeMode
	source string // of the table
}

// writeMode mirrors the native builder's mode, which decides how a commit made from it commits.
type writeMode struct {
	sync.Mutex
	overwrite bool
}

func newWriteBuilder(h *handle[cWriteBuilder], source string, err error) (*WriteBuilder, error) {
	if err != nil {
		return nil, err
	}
	return &WriteBuilder{h: h, mode: new(writeMode), source: source}, nil
}

func (wb *WriteBuilder) base() *handle[cWriteBuilder] {
	if wb == nil {
		return nil
	}
	return wb.h
}

// Close frees the builder. It is idempotent, does not wait for calls in flight, and is harmless on a nil builder.
func (wb *WriteBuilder) Close() { wb.base().close() }

// WithOverwrite makes the writes and commits made from now on overwrites: a commit replaces the partitions that were written to,
// or all of a table without partitions.
func (wb *WriteBuilder) WithOverwrite() error {
	const op = "set overwrite"
	p, err := wb.base().acquire(op)
	if err != nil {
		return err
	}
	defer wb.h.release()
	wb.mode.Lock()
	defer wb.mode.Unlock()
	e, err := ffiWriteBuilderWithOverwrite.call(wb.h.lib, p)
	if err := wb.h.lib.done(op, wb.h.object, e, err); err != nil {
		return err
	}
	wb.mode.overwrite = true
	return nil
}

// WithResources makes the writes that are made from now on stay within a memory budget, which they share with all else that took it.
// What exceeds it is [CodeResourceExhausted], the error of [TableWrite.WriteArrowBatch] or [TableWrite.PrepareCommit], and the write is
// over: what it did not prepare is discarded, and its files are deleted. Writes keep the budget after r is closed; a nil or closed r is
// [ErrClosed].
func (wb *WriteBuilder) WithResources(r *ResourceContext) error {
	const op = "set resources"
	p, err := wb.base().acquire(op)
	if err != nil {
		return err
	}
	defer wb.h.release()
	context, err := r.base().acquire(op)
	if err != nil {
		return err
	}
	defer r.h.release()
	e, err := ffiWriteBuilderWithResources.call(wb.h.lib, p, context)
	return wb.h.lib.done(op, wb.h.object, e, err)
}

// WithWriteOnly says that another job, of Flink, Spark or Java, compacts the table. A table with a primary key and
// deletion-vectors.enabled, or with the merge engine first-row, shows rows only once they are compacted, which this library does not do:
// [WriteBuilder.NewWrite] refuses to write to it without this, or the table's option write-only.
func (wb *WriteBuilder) WithWriteOnly() error {
	const op = "set write-only"
	p, err := wb.base().acquire(op)
	if err != nil {
		return err
	}
	defer wb.h.release()
	e, err := ffiWriteBuilderWithWriteOnly.call(wb.h.lib, p)
	return wb.h.lib.done(op, wb.h.object, e, err)
}

// NewWrite makes a write. One whose rows nobody would see is [CodeUnsupported]: see [WriteBuilder.WithWriteOnly]. Rows of a table whose
// buckets are postponed (bucket = -2) are invisible until a compaction too, as the option says; see
// [Table.NewPostponeFixedBucketWriteBuilder]. The caller closes the write.
func (wb *WriteBuilder) NewWrite() (*TableWrite, error) {
	const op = "new write"
	p, err := wb.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer wb.h.release()
	h, err := adopt(wb.h.lib, ffiTableWriteFree, op, wb.h.object, func() (result[cTableWrite], error) {
		return ffiWriteBuilderNewWrite.call(wb.h.lib, p)
	})
	if err != nil {
		return nil, err
	}
	h.turns, h.after = newTurn(), h.lib.reap
	return &TableWrite{h}, nil
}

// NewCommit makes a commit, whose mode is fixed now. The caller closes it.
func (wb *WriteBuilder) NewCommit() (*TableCommit, error) {
	const op = "new commit"
	p, err := wb.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer wb.h.release()
	wb.mode.Lock()
	defer wb.mode.Unlock()
	h, err := adopt(wb.h.lib, ffiTableCommitFree, op, wb.h.object, func() (result[cTableCommit], error) {
		return ffiWriteBuilderNewCommit.call(wb.h.lib, p)
	})
	if err != nil {
		return nil, err
	}
	return &TableCommit{h: h, overwrite: wb.mode.overwrite, source: wb.source}, nil
}

// A TableWrite writes record batches into data files, which no reader sees before they are committed.
//
// It is safe for concurrent use; calls wait for each other. It stays valid after its [WriteBuilder] is closed. Closing it drops what
// was not prepared, and deletes its files.
type TableWrite struct {
	h *handle[cTableWrite]
}

func (tw *TableWrite) base() *handle[cTableWrite] {
	if tw == nil {
		return nil
	}
	return tw.h
}

// Close frees the write and drops what was not prepared. It is idempotent, does not wait for calls in flight, and is harmless on a
// nil write.
func (tw *TableWrite) Close() { tw.base().close() }

// WriteArrowBatch writes a record. It has the table's columns, in any order, in the types of [Table.ArrowSchema] or in others whose
// values lose nothing on the way (docs/types.md has them all), and no nulls where a column is NOT NULL. In a table with a primary key it
// may have a column _VALUE_KIND of integers (0 insert, 1 and 2 the two sides of an update, 3 delete).
//
// The record stays the caller's, who may release it when the call returns. It is not copied: a table with a primary key keeps it until
// [TableWrite.PrepareCommit] or [TableWrite.Close] returns, and until then nothing may change its values, or free memory under it that is
// not Go's and that no Release frees, such as a mapped file. One that does not fit (its columns, its types, a
// null or a value where it may not be) is [CodeInvalidInput]; nothing of it is written, and the write can go on. After any other error
// all that was not prepared is discarded and its files are deleted: make a new write.
func (tw *TableWrite) WriteArrowBatch(record arrow.RecordBatch) error {
	return tw.WriteArrowBatchContext(context.Background(), record)
}

// WriteArrowBatchContext is [TableWrite.WriteArrowBatch], and ends when ctx does. As after other errors the write is over if it had begun.
func (tw *TableWrite) WriteArrowBatchContext(ctx context.Context, record arrow.RecordBatch) (err error) {
	const op = "write"
	p, end, err := tw.base().begin(ctx, op)
	if err != nil {
		return err
	}
	defer end(&err)
	return writeBatch(tw.h, p, op, record)
}

// PrepareCommit finishes the files of what was written since the last time, and returns what [TableCommit.Commit] needs to make
// them visible; that may be nothing. The write can be used again, but not after an error, which discards all that was not prepared. The
// caller closes the messages.
func (tw *TableWrite) PrepareCommit() (*CommitMessages, error) {
	return tw.PrepareCommitContext(context.Background())
}

// PrepareCommitContext is [TableWrite.PrepareCommit], and ends when ctx does. As after other errors the write is over if it had begun: what
// it wrote is deleted, but a file that was being created at that very moment may stay, as an orphan that belongs to no snapshot.
func (tw *TableWrite) PrepareCommitContext(ctx context.Context) (_ *CommitMessages, err error) {
	const op = "prepare commit"
	p, end, err := tw.base().begin(ctx, op)
	if err != nil {
		return nil, err
	}
	defer end(&err)
	defer tw.h.lib.reap()
	h, err := adopt(tw.h.lib, ffiCommitMessagesFree, op, tw.h.object, func() (result[cCommitMessages], error) {
		return ffiTableWritePrepareCommit.call(tw.h.lib, p)
	})
	if err != nil {
		tw.h.lib.reapIfCalledOff(err)
		return nil, err
	}
	return &CommitMessages{h}, nil
}

// CommitMessages name the files that one or more writes have finished, for one commit. Committing reads them and does not use them
// up, so that a commit that failed can be tried again.
//
// They are safe for concurrent use and stay valid after their [TableWrite] is closed. Closing them keeps the files: commit or abort
// them first, else the files stay behind as orphans.
type CommitMessages struct {
	h *handle[cCommitMessages]
}

func (m *CommitMessages) base() *handle[cCommitMessages] {
	if m == nil {
		return nil
	}
	return m.h
}

// Close frees the messages. It is idempotent, does not wait for calls in flight, and is harmless on nil messages.
func (m *CommitMessages) Close() { m.base().close() }

// Merge appends a copy of source, so that the work of several writes becomes one commit. Both stay valid. Messages of another
// table, commit user or mode are [CodeInvalidInput], as is a merge with itself; nil or closed messages are [ErrClosed].
func (m *CommitMessages) Merge(source *CommitMessages) error {
	const op = "merge commit messages"
	target, err := m.base().acquire(op)
	if err != nil {
		return err
	}
	defer m.h.release()
	other, err := source.base().acquire(op)
	if err != nil {
		return err
	}
	defer source.h.release()
	e, err := ffiCommitMessagesMerge.call(m.h.lib, target, other)
	return m.h.lib.done(op, m.h.object, e, err)
}

// A TableCommit makes prepared messages visible as a snapshot, all or nothing.
//
// It takes messages of its own table, commit user and mode only; others are [CodeInvalidInput], nil or closed ones [ErrClosed]. A
// commit that lost to other writers too often is [ErrCommitConflict]: it may be tried again with the same messages.
//
// It is safe for concurrent use and stays valid after its [WriteBuilder] is closed. All commits of this process to one table wait for
// each other, whichever handle they come from, as long as all name its warehouse by the same path. Commits of other processes to a
// table in a filesystem warehouse are another matter: the engine cannot tell two of them apart that publish at the same moment, and
// one of them is lost. Let one process commit.
type TableCommit struct {
	h         *handle[cTableCommit]
	overwrite bool
	source    string // of the table
}

func (tc *TableCommit) base() *handle[cTableCommit] {
	if tc == nil {
		return nil
	}
	return tc.h
}

// Close frees the commit. It is idempotent, does not wait for calls in flight, and is harmless on a nil commit.
func (tc *TableCommit) Close() { tc.base().close() }

// Commit commits once, for jobs that are not retried as a whole: it takes the largest commit identifier there is. So a commit user
// that has once committed this way is done with identifiers: all that filter by one do nothing for it from then on. In overwrite mode
// it replaces the partitions that the messages touch, or all of a table without partitions. Messages without files commit nothing; but
// an overwrite of a table without partitions by such messages empties it.
func (tc *TableCommit) Commit(m *CommitMessages) error {
	return tc.CommitContext(context.Background(), m)
}

// CommitContext is [TableCommit.Commit], and ends when ctx does: with [ErrOutcomeUnknown] if the commit was under way.
func (tc *TableCommit) CommitContext(ctx context.Context, m *CommitMessages) error {
	call := ffiTableCommitCommit
	if tc != nil && tc.overwrite {
		call = ffiTableCommitOverwrite
	}
	return tc.over(ctx, "commit", m, func(l *library, c *cTableCommit, p *cCommitMessages) (*cError, error) { return call.call(l, c, p) })
}

// CommitWithIdentifier commits under an identifier, which must grow from commit to commit of one commit user. In append mode it is
// not looked up whether the identifier was committed before; in overwrite mode it is, and if this commit user has committed it, or a
// later one, nothing happens.
func (tc *TableCommit) CommitWithIdentifier(m *CommitMessages, id int64) error {
	return tc.CommitWithIdentifierContext(context.Background(), m, id)
}

// CommitWithIdentifierContext is [TableCommit.CommitWithIdentifier], and ends when ctx does:
// with [ErrOutcomeUnknown] if the commit was under way.
func (tc *TableCommit) CommitWithIdentifierContext(ctx context.Context, m *CommitMessages, id int64) error {
	call := ffiTableCommitCommitWithIdentifier
	if tc != nil && tc.overwrite {
		call = ffiTableCommitOverwriteWithIdentifier
	}
	return tc.over(ctx, "commit", m, func(l *library, c *cTableCommit, p *cCommitMessages) (*cError, error) { return call.call(l, c, p, id) })
}

// FilterAndCommitWithIdentifier commits under an identifier, unless this commit user has committed it, or a later one, before: then
// nothing happens. It is how a commit is tried again whose outcome is unknown.
func (tc *TableCommit) FilterAndCommitWithIdentifier(m *CommitMessages, id int64) error {
	return tc.FilterAndCommitWithIdentifierContext(context.Background(), m, id)
}

// FilterAndCommitWithIdentifierContext is [TableCommit.FilterAndCommitWithIdentifier], and ends when ctx does:
// with [ErrOutcomeUnknown] if the commit was under way.
func (tc *TableCommit) FilterAndCommitWithIdentifierContext(ctx context.Context, m *CommitMessages, id int64) error {
	call := ffiTableCommitFilterAndCommitWithIdentifier
	if tc != nil && tc.overwrite {
		call = ffiTableCommitOverwriteWithIdentifier
	}
	return tc.over(ctx, "commit", m, func(l *library, c *cTableCommit, p *cCommitMessages) (*cError, error) { return call.call(l, c, p, id) })
}

// TruncateTable removes all rows in a new snapshot. Earlier snapshots keep them. Like Commit it takes the largest commit identifier.
func (tc *TableCommit) TruncateTable() error {
	return tc.TruncateTableContext(context.Background())
}

// TruncateTableContext is [TableCommit.TruncateTable], and ends when ctx does: with [ErrOutcomeUnknown] if the commit was under way.
func (tc *TableCommit) TruncateTableContext(ctx context.Context) error {
	return tc.run(ctx, "truncate table", func(l *library, c *cTableCommit) (*cError, error) { return ffiTableCommitTruncateTable.call(l, c) })
}

// TruncateTableWithIdentifier is TruncateTable under an identifier: if this commit user has committed it, or a later one, before,
// nothing happens.
func (tc *TableCommit) TruncateTableWithIdentifier(id int64) error {
	return tc.TruncateTableWithIdentifierContext(context.Background(), id)
}

// TruncateTableWithIdentifierContext is [TableCommit.TruncateTableWithIdentifier], and ends when ctx does:
// with [ErrOutcomeUnknown] if the commit was under way.
func (tc *TableCommit) TruncateTableWithIdentifierContext(ctx context.Context, id int64) error {
	return tc.run(ctx, "truncate table", func(l *library, c *cTableCommit) (*cError, error) {
		return ffiTableCommitTruncateTableWithIdentifier.call(l, c, id)
	})
}

// Abort gives messages up and deletes their files. Messages of which a commit was ever begun, whatever became of it, are refused with
// [CodeInvalidInput], since their files may belong to a snapshot; so it is safe to call on the way out of a job that failed. To
// abort again does nothing, and messages that were aborted cannot be committed.
func (tc *TableCommit) Abort(m *CommitMessages) error {
	return tc.AbortContext(context.Background(), m)
}

// AbortContext is [TableCommit.Abort], and ends when ctx does, when some of the files may be deleted; abort again to delete the rest.
func (tc *TableCommit) AbortContext(ctx context.Context, m *CommitMessages) error {
	return tc.over(ctx, "abort", m, func(l *library, c *cTableCommit, p *cCommitMessages) (*cError, error) {
		return ffiTableCommitAbort.call(l, c, p)
	})
}

// over runs a native call over messages.
func (tc *TableCommit) over(ctx context.Context, op string, m *CommitMessages, call func(*library, *cTableCommit, *cCommitMessages) (*cError, error)) error {
	messages, err := m.base().acquire(op)
	if err != nil {
		return err
	}
	defer m.h.release()
	return tc.run(ctx, op, func(l *library, c *cTableCommit) (*cError, error) { return call(l, c, messages) })
}

// run runs a native call when no other commit of this process is under way for the table.
func (tc *TableCommit) run(ctx context.Context, op string, call func(*library, *cTableCommit) (*cError, error)) (err error) {
	if _, err := tc.base().acquire(op); err != nil {
		return err
	}
	defer tc.h.release()
	queue := joinCommitQueue(tc.source)
	defer queue.quit()
	if err := queue.take(ctx, op, tc.h.object); err != nil {
		return err
	}
	defer queue.leave()
	p, end, err := tc.h.begin(ctx, op)
	if err != nil {
		return err
	}
	defer end(&err)
	e, err := call(tc.h.lib, p)
	return tc.h.lib.done(op, tc.h.object, e, err)
}

// commitQueues holds, for each table that is being committed to, the lock that its commits wait for. On a filesystem the engine looks
// whether the next snapshot is there and then renames over it, so two commits of this process at once could both succeed, and one
// of them be lost.
var commitQueues = struct {
	sync.Mutex
	of map[string]*commitQueue
}{of: make(map[string]*commitQueue)}

type commitQueue struct {
	turn
	source string
	users  int // who hold it or wait for it
}

// joinCommitQueue gives the queue of a table. Who joins it quits it.
func joinCommitQueue(source string) *commitQueue {
	commitQueues.Lock()
	defer commitQueues.Unlock()
	queue := commitQueues.of[source]
	if queue == nil {
		queue = &commitQueue{turn: newTurn(), source: source}
		commitQueues.of[source] = queue
	}
	queue.users++
	return queue
}

func (q *commitQueue) quit() {
	commitQueues.Lock()
	defer commitQueues.Unlock()
	q.users--
	if q.users == 0 {
		delete(commitQueues.of, q.source)
	}
}
