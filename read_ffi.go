// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"encoding/json"

	"github.com/apache/arrow-go/v18/arrow"
)

var (
	// void paimon_read_builder_free(paimon_read_builder* builder);
	ffiReadBuilderFree = bind1[void, *cReadBuilder]("paimon_read_builder_free")
	// paimon_error* paimon_read_builder_with_projection(const paimon_read_builder*, const char* const* columns, size_t len);
	ffiReadBuilderWithProjection = bind3[*cError, *cReadBuilder, **byte, uintptr]("paimon_read_builder_with_projection")
	// paimon_error* paimon_read_builder_with_case_sensitive(const paimon_read_builder*, bool);
	ffiReadBuilderWithCaseSensitive = bind2[*cError, *cReadBuilder, bool]("paimon_read_builder_with_case_sensitive")
	// paimon_error* paimon_read_builder_with_limit(const paimon_read_builder*, size_t limit);
	ffiReadBuilderWithLimit = bind2[*cError, *cReadBuilder, uintptr]("paimon_read_builder_with_limit")
	// paimon_error* paimon_read_builder_with_parallelism(const paimon_read_builder*, size_t parallelism);
	ffiReadBuilderWithParallelism = bind2[*cError, *cReadBuilder, uintptr]("paimon_read_builder_with_parallelism")
	// paimon_error* paimon_read_builder_with_read_ahead(const paimon_read_builder*, size_t limit_bytes);
	ffiReadBuilderWithReadAhead = bind2[*cError, *cReadBuilder, uintptr]("paimon_read_builder_with_read_ahead")
	// paimon_error* paimon_read_builder_with_resources(const paimon_read_builder*, const paimon_resource_context*);
	ffiReadBuilderWithResources = bind2[*cError, *cReadBuilder, *cResourceContext]("paimon_read_builder_with_resources")
	// paimon_error* paimon_read_builder_with_filter(const paimon_read_builder*, const paimon_predicate*);
	ffiReadBuilderWithFilter = bind2[*cError, *cReadBuilder, *cPredicate]("paimon_read_builder_with_filter")
	// paimon_error* paimon_read_builder_with_filter_pushdown(const paimon_read_builder*, bool enabled);
	ffiReadBuilderWithFilterPushdown = bind2[*cError, *cReadBuilder, bool]("paimon_read_builder_with_filter_pushdown")
	// paimon_result_table paimon_read_builder_table(const paimon_read_builder*);
	ffiReadBuilderTable = bind1[result[cTable], *cReadBuilder]("paimon_read_builder_table")
	// paimon_result_table_scan paimon_read_builder_new_scan(const paimon_read_builder*);
	ffiReadBuilderNewScan = bind1[result[cTableScan], *cReadBuilder]("paimon_read_builder_new_scan")
	// paimon_result_table_read paimon_read_builder_new_read(const paimon_read_builder*);
	ffiReadBuilderNewRead = bind1[result[cTableRead], *cReadBuilder]("paimon_read_builder_new_read")
	// void paimon_table_scan_free(paimon_table_scan* scan);
	ffiTableScanFree = bind1[void, *cTableScan]("paimon_table_scan_free")
	// paimon_result_plan paimon_table_scan_plan(const paimon_table_scan*);
	ffiTableScanPlan = bind1[result[cPlan], *cTableScan]("paimon_table_scan_plan")
	// void paimon_plan_free(paimon_plan* plan);
	ffiPlanFree = bind1[void, *cPlan]("paimon_plan_free")
	// paimon_result_size paimon_plan_num_splits(const paimon_plan*);
	ffiPlanNumSplits = bind1[resultSize, *cPlan]("paimon_plan_num_splits")
	// paimon_result_bytes paimon_plan_split_bytes(const paimon_plan*, size_t index);
	ffiPlanSplitBytes = bind2[resultBytes, *cPlan, uintptr]("paimon_plan_split_bytes")
	// paimon_result_bytes paimon_plan_describe_splits(const paimon_plan*);
	ffiPlanDescribeSplits = bind1[resultBytes, *cPlan]("paimon_plan_describe_splits")
	// paimon_result_plan paimon_plan_from_split_bytes(const paimon_bytes* splits, size_t len);
	ffiPlanFromSplitBytes = bind2[result[cPlan], *cBytes, uintptr]("paimon_plan_from_split_bytes")
	// void paimon_table_read_free(paimon_table_read* read);
	ffiTableReadFree = bind1[void, *cTableRead]("paimon_table_read_free")
	// paimon_result_batch paimon_table_read_schema(const paimon_table_read*);
	ffiTableReadSchema = bind1[resultBatch, *cTableRead]("paimon_table_read_schema")
	// paimon_result_reader paimon_table_read_to_arrow(const paimon_table_read*, const paimon_plan*, size_t offset, size_t length);
	ffiTableReadToArrow = bind4[result[cRecordBatchReader], *cTableRead, *cPlan, uintptr, uintptr]("paimon_table_read_to_arrow")
	// void paimon_record_batch_reader_free(paimon_record_batch_reader* reader);
	ffiRecordBatchReaderFree = bind1[void, *cRecordBatchReader]("paimon_record_batch_reader_free")
	// paimon_result_batch paimon_record_batch_reader_next(const paimon_record_batch_reader*);
	ffiRecordBatchReaderNext = bind1[resultBatch, *cRecordBatchReader]("paimon_record_batch_reader_next")
)

