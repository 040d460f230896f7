// SPDX-License-Identifier: Apache-2.0

// Command matrix tells java/src/Matrix.java which tables to write: it makes DIR/TABLE.schema.json and DIR/TABLE.rows.jsonl of the tables
// in tests/internal/matrix that Paimon Java can write.
//
//	matrix DIR
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/apache/paimon-rust/bindings/go/tests/internal/matrix"
)

// To Java's JSON -0 is an integer, which has no sign.
var negativeZero = regexp.MustCompile(`([:,[])-0\b`)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: matrix DIR")
	}
	for _, table := range append(matrix.Tables(matrix.JavaWrites), matrix.Blobs) {
		delete(table.Schema.Options, "file.compression") // only we need it
		schema, err := json.Marshal(table.Schema)
		if err != nil {
			log.Fatal(err)
		}
		rows := matrix.RowsOf(table.Columns)
		slices.Reverse(rows) // so that nulls come first
		for i, row := range rows {
			rows[i] = negativeZero.ReplaceAllString(row, "$1-0.0")
		}
		for name, content := range map[string]string{".schema.json": string(schema), ".rows.jsonl": strings.Join(rows, "\n") + "\n"} {
			if err := os.WriteFile(filepath.Join(os.Args[1], table.Name+name), []byte(content), 0o666); err != nil {
				log.Fatal(err)
			}
		}
	}
}
