// SPDX-License-Identifier: Apache-2.0

package paimon

import "fmt"

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

// String says which snapshot it is, and who made it.
func (s Snapshot) String() string {
	return fmt.Sprintf("snapshot %d (%s by %s, identifier %d)", s.ID, s.CommitKind, s.CommitUser, s.CommitIdentifier)
}
