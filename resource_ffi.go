// SPDX-License-Identifier: Apache-2.0

package paimon

var (
	// paimon_result_resource_context paimon_resource_context_new(size_t memory_limit_bytes);
	ffiResourceContextNew = bind1[result[cResourceContext], uintptr]("paimon_resource_context_new")
	// void paimon_resource_context_free(paimon_resource_context* context);
	ffiResourceContextFree = bind1[void, *cResourceContext]("paimon_resource_context_free")
	// paimon_result_resource_metrics paimon_resource_context_metrics(const paimon_resource_context*);
	ffiResourceContextMetrics = bind1[resultResourceMetrics, *cResourceContext]("paimon_resource_context_metrics")
)
