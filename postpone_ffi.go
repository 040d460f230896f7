// SPDX-License-Identifier: Apache-2.0

package paimon

import "github.com/apache/arrow-go/v18/arrow"

var (
	// paimon_result_write_builder paimon_table_new_postpone_fixed_bucket_write_builder(const paimon_table*);
	ffiTableNewPostponeFixedBucketWriteBuilder = bind1[result[cWriteBuilder], *cTable]("paimon_table_new_postpone_fixed_bucket_write_builder")
	// paimon_result_write_builder paimon_table_new_postpone_fixed_bucket_write_builder_with_commit_user(const paimon_table*, const char*);
	ffiTableNewPostponeFixedBucketWriteBuilderWithCommitUser = bind2[result[cWriteBuilder], *cTable, *byte](
		"paimon_table_new_postpone_fixed_bucket_write_builder_with_commit_user")
	// paimon_error* paimon_write_builder_with_bucket_plan(const paimon_write_builder*, void* array, void* schema);
	ffiWriteBuilderWithBucketPlan = bind3[*cError, *cWriteBuilder, *cArrowArray, *cArrowSchema]("paimon_write_builder_with_bucket_plan")
)

// setBucketPlan checks a plan, lends it to the native builder, and takes it back.
func setBucketPlan(h *handle[cWriteBuilder], p *cWriteBuilder, op string, plan arrow.RecordBatch) error {
	loan, err := lendRecord(h.lib, op, h.object, plan)
	if err != nil {
		return err
	}
	defer h.lib.settle(loan)
	e, err := ffiWriteBuilderWithBucketPlan.call(h.lib, p, loan.array, loan.schema)
	return h.lib.done(op, h.object, e, err)
}
