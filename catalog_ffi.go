// SPDX-License-Identifier: Apache-2.0

package paimon

var (
	// paimon_result_catalog paimon_catalog_create(const paimon_option* options, size_t len);
	ffiCatalogCreate = bind2[result[cCatalog], *cOption, uintptr]("paimon_catalog_create")
	// void paimon_catalog_free(paimon_catalog* catalog);
	ffiCatalogFree = bind1[void, *cCatalog]("paimon_catalog_free")
	// paimon_result_bytes paimon_catalog_list_databases(const paimon_catalog* catalog);
	ffiCatalogListDatabases = bind1[resultBytes, *cCatalog]("paimon_catalog_list_databases")
	// paimon_error* paimon_catalog_create_database(const paimon_catalog*, const char* name, const paimon_option*, size_t len, bool);
	ffiCatalogCreateDatabase = bind5[*cError, *cCatalog, *byte, *cOption, uintptr, bool]("paimon_catalog_create_database")
	// paimon_error* paimon_catalog_drop_database(const paimon_catalog*, const char* name, bool ignore, bool cascade);
	ffiCatalogDropDatabase = bind4[*cError, *cCatalog, *byte, bool, bool]("paimon_catalog_drop_database")
	// paimon_result_bytes paimon_catalog_list_tables(const paimon_catalog*, const char* database);
	ffiCatalogListTables = bind2[resultBytes, *cCatalog, *byte]("paimon_catalog_list_tables")
	// paimon_error* paimon_catalog_create_table(const paimon_catalog*, const paimon_identifier*, const char* schema, bool ignore);
	ffiCatalogCreateTable = bind4[*cError, *cCatalog, *cIdentifier, *byte, bool]("paimon_catalog_create_table")
	// paimon_error* paimon_catalog_drop_table(const paimon_catalog*, const paimon_identifier*, bool ignore);
	ffiCatalogDropTable = bind3[*cError, *cCatalog, *cIdentifier, bool]("paimon_catalog_drop_table")
	// paimon_error* paimon_catalog_rename_table(const paimon_catalog*, const paimon_identifier* from, const paimon_identifier* to, bool ignore);
	ffiCatalogRenameTable = bind4[*cError, *cCatalog, *cIdentifier, *cIdentifier, bool]("paimon_catalog_rename_table")
	// paimon_error* paimon_catalog_alter_table(const paimon_catalog*, const paimon_identifier*, const char* changes, bool ignore);
	ffiCatalogAlterTable = bind4[*cError, *cCatalog, *cIdentifier, *byte, bool]("paimon_catalog_alter_table")
	// paimon_error* paimon_catalog_create_tag(const paimon_catalog*, const paimon_identifier*, const char* tag, const int64_t* snapshot_id,
	//   const char* time_retained, bool ignore);
	ffiCatalogCreateTag = bind6[*cError, *cCatalog, *cIdentifier, *byte, *int64, *byte, bool]("paimon_catalog_create_tag")
	// paimon_result_bytes paimon_catalog_get_tag(const paimon_catalog*, const paimon_identifier*, const char* tag);
	ffiCatalogGetTag = bind3[resultBytes, *cCatalog, *cIdentifier, *byte]("paimon_catalog_get_tag")
	// paimon_error* paimon_catalog_delete_tag(const paimon_catalog*, const paimon_identifier*, const char* tag, bool ignore);
	ffiCatalogDeleteTag = bind4[*cError, *cCatalog, *cIdentifier, *byte, bool]("paimon_catalog_delete_tag")
	// paimon_result_bytes paimon_catalog_list_tags(const paimon_catalog*, const paimon_identifier*);
	ffiCatalogListTags = bind2[resultBytes, *cCatalog, *cIdentifier]("paimon_catalog_list_tags")
	// paimon_error* paimon_catalog_create_branch(const paimon_catalog*, const paimon_identifier*, const char* branch, const char* tag);
	ffiCatalogCreateBranch = bind4[*cError, *cCatalog, *cIdentifier, *byte, *byte]("paimon_catalog_create_branch")
	// paimon_error* paimon_catalog_drop_branch(const paimon_catalog*, const paimon_identifier*, const char* branch, bool ignore);
	ffiCatalogDropBranch = bind4[*cError, *cCatalog, *cIdentifier, *byte, bool]("paimon_catalog_drop_branch")
	// paimon_result_bytes paimon_catalog_list_branches(const paimon_catalog*, const paimon_identifier*);
	ffiCatalogListBranches = bind2[resultBytes, *cCatalog, *cIdentifier]("paimon_catalog_list_branches")
	// paimon_result_table paimon_catalog_get_table(const paimon_catalog*, const paimon_identifier*);
	ffiCatalogGetTable = bind2[result[cTable], *cCatalog, *cIdentifier]("paimon_catalog_get_table")
	// paimon_result_identifier paimon_identifier_new(const char* database, const char* object);
	ffiIdentifierNew = bind2[result[cIdentifier], *byte, *byte]("paimon_identifier_new")
	// void paimon_identifier_free(paimon_identifier* identifier);
	ffiIdentifierFree = bind1[void, *cIdentifier]("paimon_identifier_free")
)

// withIdentifier lends a native identifier to body.
func (c *Catalog) withIdentifier(op string, id Identifier, body func(*cIdentifier) error) error {
	object := id.String()
	database, err := cString(op, object, "the database name", id.database)
	if err != nil {
		return err
	}
	name, err := cString(op, object, "the table name", id.object)
	if err != nil {
		return err
	}
	h, err := adopt(c.h.lib, ffiIdentifierFree, op, object, func() (result[cIdentifier], error) {
		return ffiIdentifierNew.call(c.h.lib, database, name)
	})
	if err != nil {
		return err
	}
	defer h.close()
	return body(h.ptr)
}
