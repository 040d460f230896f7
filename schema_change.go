// SPDX-License-Identifier: Apache-2.0

package paimon

import "encoding/json"

// A SchemaChange is one step of [Catalog.AlterTable], made by [SetOption], [AddColumn] and their like. It is an immutable value, and
// encodes as the JSON of Java's SchemaChange.
//
// Columns are named as in the schema that the steps before have left. Only columns of the table itself can be changed, not
// fields inside a ROW.
type SchemaChange struct {
	action string
	fields map[string]any
	column *DataField // of AddColumn and UpdateColumnType, to be checked
}

// SetOption sets a table option. Options that say where the rows are and how they are merged (bucket, bucket-key, merge-engine,
// sequence.field, ignore-delete, deletion-vectors.enabled, row-tracking.enabled, data-evolution.enabled, the aggregate functions and
// sequence groups of columns that are there, and the like) cannot change once there are rows, nor can type and
// data-file.path-directory. Options that reads and writes here would overlook are [CodeUnsupported].
func SetOption(key, value string) SchemaChange {
	return change("setOption", map[string]any{"key": key, "value": value})
}

// RemoveOption takes a table option back to its default. One that is not set is no error.
func RemoveOption(key string) SchemaChange {
	return change("removeOption", map[string]any{"key": key})
}

// UpdateComment sets the comment of the table; an empty one takes it away.
func UpdateComment(comment string) SchemaChange {
	return change("updateComment", map[string]any{"comment": optional(comment)})
}

// AddColumn adds a column, whose ID the table chooses: its name, type and description count. It must be nullable, since the rows
// that are there have NULL in it, and the engine adds no default values.
func AddColumn(column DataField, at ColumnPosition) SchemaChange {
	fields := map[string]any{
		"fieldNames": []string{column.Name},
		"dataType":   column.Type,
		"comment":    optional(column.Description),
		"move":       nil,
	}
	if at != (ColumnPosition{}) {
		fields["move"] = at.of(column.Name)
	}
	c := change("addColumn", fields)
	c.column = &column
	return c
}

// RenameColumn renames a column. Partition keys cannot be renamed.
func RenameColumn(name, newName string) SchemaChange {
	c := change("renameColumn", map[string]any{"fieldNames": []string{name}, "newName": newName})
	c.column = &DataField{Name: newName, Type: IntType()}
	return c
}

// DropColumn drops a column; what older snapshots have in it can still be read there. Keys cannot be dropped.
func DropColumn(name string) SchemaChange {
	return change("dropColumn", map[string]any{"fieldNames": []string{name}})
}

// UpdateColumnType changes the type of a column. Whether it is nullable stays as it is: see [UpdateColumnNullability]. No data is
// rewritten: each engine casts the old values as it reads them, so a change after which they would not be the same in all of them is
// [CodeUnsupported]. These are fine: an integer to a wider one, to a DECIMAL that holds it, to FLOAT, DOUBLE or BOOLEAN; BOOLEAN to a
// number; FLOAT to DOUBLE or DECIMAL, and DOUBLE to FLOAT or DECIMAL; DECIMAL to another, to FLOAT, DOUBLE, or an integer that holds it;
// text to longer text or BYTES, bytes to more bytes; a timestamp to a finer one, up to microseconds; DATE to such a timestamp and back;
// integers, BOOLEAN, DECIMAL and DATE to STRING; an ARRAY or MAP whose elements change in one of these ways. The fields of a ROW cannot
// change.
func UpdateColumnType(name string, dataType DataType) SchemaChange {
	c := change("updateColumnType", map[string]any{
		"fieldNames": []string{name}, "newDataType": dataType, "keepNullability": true,
	})
	c.column = &DataField{Name: name, Type: dataType}
	return c
}

// UpdateColumnNullability allows NULL in a column or forbids it. To forbid it in a column that allowed it is refused unless the table's
// option alter-column-null-to-not-null.disabled is false: rows that are there are not looked at.
func UpdateColumnNullability(name string, nullable bool) SchemaChange {
	return change("updateColumnNullability", map[string]any{"fieldNames": []string{name}, "newNullability": nullable})
}

// UpdateColumnComment sets the description of a column.
func UpdateColumnComment(name, comment string) SchemaChange {
	return change("updateColumnComment", map[string]any{"fieldNames": []string{name}, "newComment": comment})
}

// UpdateColumnPosition moves a column.
func UpdateColumnPosition(name string, to ColumnPosition) SchemaChange {
	if to == (ColumnPosition{}) {
		to = Last()
	}
	return change("updateColumnPosition", map[string]any{"move": to.of(name)})
}

// A ColumnPosition says where among the columns one goes. The zero ColumnPosition is the last place.
type ColumnPosition struct {
	move, column string
}

// First is the place before all other columns.
func First() ColumnPosition { return ColumnPosition{move: "FIRST"} }

// Last is the place behind all other columns.
func Last() ColumnPosition { return ColumnPosition{move: "LAST"} }

// Before is the place in front of a column.
func Before(column string) ColumnPosition { return ColumnPosition{"BEFORE", column} }

// After is the place behind a column.
func After(column string) ColumnPosition { return ColumnPosition{"AFTER", column} }

func (p ColumnPosition) of(name string) map[string]any {
	return map[string]any{"fieldName": name, "referenceFieldName": optional(p.column), "type": p.move}
}

// MarshalJSON encodes c as the JSON of Java's SchemaChange.
func (c SchemaChange) MarshalJSON() ([]byte, error) {
	if c.action == "" {
		return nil, invalidInput("encode schema change", "", "the change is a zero value; make one with SetOption, AddColumn and the like")
	}
	fields := map[string]any{"action": c.action}
	for name, value := range c.fields {
		fields[name] = value
	}
	return json.Marshal(fields)
}

// check refuses what no table can hold.
func (c SchemaChange) check(op, object string) error {
	if c.action == "" {
		return invalidInput(op, object, "a change is a zero value; make one with SetOption, AddColumn and the like")
	}
	if key, ok := c.fields["key"]; ok && key == "" {
		return invalidInput(op, object, "the option has no name")
	}
	for what, value := range c.fields {
		var texts []string
		switch value := value.(type) {
		case string:
			texts = []string{value}
		case []string:
			texts = value
		case map[string]any: // where a column goes
			for _, name := range value {
				if name, ok := name.(string); ok {
					texts = append(texts, name)
				}
			}
		}
		for _, text := range texts {
			if err := checkText(op, object, "the "+what+" of a change", text); err != nil {
				return err
			}
		}
	}
	if move, ok := c.fields["move"].(map[string]any); ok && move["referenceFieldName"] == move["fieldName"] {
		return invalidInput(op, object, "column %q cannot stand before or after itself", move["fieldName"])
	}
	if c.column == nil {
		return nil
	}
	if c.column.DefaultValue != "" {
		return invalidInput(op, object, "column %q: a column cannot be added with a default value", c.column.Name)
	}
	if reserved(c.column.Name) {
		return invalidInput(op, object, "column %q: Paimon reserves this name for a system column; choose another", c.column.Name)
	}
	if err := checkNames(op, object, "", []DataField{*c.column}); err != nil {
		return err
	}
	return c.column.Type.check(op, object, c.column.Name)
}

func change(action string, fields map[string]any) SchemaChange {
	return SchemaChange{action: action, fields: fields}
}

// optional gives nil for an empty string.
func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}
