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
