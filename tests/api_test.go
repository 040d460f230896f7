// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"io"
	"iter"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	paimon "github.com/apache/paimon-rust/bindings/go"
	"github.com/apache/paimon-rust/bindings/go/predicate"
)

// The signatures that users compile against. This file compiles, or one of them has changed.
var (
	_ func(map[string]string) (*paimon.Catalog, error)                               = paimon.NewCatalog
	_ func(string, string) paimon.Identifier                                         = paimon.NewIdentifier
	_ func(string) error                                                             = paimon.SetNativeFile
	_ func(string) error                                                             = paimon.SetNativeCache
	_ func(*paimon.Catalog)                                                          = (*paimon.Catalog).Close
	_ func(*paimon.Catalog, paimon.Identifier) (*paimon.Table, error)                = (*paimon.Catalog).GetTable
	_ func(*paimon.Catalog) ([]string, error)                                        = (*paimon.Catalog).ListDatabases
	_ func(*paimon.Catalog, string, map[string]string, bool) error                   = (*paimon.Catalog).CreateDatabase
	_ func(*paimon.Catalog, string, bool, bool) error                                = (*paimon.Catalog).DropDatabase
	_ func(*paimon.Catalog, string) ([]string, error)                                = (*paimon.Catalog).ListTables
	_ func(*paimon.Catalog, paimon.Identifier, *paimon.Schema, bool) error           = (*paimon.Catalog).CreateTable
	_ func(*paimon.Catalog, paimon.Identifier, bool) error                           = (*paimon.Catalog).DropTable
	_ func(*paimon.Catalog, paimon.Identifier, paimon.Identifier, bool) error        = (*paimon.Catalog).RenameTable
	_ func(*paimon.Catalog, paimon.Identifier, []paimon.SchemaChange, bool) error    = (*paimon.Catalog).AlterTable
	_ func(*paimon.Catalog, paimon.Identifier, string, *int64, bool) error           = (*paimon.Catalog).CreateTag
	_ func(*paimon.Catalog, paimon.Identifier, string) (paimon.Tag, error)           = (*paimon.Catalog).GetTag
	_ func(*paimon.Catalog, paimon.Identifier, string, bool) error                   = (*paimon.Catalog).DeleteTag
	_ func(*arrow.Schema) (*paimon.Schema, error)                                    = paimon.SchemaFromArrow
	_ func(*paimon.Schema) (*arrow.Schema, error)                                    = (*paimon.Schema).Arrow
	_ func(*paimon.Table)                                                            = (*paimon.Table).Close
	_ func(*paimon.Table) paimon.Identifier                                          = (*paimon.Table).Identifier
	_ func(*paimon.Table) string                                                     = (*paimon.Table).Location
	_ func(*paimon.Table) (*paimon.Schema, error)                                    = (*paimon.Table).Schema
	_ func(*paimon.Table) (*arrow.Schema, error)                                     = (*paimon.Table).ArrowSchema
	_ func(*paimon.Table) (*paimon.Snapshot, error)                                  = (*paimon.Table).LatestSnapshot
	_ func(*paimon.Table) (*paimon.ReadBuilder, error)                               = (*paimon.Table).NewReadBuilder
	_ func(*paimon.Table, map[string]string) (*paimon.ReadBuilder, error)            = (*paimon.Table).NewReadBuilderWithOptions
	_ func(*paimon.Table) (*paimon.WriteBuilder, error)                              = (*paimon.Table).NewWriteBuilder
	_ func(*paimon.Table, string) (*paimon.WriteBuilder, error)                      = (*paimon.Table).NewWriteBuilderWithCommitUser
	_ func(*paimon.ReadBuilder)                                                      = (*paimon.ReadBuilder).Close
	_ func(*paimon.ReadBuilder, []string) error                                      = (*paimon.ReadBuilder).WithProjection
	_ func(*paimon.ReadBuilder, bool) error                                          = (*paimon.ReadBuilder).WithCaseSensitive
	_ func(*paimon.ReadBuilder, int) error                                           = (*paimon.ReadBuilder).WithLimit
	_ func(*paimon.ReadBuilder, *paimon.Predicate) error                             = (*paimon.ReadBuilder).WithFilter
	_ func(*paimon.ReadBuilder, bool) error                                          = (*paimon.ReadBuilder).WithFilterPushdown
	_ func(*paimon.ReadBuilder, int) error                                           = (*paimon.ReadBuilder).WithParallelism
	_ func(*paimon.ReadBuilder, int64) error                                         = (*paimon.ReadBuilder).WithReadAhead
	_ func(*paimon.ReadBuilder) (*paimon.TableScan, error)                           = (*paimon.ReadBuilder).NewScan
	_ func(*paimon.ReadBuilder) (*paimon.TableRead, error)                           = (*paimon.ReadBuilder).NewRead
	_ func(*paimon.TableScan)                                                        = (*paimon.TableScan).Close
	_ func(*paimon.TableScan) (*paimon.Plan, error)                                  = (*paimon.TableScan).Plan
	_ func(*paimon.Plan)                                                             = (*paimon.Plan).Close
	_ func(*paimon.Plan) int                                                         = (*paimon.Plan).NumSplits
	_ func(*paimon.Plan) []paimon.DataSplit                                          = (*paimon.Plan).Splits
	_ func(*paimon.TableRead)                                                        = (*paimon.TableRead).Close
	_ func(*paimon.TableRead, []paimon.DataSplit) (*paimon.RecordBatchReader, error) = (*paimon.TableRead).NewRecordBatchReader
	_ func(*paimon.RecordBatchReader)                                                = (*paimon.RecordBatchReader).Close
	_ func(*paimon.RecordBatchReader) (arrow.RecordBatch, error)                     = (*paimon.RecordBatchReader).NextRecord
	_ func(*paimon.RecordBatchReader) iter.Seq2[arrow.RecordBatch, error]            = (*paimon.RecordBatchReader).All
	_ func(*paimon.RecordBatchReader) array.RecordReader                             = (*paimon.RecordBatchReader).RecordReader
	_ func(*paimon.TableRead) (*arrow.Schema, error)                                 = (*paimon.TableRead).ArrowSchema
	_ func(paimon.DataSplit) int64                                                   = paimon.DataSplit.RowCount
	_ func(paimon.DataSplit) int32                                                   = paimon.DataSplit.Bucket
	_ func(paimon.DataSplit) map[string]string                                       = paimon.DataSplit.Partition
	_ func(*paimon.WriteBuilder)                                                     = (*paimon.WriteBuilder).Close
	_ func(*paimon.WriteBuilder) error                                               = (*paimon.WriteBuilder).WithOverwrite
	_ func(*paimon.WriteBuilder) (*paimon.TableWrite, error)                         = (*paimon.WriteBuilder).NewWrite
	_ func(*paimon.WriteBuilder) (*paimon.TableCommit, error)                        = (*paimon.WriteBuilder).NewCommit
	_ func(*paimon.TableWrite)                                                       = (*paimon.TableWrite).Close
	_ func(*paimon.TableWrite, arrow.RecordBatch) error                              = (*paimon.TableWrite).WriteArrowBatch
	_ func(*paimon.TableWrite) (*paimon.CommitMessages, error)                       = (*paimon.TableWrite).PrepareCommit
	_ func(*paimon.CommitMessages)                                                   = (*paimon.CommitMessages).Close
	_ func(*paimon.CommitMessages, *paimon.CommitMessages) error                     = (*paimon.CommitMessages).Merge
	_ func(*paimon.TableCommit)                                                      = (*paimon.TableCommit).Close
	_ func(*paimon.TableCommit, *paimon.CommitMessages) error                        = (*paimon.TableCommit).Commit
	_ func(*paimon.TableCommit, *paimon.CommitMessages, int64) error                 = (*paimon.TableCommit).CommitWithIdentifier
	_ func(*paimon.TableCommit, *paimon.CommitMessages, int64) error                 = (*paimon.TableCommit).FilterAndCommitWithIdentifier
	_ func(*paimon.TableCommit) error                                                = (*paimon.TableCommit).TruncateTable
	_ func(*paimon.TableCommit, int64) error                                         = (*paimon.TableCommit).TruncateTableWithIdentifier
	_ func(*paimon.TableCommit, *paimon.CommitMessages) error                        = (*paimon.TableCommit).Abort

	_ func(*paimon.Table) (*paimon.PostponeFixedBucketWriteBuilder, error)                                 = (*paimon.Table).NewPostponeFixedBucketWriteBuilder
	_ func(*paimon.Table, string) (*paimon.PostponeFixedBucketWriteBuilder, error)                         = (*paimon.Table).NewPostponeFixedBucketWriteBuilderWithCommitUser
	_ func(*paimon.PostponeFixedBucketWriteBuilder)                                                        = (*paimon.PostponeFixedBucketWriteBuilder).Close
	_ func(*paimon.PostponeFixedBucketWriteBuilder, *paimon.ResourceContext) error                         = (*paimon.PostponeFixedBucketWriteBuilder).WithResources
	_ func(*paimon.PostponeFixedBucketWriteBuilder) error                                                  = (*paimon.PostponeFixedBucketWriteBuilder).WithOverwrite
	_ func(*paimon.PostponeFixedBucketWriteBuilder, arrow.RecordBatch) error                               = (*paimon.PostponeFixedBucketWriteBuilder).WithBucketPlan
	_ func(*paimon.PostponeFixedBucketWriteBuilder) (*paimon.PostponeFixedBucketTableWrite, error)         = (*paimon.PostponeFixedBucketWriteBuilder).NewWrite
	_ func(*paimon.PostponeFixedBucketWriteBuilder) (*paimon.PostponeFixedBucketTableCommit, error)        = (*paimon.PostponeFixedBucketWriteBuilder).NewCommit
	_ func(*paimon.PostponeFixedBucketTableWrite)                                                          = (*paimon.PostponeFixedBucketTableWrite).Close
	_ func(*paimon.PostponeFixedBucketTableWrite, arrow.RecordBatch) error                                 = (*paimon.PostponeFixedBucketTableWrite).WriteArrowBatch
	_ func(*paimon.PostponeFixedBucketTableWrite) (*paimon.PostponeFixedBucketCommitMessages, error)       = (*paimon.PostponeFixedBucketTableWrite).PrepareCommit
	_ func(*paimon.PostponeFixedBucketCommitMessages)                                                      = (*paimon.PostponeFixedBucketCommitMessages).Close
	_ func(*paimon.PostponeFixedBucketCommitMessages, *paimon.PostponeFixedBucketCommitMessages) error     = (*paimon.PostponeFixedBucketCommitMessages).Merge
	_ func(*paimon.PostponeFixedBucketTableCommit)                                                         = (*paimon.PostponeFixedBucketTableCommit).Close
	_ func(*paimon.PostponeFixedBucketTableCommit, *paimon.PostponeFixedBucketCommitMessages) error        = (*paimon.PostponeFixedBucketTableCommit).Commit
	_ func(*paimon.PostponeFixedBucketTableCommit, *paimon.PostponeFixedBucketCommitMessages, int64) error = (*paimon.PostponeFixedBucketTableCommit).CommitWithIdentifier
	_ func(*paimon.PostponeFixedBucketTableCommit, *paimon.PostponeFixedBucketCommitMessages, int64) error = (*paimon.PostponeFixedBucketTableCommit).FilterAndCommitWithIdentifier
	_ func(*paimon.PostponeFixedBucketTableCommit) error                                                   = (*paimon.PostponeFixedBucketTableCommit).TruncateTable
	_ func(*paimon.PostponeFixedBucketTableCommit, int64) error                                            = (*paimon.PostponeFixedBucketTableCommit).TruncateTableWithIdentifier
	_ func(*paimon.PostponeFixedBucketTableCommit, *paimon.PostponeFixedBucketCommitMessages) error        = (*paimon.PostponeFixedBucketTableCommit).Abort

	_ func(uintptr) (*paimon.ResourceContext, error)                = paimon.NewResourceContext
	_ func(*paimon.ResourceContext) (paimon.ResourceMetrics, error) = (*paimon.ResourceContext).Metrics
	_ func(*paimon.ResourceContext)                                 = (*paimon.ResourceContext).Close
	_                                                               = paimon.ResourceMetrics{ReservedMemoryBytes: uintptr(0), PeakReservedMemoryBytes: uintptr(0)}
	_ func(*paimon.ReadBuilder, *paimon.ResourceContext) error      = (*paimon.ReadBuilder).WithResources
	_ func(*paimon.WriteBuilder, *paimon.ResourceContext) error     = (*paimon.WriteBuilder).WithResources
	_ func(map[string]string) (*paimon.BlobReader, error)           = paimon.NewBlobReader
	_ func(*paimon.Table) (*paimon.BlobReader, error)               = (*paimon.Table).NewBlobReader
	_ func(*paimon.BlobReader)                                      = (*paimon.BlobReader).Close
	_ func(*paimon.BlobReader, []byte) ([]byte, error)              = (*paimon.BlobReader).ReadBlob
	_ func(*paimon.BlobReader, [][]byte) ([][]byte, error)          = (*paimon.BlobReader).ReadBlobs
	_ func(*paimon.BlobReader, []byte) (*paimon.BlobStream, error)  = (*paimon.BlobReader).OpenBlob
	_ io.ReadSeekCloser                                             = (*paimon.BlobStream)(nil)
	_ func(arrow.Array, int) (map[string][]byte, error)             = paimon.StringBlobMapDescriptors

	_ func(*paimon.Catalog, paimon.Identifier, string, *int64, time.Duration, bool) error = (*paimon.Catalog).CreateTagWithRetention
	_ func(*paimon.Catalog, paimon.Identifier) ([]paimon.Tag, error)                      = (*paimon.Catalog).ListTags
	_ func(*paimon.Catalog, paimon.Identifier, string, string) error                      = (*paimon.Catalog).CreateBranch
	_ func(*paimon.Catalog, paimon.Identifier, string, bool) error                        = (*paimon.Catalog).DropBranch
	_ func(*paimon.Catalog, paimon.Identifier) ([]paimon.Branch, error)                   = (*paimon.Catalog).ListBranches
	_ func(*paimon.Table) ([]paimon.Snapshot, error)                                      = (*paimon.Table).ListSnapshots
	_ func(*paimon.Table, int64) (*paimon.Snapshot, error)                                = (*paimon.Table).Snapshot
	_ func(*paimon.WriteBuilder) error                                                    = (*paimon.WriteBuilder).WithWriteOnly
	_ func(*paimon.ReadBuilder) *paimon.PredicateBuilder                                  = (*paimon.ReadBuilder).PredicateBuilder

	_ func(string, string) paimon.SchemaChange                          = paimon.SetOption
	_ func(string) paimon.SchemaChange                                  = paimon.RemoveOption
	_ func(string) paimon.SchemaChange                                  = paimon.UpdateComment
	_ func(paimon.DataField, paimon.ColumnPosition) paimon.SchemaChange = paimon.AddColumn
	_ func(string, string) paimon.SchemaChange                          = paimon.RenameColumn
	_ func(string) paimon.SchemaChange                                  = paimon.DropColumn
	_ func(string, paimon.DataType) paimon.SchemaChange                 = paimon.UpdateColumnType
	_ func(string, bool) paimon.SchemaChange                            = paimon.UpdateColumnNullability
	_ func(string, string) paimon.SchemaChange                          = paimon.UpdateColumnComment
	_ func(string, paimon.ColumnPosition) paimon.SchemaChange           = paimon.UpdateColumnPosition

	_ paimon.CommitKind = paimon.CommitKindAppend
	_ paimon.CommitKind = paimon.CommitKindCompact
	_ paimon.CommitKind = paimon.CommitKindOverwrite
	_ paimon.CommitKind = paimon.CommitKindAnalyze
	_                   = [...]error{paimon.ErrClosed, paimon.ErrNegativeLimit}

	_ error                                = paimon.CodeNotFound
	_ func(*paimon.Error) paimon.ErrorCode = (*paimon.Error).Code
	_ func(*paimon.Error) string           = (*paimon.Error).Message
	_ func(*paimon.Error) string           = (*paimon.Error).Op
	_ func(*paimon.Error) string           = (*paimon.Error).Object
)

