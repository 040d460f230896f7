// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// An Identifier names a table: a database, and an object in it. It is a value, and comparable.
type Identifier struct {
	database, object string
}

// NewIdentifier names a table. The names are checked where they are used.
func NewIdentifier(database, object string) Identifier {
	return Identifier{database: database, object: object}
}

// Database is the name of the database.
func (id Identifier) Database() string { return id.database }

// Object is the name of the table.
func (id Identifier) Object() string { return id.object }

// suffix is what follows the table's name, such as "$branch_b". The main branch is the table itself.
func (id Identifier) suffix() string {
	i := strings.IndexByte(id.object, '$')
	if i < 0 {
		return ""
	}
	suffix := id.object[i:]
	if rest, ok := strings.CutPrefix(suffix, "$branch_main"); ok && (rest == "" || rest[0] == '$') {
		return rest
	}
	return suffix
}

// String is "database.object".
func (id Identifier) String() string { return id.database + "." + id.object }

// A Catalog is an open Paimon catalog: databases and tables by name, in a folder, a bucket or behind a REST server.
//
// It is safe for concurrent use. Tables opened from it stay valid after it is closed.
type Catalog struct {
	h *handle[cCatalog]
}

// NewCatalog opens a catalog. The options are Paimon's own: "warehouse" (a path or URL), "metastore" ("filesystem", the default,
// or "rest"), "uri", "token", "s3.access-key" and so on. A filesystem catalog touches its warehouse when it is used first, not
// here, and creates it when the first database is created; a relative path is taken from the working directory.
//
// The first call in a process loads the native library. Where none is embedded this is [ErrUnsupportedPlatform], unless [SetNativeFile] or
// the environment variable PAIMON_LIBRARY_PATH names one. Wrong or missing options are [CodeInvalidInput], and so is a local warehouse
// that is a file.
func NewCatalog(options map[string]string) (*Catalog, error) {
	return NewCatalogContext(context.Background(), options)
}

// NewCatalogContext is [NewCatalog], and ends when ctx does. The catalog does not depend on ctx.
func NewCatalogContext(ctx context.Context, options map[string]string) (_ *Catalog, err error) {
	const op = "open catalog"
	options, err = checkWarehouse(op, options)
	if err != nil {
		return nil, err
	}
	object := options["warehouse"]
	array, n, err := cOptions(op, object, options)
	if err != nil {
		return nil, err
	}
	l, err := openLibrary(op)
	if err != nil {
		return nil, err
	}
	leave, err := l.enter(ctx, op, object)
	if err != nil {
		return nil, err
	}
	defer leave(&err)
	h, err := adopt(l, ffiCatalogFree, op, object, func() (result[cCatalog], error) {
		return ffiCatalogCreate.call(l, array, n)
	})
	if err != nil {
		return nil, err
	}
	return &Catalog{h}, nil
}

// checkWarehouse makes the path of a local warehouse absolute. Names by which a REST server knows warehouses stay as they are.
func checkWarehouse(op string, options map[string]string) (map[string]string, error) {
	if err := checkAddresses(op, options); err != nil {
		return nil, err
	}
	warehouse, given := options["warehouse"]
	if given && warehouse == "" {
		return nil, invalidInput(op, "", "the option 'warehouse' is empty")
	}
	if !given {
		for _, key := range slices.Sorted(maps.Keys(options)) {
			if lower := strings.ToLower(key); strings.Contains(lower, "ware") || strings.Contains(lower, "house") {
				return nil, invalidInput(op, "", "the option 'warehouse' is missing (got %q)", key)
			}
		}
		return nil, invalidInput(op, "", "the option 'warehouse' is missing")
	}
	if strings.Contains(warehouse, ":") || options["metastore"] == "rest" {
		return options, nil
	}
	absolute, err := filepath.Abs(warehouse) // and clean, so that a table has one location
	if err != nil {
		return nil, withOp(err, op, warehouse)
	}
	options = maps.Clone(options)
	options["warehouse"] = absolute
	return options, nil
}

