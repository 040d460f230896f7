// SPDX-License-Identifier: Apache-2.0

//! Literals of any tag, conditions on any column, and trees of them, by which tables of all types are read.

#![no_main]

use std::ffi::CString;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use paimon_c::predicate::*;
use paimon_c::read::*;
use paimon_c::table::*;
use paimon_c::types::paimon_datum;
use paimon_c_fuzz::{bytes, object, read, settle, Choices, Golden};

struct Tables(Vec<(*mut paimon_table, Vec<CString>)>);
// SAFETY: tables are safe for concurrent use.
unsafe impl Sync for Tables {}
// SAFETY: as above.
unsafe impl Send for Tables {}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let golden = Golden::new();
    let tables = golden.tables.iter().map(|name| {
        let table = golden.warehouse.open(name).unwrap();
        // SAFETY: a live table.
        let schema = String::from_utf8(bytes(unsafe { paimon_table_schema(table) }).unwrap()).unwrap();
        let columns = schema.split("\"name\":\"").skip(1);
        let columns = columns.map(|rest| CString::new(rest.split('"').next().unwrap()).unwrap());
        (table, columns.collect())
    });
    Tables(tables.collect())
});

/// A literal, and the bytes that it points to.
fn datum(choices: &mut Choices) -> (paimon_datum, Vec<u8>) {
    let tag = choices.byte();
    let text = choices.run();
    let datum = paimon_datum {
        tag: match tag {
            0..=239 => i32::from(tag % 14),
            _ => choices.number() as i32,
        },
        int_val: choices.number(),
        double_val: match choices.byte() {
            0..=99 => f64::from(choices.byte()) / 4.0,
            _ => f64::from_bits(choices.number() as u64),
        },
        str_data: std::ptr::null(),
        str_len: text.len(),
        int_val2: choices.number(),
        uint_val: choices.number() as u32,
        uint_val2: choices.number() as u32,
    };
    (datum, text)
}

macro_rules! with {
    ($literal:expr) => {
        paimon_datum {
            str_data: if $literal.1.is_empty() {
                std::ptr::null()
            } else {
                $literal.1.as_ptr()
            },
            ..$literal.0
        }
    };
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    let (table, columns) = &TABLES.0[choices.below(TABLES.0.len())];
    let table = *table;
    let mut made: Vec<*mut paimon_predicate> = Vec::new();
    let compare = [
        paimon_predicate_equal,
        paimon_predicate_not_equal,
        paimon_predicate_less_than,
        paimon_predicate_less_or_equal,
        paimon_predicate_greater_than,
        paimon_predicate_greater_or_equal,
        paimon_predicate_starts_with,
        paimon_predicate_ends_with,
        paimon_predicate_contains,
        paimon_predicate_like,
    ];
    // SAFETY: live objects, strings and bytes.
    unsafe {
        while choices.left() && made.len() < 40 {
            let what = choices.byte();
            let column = match choices.byte() {
                255 => choices.text(),
                index => columns[index as usize % columns.len()].clone(),
            };
            let result = match what % 20 {
                index @ 0..=9 => {
                    let literal = datum(&mut choices);
                    compare[index as usize](table, column.as_ptr(), with!(literal))
                }
                10 => paimon_predicate_is_null(table, column.as_ptr()),
                11 => paimon_predicate_is_not_null(table, column.as_ptr()),
                12 | 13 => {
                    let literals: Vec<_> = (0..choices.below(6)).map(|_| datum(&mut choices)).collect();
                    let list: Vec<_> = literals.iter().map(|literal| with!(literal)).collect();
                    let function = [paimon_predicate_is_in, paimon_predicate_is_not_in][what as usize % 2];
                    function(table, column.as_ptr(), list.as_ptr(), list.len())
                }
                14 | 15 => {
                    let (low, high) = (datum(&mut choices), datum(&mut choices));
                    let function = [paimon_predicate_between, paimon_predicate_not_between][what as usize % 2];
                    function(table, column.as_ptr(), with!(low), with!(high))
                }
                16 if !made.is_empty() => paimon_predicate_not(made[choices.below(made.len())]),
                index if !made.is_empty() => {
                    let parts: Vec<_> = (0..choices.below(5))
                        .map(|_| made[choices.below(made.len())].cast_const())
                        .collect();
                    let function = [paimon_predicate_and, paimon_predicate_or][index as usize % 2];
                    function(parts.as_ptr(), parts.len())
                }
                _ => continue,
            };
            made.extend(object(result));
        }
        if let Some(last) = made.last() {
            let builder = object(paimon_table_new_read_builder(table)).unwrap();
            if settle(paimon_read_builder_with_filter(builder, *last)).is_ok() {
                read(builder, std::ptr::null_mut(), 10);
            }
            paimon_read_builder_free(builder);
        }
        for predicate in made {
            paimon_predicate_free(predicate);
        }
    }
});
