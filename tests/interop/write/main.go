// SPDX-License-Identifier: Apache-2.0

// Command write makes the tables that check.sh has other implementations of Paimon read:
//
//	write WAREHOUSE EXPECTED
//
// It writes them into the database "default" of the warehouse, and the rows that each must have at the end, and at its tags and
// branches, into EXPECTED/default.NAME.jsonl, in the format that java/src/Dump.java defines, which says what a name is. The expected
// rows come from the literals in tables.go and histories.go and from the package matrix alone: nothing is read back.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

const database = "default"

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: write WAREHOUSE EXPECTED")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(warehouse, expected string) error {
	catalog, err := paimon.NewCatalog(map[string]string{"warehouse": warehouse})
	if err != nil {
		return err
	}
	defer catalog.Close()
	if err := catalog.CreateDatabase(database, nil, true); err != nil {
		return err
	}
	for _, t := range tables {
		if err := t.write(catalog); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
		if err := expect(expected, t.name, t.schema.Fields, t.rows); err != nil {
			return err
		}
	}
	for _, h := range histories {
		name, err := h.run(catalog)
		if err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
		for _, v := range h.views {
			if err := expect(expected, name+v.suffix, v.fields, v.rows); err != nil {
				return err
			}
		}
	}
	return writeMatrix(catalog, expected)
}

// write creates the table and runs its jobs.
func (t table) write(catalog *paimon.Catalog) error {
	if err := catalog.CreateTable(id(t.name), &t.schema, false); err != nil {
		return err
	}
	for i, j := range t.jobs {
		if err := j.runOn(catalog, id(t.name)); err != nil {
			return fmt.Errorf("job %d: %w", i, err)
		}
	}
	return nil
}

// expect writes down, sorted, the rows that a table must have.
func expect(folder, name string, fields []paimon.DataField, rows []row) error {
	var lines []string
	for _, r := range rows {
		lines = append(lines, object(fields, r)+"\n")
	}
	slices.Sort(lines)
	return os.WriteFile(filepath.Join(folder, database+"."+name+".jsonl"), []byte(strings.Join(lines, "")), 0o666)
}

// runOn opens a table and runs the job on it.
func (j job) runOn(catalog *paimon.Catalog, id paimon.Identifier) error {
	t, err := catalog.GetTable(id)
	if err != nil {
		return err
	}
	defer t.Close()
	columns, err := t.ArrowSchema()
	if err != nil {
		return err
	}
	return j.run(t, columns)
}

// run makes one commit of all writes of a job.
func (j job) run(t *paimon.Table, columns *arrow.Schema) error {
	builder, err := t.NewWriteBuilder()
	if err != nil {
		return err
	}
	defer builder.Close()
	if j.overwrite {
		if err := builder.WithOverwrite(); err != nil {
			return err
		}
	}
	var all *paimon.CommitMessages
	for _, rows := range j.writes {
		batch := record(columns, rows)
		messages, err := prepare(builder, batch)
		batch.Release()
		if err != nil {
			return err
		}
		defer messages.Close()
		if all == nil {
			all = messages
		} else if err := all.Merge(messages); err != nil {
			return err
		}
	}
	commit, err := builder.NewCommit()
	if err != nil {
		return err
	}
	defer commit.Close()
	return commit.Commit(all)
}

// prepare gives a record to a write of its own.
func prepare(builder *paimon.WriteBuilder, batch arrow.RecordBatch) (*paimon.CommitMessages, error) {
	w, err := builder.NewWrite()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if err := w.WriteArrowBatch(batch); err != nil {
		return nil, err
	}
	return w.PrepareCommit()
}
