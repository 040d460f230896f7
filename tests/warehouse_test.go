// SPDX-License-Identifier: Apache-2.0

//go:build warehouse

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The tables that tests/spark/provision.py fills are read as Spark filled them: `make test-warehouse` runs this.
func TestSparkTables(t *testing.T) {
	people := []string{"1 alice", "2 bob", "3 carol"}
	var buckets, dynamic []string
	for i := 1; i <= 20; i++ {
		name := fmt.Sprintf("%d name-%d", i, i)
		if i >= 16 {
			name += "-v2"
		}
		buckets = append(buckets, name)
	}
	for i := 1; i <= 11; i++ {
		name := fmt.Sprintf("%d name-%d", i, i)
		if i == 1 {
			name += "-v2"
		}
		dynamic = append(dynamic, name)
	}
	tests := map[string][]string{
		"simple_log_table":                people,
		"simple_pk_table":                 people,
		"simple_dv_pk_table":              {"1 alice", "2 bob-v2", "3 carol"},
		"first_row_pk_table":              people,
		"multi_bucket_pk_table":           buckets,
		"dynamic_bucket_pk_table":         dynamic,
		"partitioned_log_table":           {"1 alice 2024-01-01", "2 bob 2024-01-01", "3 carol 2024-01-02"},
		"multi_partitioned_log_table":     {"1 alice 2024-01-01 10", "2 bob 2024-01-01 10", "3 carol 2024-01-01 20", "4 dave 2024-01-02 10"},
		"time_travel_table":               {"1 alice", "2 bob", "3 carol", "4 dave"},
		"schema_evolution_add_column":     {"1 alice (null)", "2 bob (null)", "3 carol 30", "4 dave 40"},
		"schema_evolution_drop_column":    {"1 alice", "2 bob", "3 carol", "4 dave"},
		"schema_evolution_type_promotion": {"1 100 0.5", "2 -200 1.25", "3 3000000000 0.1"},
		"complex_type_table": {
			`1 ["a","b"] [{"key":"x","value":1},{"key":"y","value":2}] {"age":30,"name":"alice"} [{"name":"red","sizes":[1,2]}]`,
			`2 ["c",null] [{"key":"z","value":null}] {"age":null,"name":"bob"} [{"name":"blue","sizes":[]}]`,
			`3 [] [] {"age":40,"name":null} []`,
			`4 (null) (null) (null) (null)`,
		},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			checkLeaks(t)
			_, table := foreignTable(t, name)
			slices.Sort(want)
			wantRows(t, table, want...)
		})
	}
	_, types := foreignTable(t, "full_types_table")
	if rows := readRows(t, types, "id", "c_decimal_38", "c_date", "c_timestamp_ntz", "c_string"); len(rows) != 4 ||
		rows[0] != "1 1e-10 2024-02-29 2024-02-29T12:34:56.789012 héllo 世界" {
		t.Errorf("full_types_table: %q", rows)
	}
}

// Random predicates on every table of the warehouse, whoever wrote it.
func TestFiltersOnWarehouse(t *testing.T) {
	folders, err := os.ReadDir(filepath.Join(os.Getenv("PAIMON_TEST_WAREHOUSE"), "default.db"))
	must(t, err)
	for n, folder := range folders {
		t.Run(folder.Name(), func(t *testing.T) {
			checkLeaks(t)
			_, table := foreignTable(t, folder.Name())
			differ(t, table, 150, uint64(n))
		})
	}
}