// checkAddresses refuses options with a password or a query in an address, which errors would repeat.
func checkAddresses(op string, options map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(options)) {
		value, lower := options[key], strings.ToLower(key)
		address := lower == "uri" || strings.HasSuffix(lower, "endpoint") || strings.HasSuffix(lower, "name-node")
		url := key == "warehouse" && strings.Contains(value, "://")
		switch {
		case address && strings.Contains(value, "@"):
			return invalidInput(op, "", "the option '%s' holds a user or a password, which errors would repeat; there are options for them", key)
		case url && holdsPassword(value):
			return invalidInput(op, "", "the warehouse URL holds a password; give it as an option, such as s3.secret-key")
		case (address || url) && strings.Contains(value, "?"), address && strings.Contains(value, "#"):
			return invalidInput(op, "", "the %s has a query, which errors would repeat; give its parts as options", key)
		}
	}
	return nil
}

// holdsPassword reports whether a URL has a user and a password before its host. Passwords may hold slashes.
func holdsPassword(url string) bool {
	_, rest, _ := strings.Cut(url, "://")
	before := rest[:max(0, strings.LastIndex(rest, "@"))]
	user, after, ok := strings.Cut(before, ":")
	if !ok || strings.Contains(user, "/") {
		return false
	}
	port, _, isPath := strings.Cut(after, "/") // as of a host
	return !isPath || strings.Trim(port, "0123456789") != ""
}

func (c *Catalog) base() *handle[cCatalog] {
	if c == nil {
		return nil
	}
	return c.h
}

// Close frees the catalog. It is idempotent, does not wait for calls in flight, and is harmless on a nil catalog.
func (c *Catalog) Close() { c.base().close() }

// ListDatabases gives the names of all databases, sorted.
func (c *Catalog) ListDatabases() ([]string, error) {
	return c.ListDatabasesContext(context.Background())
}

// ListDatabasesContext is [Catalog.ListDatabases], and ends when ctx does.
func (c *Catalog) ListDatabasesContext(ctx context.Context) (_ []string, err error) {
	const op = "list databases"
	p, end, err := c.base().begin(ctx, op)
	if err != nil {
		return nil, err
	}
	defer end(&err)
	r, err := ffiCatalogListDatabases.call(c.h.lib, p)
	return c.names(op, c.h.object, r, err)
}

// CreateDatabase creates a database. If it exists, this is [ErrDatabaseAlreadyExist], or nothing happens where ignoreIfExists is
// set. A filesystem catalog does not keep properties.
func (c *Catalog) CreateDatabase(name string, properties map[string]string, ignoreIfExists bool) error {
	return c.CreateDatabaseContext(context.Background(), name, properties, ignoreIfExists)
}

// CreateDatabaseContext is [Catalog.CreateDatabase], and ends when ctx does: with [ErrOutcomeUnknown] if the change was under way.
func (c *Catalog) CreateDatabaseContext(ctx context.Context, name string, properties map[string]string, ignoreIfExists bool) (err error) {
	const op = "create database"
	p, end, err := c.base().begin(ctx, op)
	if err != nil {
		return err
	}
	defer end(&err)
	cName, err := cString(op, name, "the database name", name)
	if err != nil {
		return err
	}
	array, n, err := cOptions(op, name, properties)
	if err != nil {
		return err
	}
	e, err := ffiCatalogCreateDatabase.call(c.h.lib, p, cName, array, n, ignoreIfExists)
	return c.h.lib.done(op, name, e, err)
}

// DropDatabase drops a database. If it is missing, this is [ErrDatabaseNotExist], or nothing happens where ignoreIfNotExists is
// set. If it holds tables, this is [ErrDatabaseNotEmpty], unless cascade is set: then they are dropped, and their data deleted.
func (c *Catalog) DropDatabase(name string, ignoreIfNotExists, cascade bool) error {
	return c.DropDatabaseContext(context.Background(), name, ignoreIfNotExists, cascade)
}

// DropDatabaseContext is [Catalog.DropDatabase], and ends when ctx does: with [ErrOutcomeUnknown] if the change was under way.
func (c *Catalog) DropDatabaseContext(ctx context.Context, name string, ignoreIfNotExists, cascade bool) (err error) {
	const op = "drop database"
	p, end, err := c.base().begin(ctx, op)
	if err != nil {
		return err
	}
	defer end(&err)
	cName, err := cString(op, name, "the database name", name)
	if err != nil {
		return err
	}
	e, err := ffiCatalogDropDatabase.call(c.h.lib, p, cName, ignoreIfNotExists, cascade)
	return c.h.lib.done(op, name, e, err)
}

