// SPDX-License-Identifier: Apache-2.0

//! Predicates: what the Go side never sends, and what becomes of operands. That filters find the right rows is tested from Go.

use std::ptr::{null, null_mut};

use super::*;
use crate::predicate::*;

fn datum(tag: i32, int_val: i64) -> paimon_datum {
    paimon_datum {
        tag,
        int_val,
        double_val: 0.0,
        str_data: null(),
        str_len: 0,
        int_val2: 0,
        uint_val: 0,
        uint_val2: 0,
    }
}

fn bytes(tag: i32, data: &[u8]) -> paimon_datum {
    paimon_datum {
        str_data: data.as_ptr(),
        str_len: data.len(),
        ..datum(tag, 0)
    }
}

fn equal(table: &Own<paimon_table>, column: &str, literal: paimon_datum) -> paimon_result<paimon_predicate> {
    unsafe { paimon_predicate_equal(table.0, c(column).as_ptr(), literal) }
}

#[test]
fn operands_stay_the_callers() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    ok(writer.commit(&writer.prepared(&[(1, "a"), (2, "b"), (3, "c")])));
    let builder = ok(unsafe { paimon_table_new_read_builder(table.0) });
    {
        let one = ok(equal(&table, "id", datum(3, 1)));
        let b = ok(equal(&table, "name", bytes(7, b"b")));
        let either = ok(unsafe { paimon_predicate_or([one.0.cast_const(), b.0, one.0].as_ptr(), 3) });
        drop((one, b));
        let neither = ok(unsafe { paimon_predicate_not(either.0) });
        drop(either);
        let both = ok(unsafe { paimon_predicate_and([neither.0.cast_const(), neither.0].as_ptr(), 2) });
        ok(unsafe { paimon_read_builder_with_filter(builder.0, both.0) });
    }
    // Another table handle may make the predicate, the builder's own among them.
    let own = ok(unsafe { paimon_read_builder_table(builder.0) });
    drop(table);
    let read = |builder: &Own<paimon_read_builder>| unsafe {
        let plan = ok(paimon_table_scan_plan(ok(paimon_read_builder_new_scan(builder.0)).0));
        let read = ok(paimon_read_builder_new_read(builder.0));
        let splits = ok(paimon_plan_num_splits(plan.0));
        people_in(&drain(&ok(paimon_table_read_to_arrow(read.0, plan.0, 0, splits))))
    };
    assert_eq!(read(&builder), named(&[(3, "c")]));
    let ids = [datum(3, 2), datum(3, 3)];
    let listed = ok(unsafe { paimon_predicate_is_in(own.0, c("id").as_ptr(), ids.as_ptr(), ids.len()) });
    ok(unsafe { paimon_read_builder_with_filter(builder.0, listed.0) });
    ok(unsafe { paimon_read_builder_with_filter_pushdown(builder.0, false) });
    ok(unsafe { paimon_read_builder_with_limit(builder.0, 1) });
    assert_eq!(read(&builder), named(&[(2, "b")]));
}

#[test]
fn nonsense_is_refused() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let builder = ok(unsafe { paimon_table_new_read_builder(table.0) });
    let good = ok(equal(&table, "id", datum(3, 1)));
    let invalid = PAIMON_CODE_INVALID_INPUT;
    let id = c("id");
    unsafe {
        refused(
            paimon_predicate_equal(null(), id.as_ptr(), datum(3, 1)),
            invalid,
            "table is NULL",
        );
        refused(
            paimon_predicate_equal(table.0, null(), datum(3, 1)),
            invalid,
            "column name is NULL",
        );
        refused(paimon_predicate_is_in(table.0, id.as_ptr(), null(), 1), invalid, "NULL");
        refused(
            paimon_predicate_is_in(table.0, id.as_ptr(), &datum(3, 1), usize::MAX),
            invalid,
            "impossible",
        );
        refused(
            paimon_predicate_between(table.0, id.as_ptr(), datum(3, 1), datum(7, 0)),
            invalid,
            "a string",
        );
        refused(paimon_predicate_and(null(), 0), invalid, "no predicates");
        refused(
            paimon_predicate_or([good.0.cast_const(), null()].as_ptr(), 2),
            invalid,
            "NULL",
        );
        refused(paimon_predicate_not(null()), invalid, "NULL");
        refused(paimon_read_builder_with_filter(builder.0, null()), invalid, "NULL");
        refused(paimon_read_builder_with_filter(null(), good.0), invalid, "NULL");
        refused(paimon_read_builder_with_filter_pushdown(null(), true), invalid, "NULL");
        refused(paimon_read_builder_table(null()), invalid, "NULL");
        refused(
            paimon_predicate_starts_with(table.0, id.as_ptr(), datum(3, 1)),
            invalid,
            "only text",
        );
        paimon_predicate_free(null_mut());
    }
    refused(equal(&table, "none", datum(3, 1)), PAIMON_CODE_COLUMN_NOT_EXIST, "none");
    refused(equal(&table, "id", datum(99, 1)), invalid, "tag 99");
    refused(equal(&table, "id", datum(1, 128)), invalid, "TINYINT");
    refused(equal(&table, "id", datum(8, i64::MAX)), invalid, "DATE");
    refused(equal(&table, "id", datum(9, 86_400_000)), invalid, "day");
    refused(equal(&table, "id", datum(12, 1)), invalid, "precision 0");
    refused(
        equal(
            &table,
            "id",
            paimon_datum {
                int_val2: -1,
                ..datum(10, 0)
            },
        ),
        invalid,
        "nanoseconds",
    );
    refused(equal(&table, "name", bytes(7, &[0xff])), invalid, "UTF-8");
    refused(equal(&table, "name", bytes(13, &[0xff])), invalid, "bytes");
    refused(
        equal(
            &table,
            "name",
            paimon_datum {
                str_len: 1,
                ..datum(7, 0)
            },
        ),
        invalid,
        "NULL",
    );
}

#[test]
fn nesting_has_an_end() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let mut deep = ok(equal(&table, "id", datum(3, 1)));
    let mut levels = 1;
    let message = loop {
        match (unsafe { paimon_predicate_not(deep.0) }).settle() {
            Ok(next) => deep = next,
            Err(refusal) => break refusal.message,
        }
        levels += 1;
    };
    assert!(levels == 200 && message.contains("200"), "{levels}: {message}");
}
