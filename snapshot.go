// SPDX-License-Identifier: Apache-2.0

package paimon

// A CommitKind says what kind of change a snapshot holds.
type CommitKind string

// The kinds of change, as Paimon's snapshot files spell them.
const (
	CommitKindAppend    CommitKind = "APPEND"
	CommitKindCompact   CommitKind = "COMPACT"
	CommitKindOverwrite CommitKind = "OVERWRITE"
	CommitKindAnalyze   CommitKind = "ANALYZE"
)

// A Snapshot is one version of a table, as Paimon's snapshot files describe it. It is a value.
type Snapshot struct {
	Version                   int32             `json:"version"`
	UUID                      string            `json:"uuid,omitempty"`
	ID                        int64             `json:"id"`
	SchemaID                  int64             `json:"schemaId"`
	BaseManifestList          string            `json:"baseManifestList"`
	DeltaManifestList         string            `json:"deltaManifestList"`
	ChangelogManifestList     *string           `json:"changelogManifestList,omitempty"`
	ChangelogManifestListSize *int64            `json:"changelogManifestListSize,omitempty"`
	IndexManifest             *string           `json:"indexManifest,omitempty"`
	CommitUser                string            `json:"commitUser"`
	CommitIdentifier          int64             `json:"commitIdentifier"`
	CommitKind                CommitKind        `json:"commitKind"`
	TimeMillis                int64             `json:"timeMillis"`
	LogOffsets                map[int32]int64   `json:"logOffsets,omitempty"`
	TotalRecordCount          *int64            `json:"totalRecordCount,omitempty"`
	DeltaRecordCount          *int64            `json:"deltaRecordCount,omitempty"`
	ChangelogRecordCount      *int64            `json:"changelogRecordCount,omitempty"`
	Watermark                 *int64            `json:"watermark,omitempty"`
	Statistics                *string           `json:"statistics,omitempty"`
	Properties                map[string]string `json:"properties,omitempty"`
	NextRowID                 *int64            `json:"nextRowId,omitempty"`
}

// A Tag is a snapshot with a name, which keeps it when it would expire. It is a value.
type Tag struct {
	Name     string   `json:"tagName"`
	Snapshot Snapshot `json:"snapshot"`
	// CreateTimeMillis is when the tag was made, in milliseconds since the epoch, and nil where that was not recorded: Paimon
	// records it for tags with a retention.
	CreateTimeMillis *int64 `json:"tagCreateTime,omitempty"`
	// TimeRetained is how long maintenance keeps the tag, as an ISO 8601 duration such as "PT36H"; nil is for ever.
	TimeRetained *string `json:"tagTimeRetained,omitempty"`
}

// A Branch is a line of snapshots of a table beside the main one. It is a value. To read or write it, open "table$branch_name".
type Branch struct {
	Name string `json:"name"`
	// SchemaID is the number of its latest schema.
	SchemaID int64 `json:"schemaId"`
	// Snapshot is its latest, or nil if it has none.
	Snapshot *Snapshot `json:"snapshot,omitempty"`
}