// ListTables gives the names of the tables of a database, sorted, without system tables. A missing database is
// [ErrDatabaseNotExist].
func (c *Catalog) ListTables(database string) ([]string, error) {
	return c.ListTablesContext(context.Background(), database)
}

// ListTablesContext is [Catalog.ListTables], and ends when ctx does.
func (c *Catalog) ListTablesContext(ctx context.Context, database string) (_ []string, err error) {
	const op = "list tables"
	p, end, err := c.base().begin(ctx, op)
	if err != nil {
		return nil, err
	}
	defer end(&err)
	cName, err := cString(op, database, "the database name", database)
	if err != nil {
		return nil, err
	}
	r, err := ffiCatalogListTables.call(c.h.lib, p, cName)
	return c.names(op, database, r, err)
}

// CreateTable creates a table. If it exists, this is [ErrTableAlreadyExist], or nothing happens where ignoreIfExists is set, even
// if its schema differs. A missing database is [ErrDatabaseNotExist], a schema that Paimon refuses is [CodeInvalidInput]. The
// fields get new ids in their order.
func (c *Catalog) CreateTable(id Identifier, schema *Schema, ignoreIfExists bool) error {
	return c.CreateTableContext(context.Background(), id, schema, ignoreIfExists)
}

// CreateTableContext is [Catalog.CreateTable], and ends when ctx does: with [ErrOutcomeUnknown] if the change was under way.
func (c *Catalog) CreateTableContext(ctx context.Context, id Identifier, schema *Schema, ignoreIfExists bool) (err error) {
	const op = "create table"
	p, end, err := c.base().begin(ctx, op)
	if err != nil {
		return err
	}
	defer end(&err)
	schema, err = schema.forNewTable(op, id.String())
	if err != nil {
		return err
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		return &Error{op: op, object: id.String(), code: CodeInvalidInput, message: err.Error(), cause: err}
	}
	cSchema, err := cString(op, id.String(), "the schema", string(raw))
	if err != nil {
		return err
	}
	return c.withIdentifier(op, id, func(cID *cIdentifier) error {
		e, err := ffiCatalogCreateTable.call(c.h.lib, p, cID, cSchema, ignoreIfExists)
		return c.h.lib.done(op, id.String(), e, err)
	})
}

// DropTable drops a table and deletes its data. If it is missing, this is [ErrTableNotExist], or nothing happens where
// ignoreIfNotExists is set.
func (c *Catalog) DropTable(id Identifier, ignoreIfNotExists bool) error {
	return c.DropTableContext(context.Background(), id, ignoreIfNotExists)
}

// DropTableContext is [Catalog.DropTable], and ends when ctx does: with [ErrOutcomeUnknown] if the change was under way.
func (c *Catalog) DropTableContext(ctx context.Context, id Identifier, ignoreIfNotExists bool) (err error) {
	const op = "drop table"
	p, end, err := c.base().begin(ctx, op)
	if err != nil {
		return err
	}
	defer end(&err)
	return c.withIdentifier(op, id, func(cID *cIdentifier) error {
		e, err := ffiCatalogDropTable.call(c.h.lib, p, cID, ignoreIfNotExists)
		return c.h.lib.done(op, id.String(), e, err)
	})
}

// RenameTable renames a table, within its database or into another. If it is missing, this is [ErrTableNotExist], or nothing happens
// where ignoreIfNotExists is set; if the new name is taken, [ErrTableAlreadyExist]; if its database is missing,
// [ErrDatabaseNotExist]. Tables and readers that are open under the old name lose their files. Storage that cannot rename a folder in
// one step, as most object stores cannot, is [CodeUnsupported].
func (c *Catalog) RenameTable(from, to Identifier, ignoreIfNotExists bool) error {
	return c.RenameTableContext(context.Background(), from, to, ignoreIfNotExists)
}