// planSplits takes the splits out of a native plan that nobody else has yet.
func planSplits(h *handle[cPlan], source string) ([]DataSplit, error) {
	const op = "plan"
	n, err := ffiPlanNumSplits.call(h.lib, h.ptr)
	if err := h.lib.done(op, h.object, n.err, err); err != nil {
		return nil, err
	}
	described, err := ffiPlanDescribeSplits.call(h.lib, h.ptr)
	raw, err := h.lib.bytesOf(op, h.object, described, err)
	if err != nil {
		return nil, err
	}
	infos := make([]splitInfo, 0, n.value)
	if err := json.Unmarshal(raw, &infos); err != nil {
		return nil, withOp(err, op, h.object)
	}
	id := planCount.Add(1)
	splits := make([]DataSplit, n.value)
	for i := range splits {
		r, err := ffiPlanSplitBytes.call(h.lib, h.ptr, uintptr(i))
		raw, err := h.lib.bytesOf(op, h.object, r, err)
		if err != nil {
			return nil, err
		}
		splits[i] = DataSplit{plan: id, source: source, bytes: raw, info: infos[i]}
	}
	return splits, nil
}

// openReader makes a native reader of splits, which need their native plan for this call only.
func openReader(tr *handle[cTableRead], read *cTableRead, op string, splits []DataSplit) (*handle[cRecordBatchReader], error) {
	raw := make([]cBytes, len(splits))
	for i := range splits {
		raw[i] = cBytes{&splits[i].bytes[0], uintptr(len(splits[i].bytes))}
	}
	plan, err := adopt(tr.lib, ffiPlanFree, op, tr.object, func() (result[cPlan], error) {
		return ffiPlanFromSplitBytes.call(tr.lib, &raw[0], uintptr(len(raw)))
	})
	if err != nil {
		return nil, err
	}
	defer plan.close()
	return adopt(tr.lib, ffiRecordBatchReaderFree, op, tr.object, func() (result[cRecordBatchReader], error) {
		return ffiTableReadToArrow.call(tr.lib, read, plan.ptr, 0, uintptr(len(raw)))
	})
}

// readSchema gives the Arrow schema of what a native read returns.
func readSchema(h *handle[cTableRead], p *cTableRead, op string) (*arrow.Schema, error) {
	if _, err := h.lib.resolve(ffiArrowBatchFree.symbol); err != nil {
		return nil, withOp(err, op, h.object)
	}
	r, err := ffiTableReadSchema.call(h.lib, p)
	if err := h.lib.done(op, h.object, r.err, err); err != nil {
		return nil, err
	}
	return importSchema(h.lib, op, h.object, r.value)
}

// nextBatch gives the next batch, or neither a batch nor an error at the end. The schema is that of the batch before, and becomes
// that of this one.
func nextBatch(h *handle[cRecordBatchReader], p *cRecordBatchReader, op string, schema **arrow.Schema) (arrow.RecordBatch, error) {
	if _, err := h.lib.resolve(ffiArrowBatchFree.symbol); err != nil {
		return nil, withOp(err, op, h.object)
	}
	r, err := ffiRecordBatchReaderNext.call(h.lib, p)
	if err := h.lib.done(op, h.object, r.err, err); err != nil {
		return nil, err
	}
	if r.value.array == nil {
		return nil, nil
	}
	return importBatch(h.lib, op, h.object, r.value, schema)
}
