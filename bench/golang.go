// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	paimon "github.com/apache/paimon-rust/bindings/go"
)

// golang is the side of this library.
type golang struct {
	made map[[3]int64][]arrow.RecordBatch // batches to write
}

func (g *golang) close() error {
	for _, batches := range g.made {
		for _, batch := range batches {
			batch.Release()
		}
	}
	g.made = nil
	return nil
}

func (g *golang) run(t task) (result, error) {
	switch t.Op {
	case opGenerate:
		_, err := g.batches(t)
		return result{}, err
	case opRead:
		return g.read(t)
	case opWrite:
		return g.write(t)
	}
	return result{}, fmt.Errorf("there is no op %q", t.Op)
}

// open opens the task's table. The caller closes both.
func open(t task) (*paimon.Catalog, *paimon.Table, error) {
	catalog, err := paimon.NewCatalog(map[string]string{"warehouse": t.Warehouse})
	if err != nil {
		return nil, nil, err
	}
	table, err := catalog.GetTable(paimon.NewIdentifier(database, t.Table))
	if err != nil {
		catalog.Close()
		return nil, nil, err
	}
	return catalog, table, nil
}

func (g *golang) read(t task) (result, error) {
	watch := startWatch()
	catalog, table, err := open(t)
	if err != nil {
		return result{}, err
	}
	defer catalog.Close()
	defer table.Close()
	options := map[string]string{}
	if t.Batch > 0 {
		options["read.batch-size"] = strconv.Itoa(t.Batch)
	}
	builder, err := table.NewReadBuilderWithOptions(options)
	if err != nil {
		return result{}, err
	}
	defer builder.Close()
	if err := configure(builder, t); err != nil {
		return result{}, err
	}
	scan, err := builder.NewScan()
	if err != nil {
		return result{}, err
	}
	defer scan.Close()
	plan, err := scan.Plan()
	if err != nil {
		return result{}, err
	}
	defer plan.Close()
	read, err := builder.NewRead()
	if err != nil {
		return result{}, err
	}
	defer read.Close()
	reader, err := read.NewRecordBatchReader(plan.Splits())
	if err != nil {
		return result{}, err
	}
	defer reader.Close()
	var rows, batches int64
	for batch, err := range reader.All() {
		if err != nil {
			return result{}, err
		}
		watch.batch()
		rows += batch.NumRows()
		batches++
		batch.Release()
	}
	r := watch.stop()
	r.Rows, r.Batches = rows, batches
	return r, nil
}

// configure makes the settings of a task that reads.
func configure(builder *paimon.ReadBuilder, t task) error {
	if len(t.Columns) > 0 {
		if err := builder.WithProjection(t.Columns); err != nil {
			return err
		}
	}
	if t.Below > 0 {
		below, err := builder.PredicateBuilder().Lt("id", t.Below)
		if err != nil {
			return err
		}
		if err := builder.WithFilter(below); err != nil {
			return err
		}
	}
	if t.Limit > 0 {
		if err := builder.WithLimit(t.Limit); err != nil {
			return err
		}
	}
	if t.Parallel > 0 {
		return builder.WithParallelism(t.Parallel)
	}
	return nil
}

// batches gives what a task writes, as a program would have made it itself: in Go's memory.
func (g *golang) batches(t task) ([]arrow.RecordBatch, error) {
	key := [3]int64{t.From, t.Rows, t.BatchRows}
	if batches, ok := g.made[key]; ok {
		return batches, nil
	}
	columns := paimon.Schema{}
	for _, c := range narrow {
		columns.Fields = append(columns.Fields, paimon.DataField{Name: c.name, Type: c.kind})
	}
	schema, err := columns.Arrow()
	if err != nil {
		return nil, err
	}
	var batches []arrow.RecordBatch
	for first := t.From; first < t.From+t.Rows; first += t.BatchRows {
		batches = append(batches, narrowRecord(schema, first, min(first+t.BatchRows, t.From+t.Rows)))
	}
	if g.made == nil {
		g.made = map[[3]int64][]arrow.RecordBatch{}
	}
	g.made[key] = batches
	return batches, nil
}

func (g *golang) write(t task) (result, error) {
	all, err := g.batches(t)
	if err != nil {
		return result{}, err
	}
	watch := startWatch()
	catalog, table, err := open(t)
	if err != nil {
		return result{}, err
	}
	defer catalog.Close()
	defer table.Close()
	builder, err := table.NewWriteBuilder()
	if err != nil {
		return result{}, err
	}
	defer builder.Close()
	commit, err := builder.NewCommit()
	if err != nil {
		return result{}, err
	}
	defer commit.Close()
	if t.Writers > 1 {
		err = together(builder, commit, all, t.Writers)
	} else {
		err = alone(builder, commit, all, max(1, t.Commits))
	}
	if err != nil {
		return result{}, err
	}
	r := watch.stop()
	r.Rows, r.Batches = t.Rows, int64(len(all))
	return r, nil
}

// alone writes batches with one write, in so many commits.
func alone(builder *paimon.WriteBuilder, commit *paimon.TableCommit, all []arrow.RecordBatch, commits int) error {
	write, err := builder.NewWrite()
	if err != nil {
		return err
	}
	defer write.Close()
	size := (len(all) + commits - 1) / commits
	for n := range commits {
		messages, err := prepare(write, all[min(n*size, len(all)):min((n+1)*size, len(all))])
		if err != nil {
			return err
		}
		err = commit.CommitWithIdentifier(messages, int64(n+1))
		messages.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// together divides batches among writes that run at once, and commits the work of all.
func together(builder *paimon.WriteBuilder, commit *paimon.TableCommit, all []arrow.RecordBatch, writers int) error {
	prepared, errs := make([]*paimon.CommitMessages, writers), make([]error, writers)
	var running sync.WaitGroup
	for n := range writers {
		running.Add(1)
		go func() {
			defer running.Done()
			write, err := builder.NewWrite()
			if err != nil {
				errs[n] = err
				return
			}
			defer write.Close()
			prepared[n], errs[n] = prepare(write, all[n*len(all)/writers:(n+1)*len(all)/writers])
		}()
	}
	running.Wait()
	for n, messages := range prepared {
		if errs[n] != nil {
			return errs[n]
		}
		defer messages.Close()
		if n == 0 {
			continue
		}
		if err := prepared[0].Merge(messages); err != nil {
			return err
		}
	}
	return commit.Commit(prepared[0])
}

// prepare writes batches and gives their messages. It releases none of them.
func prepare(write *paimon.TableWrite, batches []arrow.RecordBatch) (*paimon.CommitMessages, error) {
	for _, batch := range batches {
		if err := write.WriteArrowBatch(batch); err != nil {
			return nil, err
		}
	}
	return write.PrepareCommit()
}