// RenameTableContext is [Catalog.RenameTable], and ends when ctx does: with [ErrOutcomeUnknown] if the change was under way.
func (c *Catalog) RenameTableContext(ctx context.Context, from, to Identifier, ignoreIfNotExists bool) (err error) {
	const op = "rename table"
	p, end, err := c.base().begin(ctx, op)
	if err != nil {
		return err
	}
	defer end(&err)
	object := from.String()
	return c.withIdentifier(op, from, func(cFrom *cIdentifier) error {
		return c.withIdentifier(op, to, func(cTo *cIdentifier) error {
			e, err := ffiCatalogRenameTable.call(c.h.lib, p, cFrom, cTo, ignoreIfNotExists)
			return c.h.lib.done(op, object, e, err)
		})
	})
}

// AlterTable changes a table's schema: the changes are made in order, all of them or none. If the table is missing, this is
// [ErrTableNotExist], or nothing happens where ignoreIfNotExists is set. A missing column is [ErrColumnNotExist], a name that is
// taken [ErrColumnAlreadyExist], a change that the engine does not make [CodeUnsupported] or [CodeInvalidInput].
//
// A [Table] that is open keeps the schema it was opened with, and what is written through it has that schema; open it again to
// see the new one. Calls of one process wait for each other; two processes that alter one table at once may lose a change, save
// behind a REST catalog.
func (c *Catalog) AlterTable(id Identifier, changes []SchemaChange, ignoreIfNotExists bool) error {
	return c.AlterTableContext(context.Background(), id, changes, ignoreIfNotExists)
}

// AlterTableContext is [Catalog.AlterTable], and ends when ctx does: with [ErrOutcomeUnknown] if the change was under way.
func (c *Catalog) AlterTableContext(ctx context.Context, id Identifier, changes []SchemaChange, ignoreIfNotExists bool) (err error) {
	const op = "alter table"
	p, end, err := c.base().begin(ctx, op)
	if err != nil {
		return err
	}
	defer end(&err)
	object := id.String()
	if len(changes) == 0 {
		return invalidInput(op, object, "no changes")
	}
	for _, change := range changes {
		if err := change.check(op, object); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(changes)
	if err != nil {
		return &Error{op: op, object: object, code: CodeInvalidInput, message: err.Error(), cause: err}
	}
	cChanges, err := cString(op, object, "a change", string(raw))
	if err != nil {
		return err
	}
	return c.withIdentifier(op, id, func(cID *cIdentifier) error {
		e, err := ffiCatalogAlterTable.call(c.h.lib, p, cID, cChanges, ignoreIfNotExists)
		return c.h.lib.done(op, object, e, err)
	})
}

// GetTable opens a table; a branch of it, whose object is "table$branch_name"; or what it knows of itself, a system table such as
// "table$snapshots" (branches, buckets, files, options, partitions, schemas, snapshots, tags). A missing table is
// [ErrTableNotExist], or [ErrDatabaseNotExist] if its database is missing; a missing branch is [ErrBranchNotExist], a system table
// that there is not [CodeUnsupported]. The caller closes the table, which stays valid after the catalog is closed.
func (c *Catalog) GetTable(id Identifier) (*Table, error) {
	return c.GetTableContext(context.Background(), id)
}

// GetTableContext is [Catalog.GetTable], and ends when ctx does.
func (c *Catalog) GetTableContext(ctx context.Context, id Identifier) (_ *Table, err error) {
	const op = "get table"
	p, end, err := c.base().begin(ctx, op)
	if err != nil {
		return nil, err
	}
	defer end(&err)
	var table *Table
	err = c.withIdentifier(op, id, func(cID *cIdentifier) error {
		h, err := adopt(c.h.lib, ffiTableFree, op, id.String(), func() (result[cTable], error) {
			return ffiCatalogGetTable.call(c.h.lib, p, cID)
		})
		if err != nil {
			return err
		}
		table, err = newTable(h, id)
		return err
	})
	return table, err
}

// names finishes a native call that returned a JSON array of names.
func (c *Catalog) names(op, object string, r resultBytes, err error) ([]string, error) {
	raw, err := c.h.lib.bytesOf(op, object, r, err)
	if err != nil {
		return nil, err
	}
	var names []string
	if err := json.Unmarshal(raw, &names); err != nil {
		return nil, withOp(err, op, object)
	}
	return names, nil
}
