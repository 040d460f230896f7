// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"github.com/apache/arrow-go/v18/arrow"
)

var (
	// void paimon_write_builder_free(paimon_write_builder* builder);
	ffiWriteBuilderFree = bind1[void, *cWriteBuilder]("paimon_write_builder_free")
	// paimon_error* paimon_write_builder_with_overwrite(const paimon_write_builder*);
	ffiWriteBuilderWithOverwrite = bind1[*cError, *cWriteBuilder]("paimon_write_builder_with_overwrite")
	// paimon_error* paimon_write_builder_with_resources(const paimon_write_builder*, const paimon_resource_context*);
	ffiWriteBuilderWithResources = bind2[*cError, *cWriteBuilder, *cResourceContext]("paimon_write_builder_with_resources")
	// paimon_error* paimon_write_builder_with_write_only(const paimon_write_builder*);
	ffiWriteBuilderWithWriteOnly = bind1[*cError, *cWriteBuilder]("paimon_write_builder_with_write_only")
	// paimon_result_table_write paimon_write_builder_new_write(const paimon_write_builder*);
	ffiWriteBuilderNewWrite = bind1[result[cTableWrite], *cWriteBuilder]("paimon_write_builder_new_write")
	// paimon_result_table_commit paimon_write_builder_new_commit(const paimon_write_builder*);
	ffiWriteBuilderNewCommit = bind1[result[cTableCommit], *cWriteBuilder]("paimon_write_builder_new_commit")
	// void paimon_table_write_free(paimon_table_write* write);
	ffiTableWriteFree = bind1[void, *cTableWrite]("paimon_table_write_free")
	// paimon_error* paimon_table_write_write_arrow_batch(const paimon_table_write*, void* array, void* schema);
	ffiTableWriteWriteArrowBatch = bind3[*cError, *cTableWrite, *cArrowArray, *cArrowSchema]("paimon_table_write_write_arrow_batch")
	// paimon_result_commit_messages paimon_table_write_prepare_commit(const paimon_table_write*);
	ffiTableWritePrepareCommit = bind1[result[cCommitMessages], *cTableWrite]("paimon_table_write_prepare_commit")
	// void paimon_commit_messages_free(paimon_commit_messages* messages);
	ffiCommitMessagesFree = bind1[void, *cCommitMessages]("paimon_commit_messages_free")
	// paimon_error* paimon_commit_messages_merge(const paimon_commit_messages* target, const paimon_commit_messages* source);
	ffiCommitMessagesMerge = bind2[*cError, *cCommitMessages, *cCommitMessages]("paimon_commit_messages_merge")
	// void paimon_table_commit_free(paimon_table_commit* commit);
	ffiTableCommitFree = bind1[void, *cTableCommit]("paimon_table_commit_free")
	// paimon_error* paimon_table_commit_commit(const paimon_table_commit*, const paimon_commit_messages*);
	ffiTableCommitCommit = bind2[*cError, *cTableCommit, *cCommitMessages]("paimon_table_commit_commit")
	// paimon_error* paimon_table_commit_commit_with_identifier(const paimon_table_commit*, const paimon_commit_messages*, int64_t);
	ffiTableCommitCommitWithIdentifier = bind3[*cError, *cTableCommit, *cCommitMessages, int64]("paimon_table_commit_commit_with_identifier")
	// paimon_error* paimon_table_commit_filter_and_commit_with_identifier(const paimon_table_commit*, const paimon_commit_messages*, int64_t);
	ffiTableCommitFilterAndCommitWithIdentifier = bind3[*cError, *cTableCommit, *cCommitMessages, int64]("paimon_table_commit_filter_and_commit_with_identifier")
	// paimon_error* paimon_table_commit_overwrite(const paimon_table_commit*, const paimon_commit_messages*);
	ffiTableCommitOverwrite = bind2[*cError, *cTableCommit, *cCommitMessages]("paimon_table_commit_overwrite")
	// paimon_error* paimon_table_commit_overwrite_with_identifier(const paimon_table_commit*, const paimon_commit_messages*, int64_t);
	ffiTableCommitOverwriteWithIdentifier = bind3[*cError, *cTableCommit, *cCommitMessages, int64]("paimon_table_commit_overwrite_with_identifier")
	// paimon_error* paimon_table_commit_truncate_table(const paimon_table_commit*);
	ffiTableCommitTruncateTable = bind1[*cError, *cTableCommit]("paimon_table_commit_truncate_table")
	// paimon_error* paimon_table_commit_truncate_table_with_identifier(const paimon_table_commit*, int64_t);
	ffiTableCommitTruncateTableWithIdentifier = bind2[*cError, *cTableCommit, int64]("paimon_table_commit_truncate_table_with_identifier")
	// paimon_error* paimon_table_commit_abort(const paimon_table_commit*, const paimon_commit_messages*);
	ffiTableCommitAbort = bind2[*cError, *cTableCommit, *cCommitMessages]("paimon_table_commit_abort")
)

// writeBatch checks a record and lends it to the native write.
func writeBatch(h *handle[cTableWrite], p *cTableWrite, op string, record arrow.RecordBatch) error {
	loan, err := lendRecord(h.lib, op, h.object, record)
	if err != nil {
		return err
	}
	e, err := ffiTableWriteWriteArrowBatch.call(h.lib, p, loan.array, loan.schema)
	h.lib.settle(loan)
	if err = h.lib.done(op, h.object, e, err); err != nil {
		h.lib.reap() // where the write is over it has dropped all that it had
	}
	h.lib.reapIfCalledOff(err)
	return err
}

// lendRecord checks and exports a record. One that was released, or is a nil pointer in an interface, or breaks arrow-go's own rules,
// panics somewhere in there: that is an error of the caller's, and nothing to die of.
func lendRecord(l *library, op, object string, record arrow.RecordBatch) (x *loan, err error) {
	if record == nil {
		return nil, invalidInput(op, object, "the record is nil")
	}
	defer func() {
		if r := recover(); r != nil {
			x, err = nil, invalidInput(op, object, "the record is broken (was it released?): %v", r)
		}
	}()
	if err := checkRecord(op, object, record); err != nil {
		return nil, err
	}
	return exportRecord(l, op, object, record)
}
