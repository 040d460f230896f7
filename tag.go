// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// CreateTag names a snapshot of a table or branch: the one with the given ID, or the latest where snapshotID is nil. If the name is
// taken, this is [ErrTagAlreadyExist], or nothing happens where ignoreIfExists is set. A missing snapshot is [ErrSnapshotNotExist].
func (c *Catalog) CreateTag(id Identifier, tagName string, snapshotID *int64, ignoreIfExists bool) error {
	return c.CreateTagContext(context.Background(), id, tagName, snapshotID, ignoreIfExists)
}

// CreateTagContext is [Catalog.CreateTag], and ends when ctx does: with [ErrOutcomeUnknown] if the change was under way.
func (c *Catalog) CreateTagContext(ctx context.Context, id Identifier, tagName string, snapshotID *int64, ignoreIfExists bool) error {
	return c.createTag(ctx, id, tagName, snapshotID, nil, ignoreIfExists)
}

// CreateTagWithRetention is [Catalog.CreateTag] for a tag that Paimon's maintenance (in Spark, Flink or Java; not this library) deletes
// when it has been there for the given time.
func (c *Catalog) CreateTagWithRetention(id Identifier, tagName string, snapshotID *int64, retained time.Duration, ignoreIfExists bool) error {
	return c.CreateTagWithRetentionContext(context.Background(), id, tagName, snapshotID, retained, ignoreIfExists)
}

// CreateTagWithRetentionContext is [Catalog.CreateTagWithRetention], and ends when ctx does:
// with [ErrOutcomeUnknown] if the change was under way.
func (c *Catalog) CreateTagWithRetentionContext(ctx context.Context, id Identifier, tagName string, snapshotID *int64, retained time.Duration, ignoreIfExists bool) error {
	return c.createTag(ctx, id, tagName, snapshotID, &retained, ignoreIfExists)
}

func (c *Catalog) createTag(ctx context.Context, id Identifier, tagName string, snapshotID *int64, retained *time.Duration, ignoreIfExists bool) error {
	const op = "create tag"
	return c.onTag(ctx, op, id, tagName, func(p *cCatalog, cID *cIdentifier, tag *byte) (*cError, error) {
		var text *byte
		if retained != nil {
			if *retained <= 0 {
				return nil, invalidInput(op, id.String(), "the tag's retention is %v, want more than 0", *retained)
			}
			var err error
			if text, err = cString(op, id.String(), "the retention", fmt.Sprintf("%dns", retained.Nanoseconds())); err != nil {
				return nil, err
			}
		}
		return ffiCatalogCreateTag.call(c.h.lib, p, cID, tag, snapshotID, text, ignoreIfExists)
	})
}

// GetTag gives a tag and the snapshot it names. A missing tag is [ErrTagNotExist].
func (c *Catalog) GetTag(id Identifier, tagName string) (Tag, error) {
	return c.GetTagContext(context.Background(), id, tagName)
}

// GetTagContext is [Catalog.GetTag], and ends when ctx does.
func (c *Catalog) GetTagContext(ctx context.Context, id Identifier, tagName string) (Tag, error) {
	var tag Tag
	err := c.onTag(ctx, "get tag", id, tagName, func(p *cCatalog, cID *cIdentifier, name *byte) (*cError, error) {
		r, err := ffiCatalogGetTag.call(c.h.lib, p, cID, name)
		if err != nil || r.err != nil {
			return r.err, err
		}
		return nil, json.Unmarshal(c.h.lib.takeBytes(r.value), &tag)
	})
	return tag, err
}

// DeleteTag deletes a tag. If it is missing, this is [ErrTagNotExist], or nothing happens where ignoreIfNotExists is set. A tag whose
// snapshot has expired holds data files that only Paimon's maintenance deletes: on a filesystem catalog this is
// [CodeUnsupported].
func (c *Catalog) DeleteTag(id Identifier, tagName string, ignoreIfNotExists bool) error {
	return c.DeleteTagContext(context.Background(), id, tagName, ignoreIfNotExists)
}

// DeleteTagContext is [Catalog.DeleteTag], and ends when ctx does: with [ErrOutcomeUnknown] if the change was under way.
func (c *Catalog) DeleteTagContext(ctx context.Context, id Identifier, tagName string, ignoreIfNotExists bool) error {
	return c.onTag(ctx, "delete tag", id, tagName, func(p *cCatalog, cID *cIdentifier, tag *byte) (*cError, error) {
		return ffiCatalogDeleteTag.call(c.h.lib, p, cID, tag, ignoreIfNotExists)
	})
}