// Predicates. A comparison, a condition and a list.
type (
	comparison = func(*paimon.PredicateBuilder, string, any) (*paimon.Predicate, error)
	condition  = func(*paimon.PredicateBuilder, string) (*paimon.Predicate, error)
	list       = func(*paimon.PredicateBuilder, string, ...any) (*paimon.Predicate, error)
	pattern    = func(*paimon.PredicateBuilder, string, string) (*paimon.Predicate, error)
	between    = func(*paimon.PredicateBuilder, string, any, any) (*paimon.Predicate, error)
	connective = func(*paimon.Predicate, *paimon.Predicate) (*paimon.Predicate, error)
	variadic   = func(...*paimon.Predicate) (*paimon.Predicate, error)
)

var (
	_ func(*paimon.Table) *paimon.PredicateBuilder       = (*paimon.Table).PredicateBuilder
	_ func(*paimon.Table, bool) *paimon.PredicateBuilder = (*paimon.Table).PredicateBuilderWithCaseSensitive
	_ comparison                                         = (*paimon.PredicateBuilder).Eq
	_ comparison                                         = (*paimon.PredicateBuilder).NotEq
	_ comparison                                         = (*paimon.PredicateBuilder).Lt
	_ comparison                                         = (*paimon.PredicateBuilder).Le
	_ comparison                                         = (*paimon.PredicateBuilder).Gt
	_ comparison                                         = (*paimon.PredicateBuilder).Ge
	_ condition                                          = (*paimon.PredicateBuilder).IsNull
	_ condition                                          = (*paimon.PredicateBuilder).IsNotNull
	_ list                                               = (*paimon.PredicateBuilder).In
	_ list                                               = (*paimon.PredicateBuilder).NotIn
	_ pattern                                            = (*paimon.PredicateBuilder).StartsWith
	_ pattern                                            = (*paimon.PredicateBuilder).EndsWith
	_ pattern                                            = (*paimon.PredicateBuilder).Contains
	_ pattern                                            = (*paimon.PredicateBuilder).Like
	_ between                                            = (*paimon.PredicateBuilder).Between
	_ between                                            = (*paimon.PredicateBuilder).NotBetween
	_ connective                                         = (*paimon.Predicate).And
	_ connective                                         = (*paimon.Predicate).Or
	_ func(*paimon.Predicate) (*paimon.Predicate, error) = (*paimon.Predicate).Not
	_ func(*paimon.Predicate)                            = (*paimon.Predicate).Close
	_ variadic                                           = predicate.And
	_ variadic                                           = predicate.Or
	_ func(int64, uint32, uint32) paimon.Decimal         = paimon.NewDecimal
	_ func(bool) paimon.Datum                            = paimon.BoolDatum
	_ func(int8) paimon.Datum                            = paimon.TinyIntDatum
	_ func(int16) paimon.Datum                           = paimon.SmallIntDatum
	_ func(int32) paimon.Datum                           = paimon.IntDatum
	_ func(int64) paimon.Datum                           = paimon.LongDatum
	_ func(float32) paimon.Datum                         = paimon.FloatDatum
	_ func(float64) paimon.Datum                         = paimon.DoubleDatum
	_ func(string) paimon.Datum                          = paimon.StringDatum
	_                                                    = []any{paimon.Date(1), paimon.Time(1), paimon.Bytes{1}}
	_                                                    = paimon.Timestamp{Millis: 1, Nanos: 1}
	_                                                    = paimon.LocalZonedTimestamp{Millis: 1, Nanos: 1}
	_                                                    = paimon.Decimal{Lo: 1, Hi: 0, Precision: 1, Scale: 1}
)

// The members of the metadata that users take apart.
var (
	_ = paimon.Snapshot{
		Version: int32(0), ID: int64(0), SchemaID: int64(0), BaseManifestList: "", DeltaManifestList: "", ChangelogManifestList: (*string)(nil),
		ChangelogManifestListSize: (*int64)(nil), IndexManifest: (*string)(nil), CommitUser: "", CommitIdentifier: int64(0),
		CommitKind: paimon.CommitKindAppend, TimeMillis: int64(0), LogOffsets: map[int32]int64(nil), TotalRecordCount: (*int64)(nil),
		DeltaRecordCount: (*int64)(nil), ChangelogRecordCount: (*int64)(nil), Watermark: (*int64)(nil), Statistics: (*string)(nil),
		Properties: map[string]string(nil), NextRowID: (*int64)(nil),
	}
	_ = paimon.Tag{Name: "", Snapshot: paimon.Snapshot{}, CreateTimeMillis: (*int64)(nil), TimeRetained: (*string)(nil)}
)
