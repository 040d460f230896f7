// SPDX-License-Identifier: Apache-2.0

// Package paimon reads and writes Apache Paimon tables. The work is done by Paimon's Rust implementation, a native library that
// is embedded in this package; rows come and go as Arrow record batches.
//
// A [Catalog] opens a [Table]. A table is read through a [ReadBuilder]: its [TableScan] makes a [Plan], whose splits a
// [TableRead] turns into a [RecordBatchReader]. It is written through a [WriteBuilder]: a [TableWrite] takes batches and
// prepares [CommitMessages], which a [TableCommit] makes visible. The package example does both.
//
// A [PredicateBuilder] makes the filters of a read, which are exact. A read can go back to an earlier snapshot
// ([Table.NewReadBuilderWithOptions]) or to one with a name ([Catalog.CreateTag]); a branch ([Catalog.CreateBranch]) and what a table
// knows of itself are opened as tables, "t$branch_b" and "t$snapshots". [SchemaChange] lists how a table can change. A
// [ResourceContext] is a memory budget, a [BlobReader] reads what columns of type BLOB name.
//
// # What it needs
//
// Nothing is compiled but Go: the package works with and without cgo. The native library is embedded for linux/amd64 and
// linux/arm64, where it needs glibc 2.17 or later, and for darwin/arm64, where it has never been run. It is unpacked once into a private
// copy in the user's cache folder ([SetNativeCache], or the environment variable PAIMON_CACHE_DIR), or into memory where there is no
// place for one. Elsewhere the package compiles, and [NewCatalog] is [ErrUnsupportedPlatform] unless a library built from libpaimon_c is
// named ([SetNativeFile], or the environment variable PAIMON_LIBRARY_PATH); on Windows it always is. Such a library replaces the embedded
// one where there is one, too. README.md says which systems do without what.
//
// # Ownership
//
// Every type with a Close method holds memory that Go's collector knows nothing of: close what you get. Close may be called
// twice, on nil, and while calls are running; it gives back nothing (that of a [BlobStream], an io.Closer, a nil error), so that
// defer x.Close() is always right. After it, methods
// give [ErrClosed]. What was made from a closed object stays valid. Record batches that a reader gives belong to the caller, who
// releases them; records that are written stay the caller's. See docs/ownership.md in the repository.
//
// # Concurrency
//
// All types are safe for concurrent use. Calls on one TableWrite, RecordBatchReader or BlobStream wait for each other; all others
// run side by side, save that all commits of this process to one table wait for each other. Commits of several processes are
// another matter: on a filesystem warehouse two at the same time can lose one of them, so let one process commit to a table.
// README.md says more.
//
// A call that goes to the storage or a server has a twin with a context, GetTableContext beside GetTable, and ends within a second
// when the context does. A change that was under way is then [ErrOutcomeUnknown].
//
// # Errors
//
// Every error but io.EOF is or wraps an [*Error], which says what was attempted on what. Ask for its class or kind with errors.Is:
// [CodeNotFound], [ErrTableNotExist] and so on; the standard library's fs.ErrNotExist, fs.ErrExist, fs.ErrPermission and
// errors.ErrUnsupported match what means the same.
package paimon