// ListTags gives all tags of a table or branch, sorted by name.
func (c *Catalog) ListTags(id Identifier) ([]Tag, error) {
	return c.ListTagsContext(context.Background(), id)
}

// ListTagsContext is [Catalog.ListTags], and ends when ctx does.
func (c *Catalog) ListTagsContext(ctx context.Context, id Identifier) ([]Tag, error) {
	var tags []Tag
	err := c.list(ctx, "list tags", id, ffiCatalogListTags, &tags)
	return tags, err
}

// CreateBranch makes a branch of a table that starts with the snapshot of a tag, or, where fromTag is empty, without rows and with
// the table's schema. If the name is taken, this is [ErrBranchAlreadyExist]; a missing tag is [ErrTagNotExist]. The branch is opened as
// "table$branch_name". A REST catalog's branches are its server's: [CodeUnsupported].
func (c *Catalog) CreateBranch(id Identifier, branch, fromTag string) error {
	return c.CreateBranchContext(context.Background(), id, branch, fromTag)
}

// CreateBranchContext is [Catalog.CreateBranch], and ends when ctx does: with [ErrOutcomeUnknown] if the change was under way.
func (c *Catalog) CreateBranchContext(ctx context.Context, id Identifier, branch, fromTag string) error {
	const op = "create branch"
	return c.onTag(ctx, op, id, branch, func(p *cCatalog, cID *cIdentifier, name *byte) (*cError, error) {
		var tag *byte
		if fromTag != "" {
			var err error
			if tag, err = cString(op, id.String(), "the tag", fromTag); err != nil {
				return nil, err
			}
		}
		return ffiCatalogCreateBranch.call(c.h.lib, p, cID, name, tag)
	})
}

// DropBranch drops a branch and what was written to it alone. If it is missing, this is [ErrBranchNotExist], or nothing happens where
// ignoreIfNotExists is set.
func (c *Catalog) DropBranch(id Identifier, branch string, ignoreIfNotExists bool) error {
	return c.DropBranchContext(context.Background(), id, branch, ignoreIfNotExists)
}

// DropBranchContext is [Catalog.DropBranch], and ends when ctx does: with [ErrOutcomeUnknown] if the change was under way.
func (c *Catalog) DropBranchContext(ctx context.Context, id Identifier, branch string, ignoreIfNotExists bool) error {
	return c.onTag(ctx, "drop branch", id, branch, func(p *cCatalog, cID *cIdentifier, name *byte) (*cError, error) {
		return ffiCatalogDropBranch.call(c.h.lib, p, cID, name, ignoreIfNotExists)
	})
}

// ListBranches gives all branches of a table but the main one, sorted by name.
func (c *Catalog) ListBranches(id Identifier) ([]Branch, error) {
	return c.ListBranchesContext(context.Background(), id)
}

// ListBranchesContext is [Catalog.ListBranches], and ends when ctx does.
func (c *Catalog) ListBranchesContext(ctx context.Context, id Identifier) ([]Branch, error) {
	var branches []Branch
	err := c.list(ctx, "list branches", id, ffiCatalogListBranches, &branches)
	return branches, err
}

// onTag runs a native call on the tag or branch of a table.
func (c *Catalog) onTag(
	ctx context.Context, op string, id Identifier, name string, call func(*cCatalog, *cIdentifier, *byte) (*cError, error),
) (err error) {
	p, end, err := c.base().begin(ctx, op)
	if err != nil {
		return err
	}
	defer end(&err)
	object := id.String() + " " + name
	cName, err := cString(op, object, "the name", name)
	if err != nil {
		return err
	}
	return c.withIdentifier(op, id, func(cID *cIdentifier) error {
		e, err := call(p, cID, cName)
		return c.h.lib.done(op, object, e, err)
	})
}

// list runs a native call that gives a JSON array of what a table has.
func (c *Catalog) list(
	ctx context.Context, op string, id Identifier, fn fn2[resultBytes, *cCatalog, *cIdentifier], into any,
) (err error) {
	p, end, err := c.base().begin(ctx, op)
	if err != nil {
		return err
	}
	defer end(&err)
	return c.withIdentifier(op, id, func(cID *cIdentifier) error {
		r, err := fn.call(c.h.lib, p, cID)
		raw, err := c.h.lib.bytesOf(op, id.String(), r, err)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return withOp(err, op, id.String())
		}
		return nil
	})
}
