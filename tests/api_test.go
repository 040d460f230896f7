// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"iter"

	"github.com/apache/arrow-go/v18/arrow"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// The signatures that users compile against. This file compiles, or one of them has changed.
var (
	_ func(map[string]string) (*paimon.Catalog, error)                               = paimon.NewCatalog
	_ func(string, string) paimon.Identifier                                         = paimon.NewIdentifier
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

	_ error                                = paimon.CodeNotFound
	_ func(*paimon.Error) paimon.ErrorCode = (*paimon.Error).Code
	_ func(*paimon.Error) string           = (*paimon.Error).Message
	_ func(*paimon.Error) string           = (*paimon.Error).Op
	_ func(*paimon.Error) string           = (*paimon.Error).Object
)
