// SPDX-License-Identifier: Apache-2.0

//! Predicates: trees of conditions on the columns of a table, and the part of them that may be left to the engine.

use std::collections::HashSet;
use std::ffi::c_char;
use std::sync::Arc;

use paimon::spec::{DataField, DataType, Datum, Predicate, PredicateBuilder, PredicateOperator as Op};

use crate::error::{borrow, guard, slice, text, Failure, Result, PAIMON_CODE_COLUMN_NOT_EXIST};
use crate::handle;
use crate::table::paimon_table;
use crate::types::{paimon_datum, paimon_result};

/// How deep a predicate may nest. Every walk over one recurses, and the stack is the caller's.
const MAX_DEPTH: usize = 200;

/// How many conditions and operators it may have, those of shared parts counted wherever they stand: each is evaluated.
const MAX_SIZE: usize = 200_000;

/// A condition on the rows of a table, under SQL's three-valued logic. Immutable, safe for concurrent use.
pub struct paimon_predicate {
    pub(crate) node: Arc<Node>,
}

pub struct Node {
    depth: usize,
    size: usize,
    pub kind: Kind,
}

pub enum Kind {
    Leaf(Leaf),
    And(Vec<Arc<Node>>),
    Or(Vec<Arc<Node>>),
    Not(Arc<Node>),
}

/// A condition on one column, which is found again by its name in the table that is read.
pub struct Leaf {
    pub column: String,
    pub op: Op,
    pub literals: Vec<Datum>,
}

/// Which literals a column can be compared with.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Boolean,
    Integer,
    Floating,
    Decimal,
    Text,
    Bytes,
    Date,
    Time,
    Timestamp,
    LocalZonedTimestamp,
}

impl Class {
    fn of_type(data_type: &DataType) -> Option<Class> {
        Some(match data_type {
            DataType::Boolean(_) => Class::Boolean,
            DataType::TinyInt(_) | DataType::SmallInt(_) | DataType::Int(_) | DataType::BigInt(_) => Class::Integer,
            DataType::Float(_) | DataType::Double(_) => Class::Floating,
            DataType::Decimal(_) => Class::Decimal,
            DataType::Char(_) | DataType::VarChar(_) => Class::Text,
            DataType::Binary(_) | DataType::VarBinary(_) => Class::Bytes,
            DataType::Date(_) => Class::Date,
            DataType::Time(_) => Class::Time,
            DataType::Timestamp(_) => Class::Timestamp,
            DataType::LocalZonedTimestamp(_) => Class::LocalZonedTimestamp,
            _ => return None,
        })
    }

    fn of_literal(literal: &Datum) -> Option<Class> {
        Some(match literal {
            Datum::Bool(_) => Class::Boolean,
            Datum::TinyInt(_) | Datum::SmallInt(_) | Datum::Int(_) | Datum::Long(_) => Class::Integer,
            Datum::Float(_) | Datum::Double(_) => Class::Floating,
            Datum::Decimal { .. } => Class::Decimal,
            Datum::String(_) => Class::Text,
            Datum::Bytes(_) => Class::Bytes,
            Datum::Date(_) => Class::Date,
            Datum::Time(_) => Class::Time,
            Datum::Timestamp { .. } => Class::Timestamp,
            Datum::LocalZonedTimestamp { .. } => Class::LocalZonedTimestamp,
            Datum::Variant { .. } => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Class::Boolean => "a boolean",
            Class::Integer => "an integer",
            Class::Floating => "a floating-point number",
            Class::Decimal => "a decimal",
            Class::Text => "a string",
            Class::Bytes => "bytes",
            Class::Date => "a date",
            Class::Time => "a time",
            Class::Timestamp => "a timestamp",
            Class::LocalZonedTimestamp => "a timestamp with local time zone",
        }
    }
}

impl Leaf {
    /// Whether the condition means something in a table with these fields.
    fn check(&self, fields: &[DataField]) -> Result<()> {
        let column = &self.column;
        let field = fields.iter().find(|field| field.name() == column).ok_or_else(|| {
            Failure::new(
                PAIMON_CODE_COLUMN_NOT_EXIST,
                format!("the table that is read has no column {column:?}"),
            )
        })?;
        if matches!(self.op, Op::IsNull | Op::IsNotNull) {
            return Ok(());
        }
        let data_type = field.data_type();
        let class = Class::of_type(data_type).ok_or_else(|| {
            Failure::invalid(format!(
                "column {column:?} is {data_type}, which can be tested for NULL and not be compared"
            ))
        })?;
        if matches!(self.op, Op::StartsWith | Op::EndsWith | Op::Contains | Op::Like) && class != Class::Text {
            return Err(Failure::invalid(format!(
                "column {column:?} is {data_type}; only text has prefixes, suffixes and patterns"
            )));
        }
        match self.literals.iter().find(|literal| Class::of_literal(literal) != Some(class)) {
            None => Ok(()),
            Some(literal) => Err(Failure::invalid(format!(
                "column {column:?} is {data_type}, which is not comparable with {}",
                Class::of_literal(literal).map_or("a variant", Class::name)
            ))),
        }
    }
}

impl Node {
    fn new(kind: Kind) -> Result<Arc<Node>> {
        let below = match &kind {
            Kind::Leaf(_) => 0,
            Kind::And(children) | Kind::Or(children) => children.iter().map(|child| child.depth).max().unwrap_or(0),
            Kind::Not(child) => child.depth,
        };
        if below >= MAX_DEPTH {
            return Err(Failure::invalid(format!(
                "the predicate nests deeper than {MAX_DEPTH} levels"
            )));
        }
        let size = match &kind {
            Kind::Leaf(_) => 1,
            Kind::And(children) | Kind::Or(children) => {
                children.iter().fold(1, |sum: usize, child| sum.saturating_add(child.size))
            }
            Kind::Not(child) => child.size.saturating_add(1),
        };
        if size > MAX_SIZE {
            return Err(Failure::invalid(format!(
                "the predicate has more than {MAX_SIZE} conditions, one that is used twice counting twice"
            )));
        }
        Ok(Arc::new(Node {
            depth: below + 1,
            size,
            kind,
        }))
    }

    /// Whether every condition means something in a table with these fields.
    pub fn check(&self, fields: &[DataField]) -> Result<()> {
        match &self.kind {
            Kind::Leaf(leaf) => leaf.check(fields),
            Kind::And(children) | Kind::Or(children) => children.iter().try_for_each(|child| child.check(fields)),
            Kind::Not(child) => child.check(fields),
        }
    }

    /// The columns that the predicate needs.
    pub fn columns<'a>(&'a self, found: &mut HashSet<&'a str>) {
        match &self.kind {
            Kind::Leaf(leaf) => {
                found.insert(&leaf.column);
            }
            Kind::And(children) | Kind::Or(children) => children.iter().for_each(|child| child.columns(found)),
            Kind::Not(child) => child.columns(found),
        }
    }
}

/// What the engine may do with a predicate ahead of our own evaluation: leave out files, row groups and rows for which it is certainly not
/// true. The engine takes NOT for the opposite of "true", so that it would keep NULL where SQL drops it, and the reverse under a
/// second NOT; NOT is therefore moved to the leaves, where it turns an operator into its opposite. A leaf that the engine might
/// judge differently becomes TRUE, which only lets more rows through.
pub struct Pushdown<'a> {
    pub fields: &'a [DataField],
    /// Columns that have the type of `fields` in every data file that may be read. A narrowed type would be judged by statistics of the wider one.
    pub stable: &'a HashSet<String>,
    leaves: usize,
    combinations: usize,
}

impl<'a> Pushdown<'a> {
    /// For a plan. Beyond some size pruning costs more than it saves: the engine tries every combination of the IN lists on bucket
    /// keys.
    pub fn of_plan(fields: &'a [DataField], stable: &'a HashSet<String>) -> Self {
        Self {
            fields,
            stable,
            leaves: 1_000,
            combinations: 65_536,
        }
    }

    /// For a read, which looks into each file with all of it.
    pub fn of_read(fields: &'a [DataField], stable: &'a HashSet<String>) -> Self {
        Self {
            fields,
            stable,
            leaves: 100,
            combinations: 256,
        }
    }

    pub fn of(&mut self, node: &Node, negated: bool) -> Predicate {
        match &node.kind {
            Kind::Leaf(leaf) => self.leaf(leaf, negated).unwrap_or(Predicate::AlwaysTrue),
            Kind::Not(child) => self.of(child, !negated),
            Kind::And(children) | Kind::Or(children) => {
                let all = matches!(node.kind, Kind::And(_)) != negated;
                let children = children.iter().map(|child| self.of(child, negated)).collect();
                if all {
                    Predicate::and(children)
                } else {
                    Predicate::or(children)
                }
            }
        }
    }

    fn leaf(&mut self, leaf: &Leaf, negated: bool) -> Option<Predicate> {
        let op = if negated { opposite(leaf.op)? } else { leaf.op };
        let field = self.fields.iter().find(|field| field.name() == leaf.column)?;
        let data_type = field.data_type();
        let nulls = matches!(op, Op::IsNull | Op::IsNotNull);
        // FLOAT and DOUBLE: statistics leave NaN out, and the engine tells 0.0 from -0.0. CHAR: some files pad it.
        let trusted = match Class::of_type(data_type)? {
            Class::Floating => nulls,
            Class::Text => nulls || matches!(data_type, DataType::VarChar(_)),
            _ => true,
        };
        if !trusted || !self.stable.contains(&leaf.column) || self.leaves == 0 {
            return None;
        }
        let literals = leaf
            .literals
            .iter()
            .map(|literal| in_type(literal, data_type))
            .collect::<Option<Vec<_>>>()?;
        if op == Op::In {
            if literals.is_empty() {
                return Some(Predicate::AlwaysFalse);
            }
            self.combinations = self.combinations.checked_div(literals.len())?;
            if self.combinations == 0 {
                return None;
            }
        }
        if op == Op::NotIn && literals.len() > self.combinations.min(1_000) {
            return None;
        }
        self.leaves -= 1;
        let builder = PredicateBuilder::new(self.fields);
        let column = leaf.column.as_str();
        let mut literals = literals.into_iter();
        let mut next = || literals.next();
        match op {
            Op::IsNull => builder.is_null(column),
            Op::IsNotNull => builder.is_not_null(column),
            Op::Eq => builder.equal(column, next()?),
            Op::NotEq => builder.not_equal(column, next()?),
            Op::Lt => builder.less_than(column, next()?),
            Op::LtEq => builder.less_or_equal(column, next()?),
            Op::Gt => builder.greater_than(column, next()?),
            Op::GtEq => builder.greater_or_equal(column, next()?),
            Op::Between => builder.between(column, next()?, next()?),
            Op::NotBetween => builder.not_between(column, next()?, next()?),
            Op::StartsWith => builder.starts_with(column, next()?),
            Op::EndsWith => builder.ends_with(column, next()?),
            Op::Contains => builder.contains(column, next()?),
            Op::Like => builder.like(column, next()?, None),
            Op::In => builder.is_in(column, literals.collect()),
            Op::NotIn => builder.is_not_in(column, literals.collect()),
            _ => return None,
        }
        .ok()
    }
}

/// The operator that is true where this one is false, and NULL where this one is.
fn opposite(op: Op) -> Option<Op> {
    Some(match op {
        Op::IsNull => Op::IsNotNull,
        Op::IsNotNull => Op::IsNull,
        Op::Eq => Op::NotEq,
        Op::NotEq => Op::Eq,
        Op::Lt => Op::GtEq,
        Op::LtEq => Op::Gt,
        Op::Gt => Op::LtEq,
        Op::GtEq => Op::Lt,
        Op::In => Op::NotIn,
        Op::NotIn => Op::In,
        Op::Between => Op::NotBetween,
        Op::NotBetween => Op::Between,
        _ => return None,
    })
}

/// The literal as a value of the column's own type, if it is one. The engine hashes literals to find buckets, so a decimal has to have the
/// column's scale, and a timestamp no more digits than the column keeps.
fn in_type(literal: &Datum, data_type: &DataType) -> Option<Datum> {
    let integer = match literal {
        Datum::TinyInt(value) => Some(i64::from(*value)),
        Datum::SmallInt(value) => Some(i64::from(*value)),
        Datum::Int(value) => Some(i64::from(*value)),
        Datum::Long(value) => Some(*value),
        _ => None,
    };
    match (data_type, literal) {
        (DataType::TinyInt(_), _) => Some(Datum::TinyInt(integer?.try_into().ok()?)),
        (DataType::SmallInt(_), _) => Some(Datum::SmallInt(integer?.try_into().ok()?)),
        (DataType::Int(_), _) => Some(Datum::Int(integer?.try_into().ok()?)),
        (DataType::BigInt(_), _) => Some(Datum::Long(integer?)),
        (DataType::Decimal(decimal), Datum::Decimal { unscaled, scale, .. }) => {
            let unscaled = if decimal.scale() >= *scale {
                unscaled.checked_mul(10i128.checked_pow(decimal.scale() - scale)?)?
            } else {
                let factor = 10i128.checked_pow(scale - decimal.scale())?;
                if unscaled % factor != 0 {
                    return None;
                }
                unscaled / factor
            };
            (unscaled.unsigned_abs() < 10u128.checked_pow(decimal.precision())?).then_some(Datum::Decimal {
                unscaled,
                precision: decimal.precision(),
                scale: decimal.scale(),
            })
        }
        (DataType::Timestamp(of), Datum::Timestamp { millis, nanos }) => keeps(of.precision(), *millis, *nanos, literal),
        (DataType::LocalZonedTimestamp(of), Datum::LocalZonedTimestamp { millis, nanos }) => {
            keeps(of.precision(), *millis, *nanos, literal)
        }
        _ => Some(literal.clone()),
    }
}

fn keeps(precision: u32, millis: i64, nanos: i32, literal: &Datum) -> Option<Datum> {
    let unit = 10i128.checked_pow(9u32.checked_sub(precision)?)?;
    let total = i128::from(millis) * 1_000_000 + i128::from(nanos);
    // The engine computes in 64 bits of nanoseconds at the highest precisions.
    (total % unit == 0 && i64::try_from(total).is_ok()).then(|| literal.clone())
}

/// # Safety
/// `str_data` of a string or bytes is NULL or points to `str_len` bytes.
unsafe fn datum(raw: &paimon_datum) -> Result<Datum> {
    fn narrow<T: TryFrom<i64>>(value: i64, what: &str) -> Result<T> {
        T::try_from(value).map_err(|_| Failure::invalid(format!("{value} is no {what}")))
    }
    fn nanos(value: i64) -> Result<i32> {
        match value {
            0..=999_999 => Ok(value as i32),
            _ => Err(Failure::invalid(format!(
                "{value} nanoseconds of a millisecond; want 0 to 999999"
            ))),
        }
    }
    // SAFETY: as the caller promises.
    let bytes = || unsafe { slice(raw.str_data, raw.str_len, "a literal") };
    Ok(match raw.tag {
        0 => Datum::Bool(raw.int_val != 0),
        1 => Datum::TinyInt(narrow(raw.int_val, "TINYINT")?),
        2 => Datum::SmallInt(narrow(raw.int_val, "SMALLINT")?),
        3 => Datum::Int(narrow(raw.int_val, "INT")?),
        4 => Datum::Long(raw.int_val),
        5 => Datum::Float(raw.double_val as f32),
        6 => Datum::Double(raw.double_val),
        7 => Datum::String(
            std::str::from_utf8(bytes()?)
                .map_err(|_| Failure::invalid("a string literal is not valid UTF-8"))?
                .to_string(),
        ),
        8 => Datum::Date(narrow(raw.int_val, "DATE")?),
        9 => match raw.int_val {
            0..=86_399_999 => Datum::Time(raw.int_val as i32),
            other => return Err(Failure::invalid(format!("{other} is no millisecond of a day"))),
        },
        10 => Datum::Timestamp {
            millis: raw.int_val,
            nanos: nanos(raw.int_val2)?,
        },
        11 => Datum::LocalZonedTimestamp {
            millis: raw.int_val,
            nanos: nanos(raw.int_val2)?,
        },
        12 => {
            let unscaled = (i128::from(raw.int_val2) << 64) | i128::from(raw.int_val as u64);
            let (precision, scale) = (raw.uint_val, raw.uint_val2);
            if !(1..=38).contains(&precision) || scale > precision || unscaled.unsigned_abs() >= 10u128.pow(precision) {
                return Err(Failure::invalid(format!(
                    "a decimal literal of precision {precision} and scale {scale} with the unscaled value {unscaled}"
                )));
            }
            Datum::Decimal {
                unscaled,
                precision,
                scale,
            }
        }
        13 => Datum::Bytes(bytes()?.to_vec()),
        tag => return Err(Failure::invalid(format!("a literal has the unknown tag {tag}"))),
    })
}

/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, and what `literals` point to lives for the call.
unsafe fn leaf(
    table: *const paimon_table,
    column: *const c_char,
    op: Op,
    literals: &[paimon_datum],
) -> paimon_result<paimon_predicate> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let (table, column) = unsafe { (borrow(table, "the table")?, text(column, "the column name")?) };
        let leaf = Leaf {
            column: column.to_string(),
            op,
            // SAFETY: as the caller promises.
            literals: literals.iter().map(|raw| unsafe { datum(raw) }).collect::<Result<_>>()?,
        };
        leaf.check(table.shared.table.schema().fields())?;
        Ok(paimon_predicate {
            node: Node::new(Kind::Leaf(leaf))?,
        })
    }))
}

/// `column = literal`. NaN equals NaN, and 0.0 equals -0.0.
/// NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_equal(
    table: *const paimon_table,
    column: *const c_char,
    literal: paimon_datum,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    unsafe { leaf(table, column, Op::Eq, &[literal]) }
}

/// `column <> literal`.
/// NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_not_equal(
    table: *const paimon_table,
    column: *const c_char,
    literal: paimon_datum,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    unsafe { leaf(table, column, Op::NotEq, &[literal]) }
}

/// `column < literal`. NaN is larger than every other number; text and bytes compare byte by byte, unsigned.
/// NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_less_than(
    table: *const paimon_table,
    column: *const c_char,
    literal: paimon_datum,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    unsafe { leaf(table, column, Op::Lt, &[literal]) }
}

/// `column <= literal`.
/// NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_less_or_equal(
    table: *const paimon_table,
    column: *const c_char,
    literal: paimon_datum,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    unsafe { leaf(table, column, Op::LtEq, &[literal]) }
}

/// `column > literal`.
/// NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_greater_than(
    table: *const paimon_table,
    column: *const c_char,
    literal: paimon_datum,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    unsafe { leaf(table, column, Op::Gt, &[literal]) }
}

/// `column >= literal`.
/// NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_greater_or_equal(
    table: *const paimon_table,
    column: *const c_char,
    literal: paimon_datum,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    unsafe { leaf(table, column, Op::GtEq, &[literal]) }
}

/// Text that begins with the literal.
/// NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_starts_with(
    table: *const paimon_table,
    column: *const c_char,
    literal: paimon_datum,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    unsafe { leaf(table, column, Op::StartsWith, &[literal]) }
}

/// Text that ends with the literal.
/// NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_ends_with(
    table: *const paimon_table,
    column: *const c_char,
    literal: paimon_datum,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    unsafe { leaf(table, column, Op::EndsWith, &[literal]) }
}

/// Text that contains the literal.
/// NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_contains(
    table: *const paimon_table,
    column: *const c_char,
    literal: paimon_datum,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    unsafe { leaf(table, column, Op::Contains, &[literal]) }
}

/// `column LIKE literal`: `%` stands for any text, `_` for one character, and a backslash takes the special meaning from the
/// character after it.
/// NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_like(
    table: *const paimon_table,
    column: *const c_char,
    literal: paimon_datum,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    unsafe { leaf(table, column, Op::Like, &[literal]) }
}

/// `column IS NULL`, for columns of every type. Never NULL itself.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_is_null(
    table: *const paimon_table,
    column: *const c_char,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    unsafe { leaf(table, column, Op::IsNull, &[]) }
}

/// `column IS NOT NULL`, for columns of every type. Never NULL itself.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_is_not_null(
    table: *const paimon_table,
    column: *const c_char,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    unsafe { leaf(table, column, Op::IsNotNull, &[]) }
}

/// `column IN (literals)`: NULL where the column is, but false for every row when there are no literals.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, `literals` NULL or `len` literals whose bytes live for the call.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_is_in(
    table: *const paimon_table,
    column: *const c_char,
    literals: *const paimon_datum,
    len: usize,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    match unsafe { slice(literals, len, "the list of literals") } {
        // SAFETY: as the caller promises.
        Ok(literals) => unsafe { leaf(table, column, Op::In, literals) },
        Err(failure) => paimon_result::from(Err(failure)),
    }
}

/// `column NOT IN (literals)`: NULL where the column is, but true for every row when there are no literals.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, `literals` NULL or `len` literals whose bytes live for the call.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_is_not_in(
    table: *const paimon_table,
    column: *const c_char,
    literals: *const paimon_datum,
    len: usize,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    match unsafe { slice(literals, len, "the list of literals") } {
        // SAFETY: as the caller promises.
        Ok(literals) => unsafe { leaf(table, column, Op::NotIn, literals) },
        Err(failure) => paimon_result::from(Err(failure)),
    }
}

/// `low <= column AND column <= high`. NULL where the column is.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, and the literals' bytes live for the call.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_between(
    table: *const paimon_table,
    column: *const c_char,
    low: paimon_datum,
    high: paimon_datum,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    unsafe { leaf(table, column, Op::Between, &[low, high]) }
}

/// `column < low OR column > high`. NULL where the column is.
///
/// # Safety
/// `table` is NULL or live, `column` NULL or NUL-terminated, and the literals' bytes live for the call.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_not_between(
    table: *const paimon_table,
    column: *const c_char,
    low: paimon_datum,
    high: paimon_datum,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    unsafe { leaf(table, column, Op::NotBetween, &[low, high]) }
}

/// True where all of `len` predicates are, one or more of them; NULL counts as unknown. They are borrowed, stay the caller's, and can be
/// freed or used again. One that nests too deep is PAIMON_CODE_INVALID_INPUT.
///
/// # Safety
/// `predicates` is NULL or points to `len` predicates, each NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_and(
    predicates: *const *const paimon_predicate,
    len: usize,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    paimon_result::from(guard(|| unsafe { join(predicates, len, Kind::And) }))
}

/// True where one of `len` predicates is, one or more of them; NULL counts as unknown. They are borrowed, stay the caller's, and can be
/// freed or used again. One that nests too deep is PAIMON_CODE_INVALID_INPUT.
///
/// # Safety
/// `predicates` is NULL or points to `len` predicates, each NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_or(
    predicates: *const *const paimon_predicate,
    len: usize,
) -> paimon_result<paimon_predicate> {
    // SAFETY: as the caller promises.
    paimon_result::from(guard(|| unsafe { join(predicates, len, Kind::Or) }))
}

/// # Safety
/// As for [`paimon_predicate_and`].
unsafe fn join(
    predicates: *const *const paimon_predicate,
    len: usize,
    kind: impl FnOnce(Vec<Arc<Node>>) -> Kind,
) -> Result<paimon_predicate> {
    // SAFETY: as the caller promises.
    let predicates = unsafe { slice(predicates, len, "the predicates")? };
    if predicates.is_empty() {
        return Err(Failure::invalid("no predicates to combine"));
    }
    let mut children = Vec::with_capacity(len);
    for predicate in predicates {
        // SAFETY: as the caller promises.
        children.push(unsafe { borrow(*predicate, "a predicate")? }.node.clone());
    }
    Ok(paimon_predicate {
        node: Node::new(kind(children))?,
    })
}

/// True where the predicate is false, false where it is true, and NULL where it is NULL. The operand is borrowed and stays the caller's.
///
/// # Safety
/// `predicate` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_not(predicate: *const paimon_predicate) -> paimon_result<paimon_predicate> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let predicate = unsafe { borrow(predicate, "the predicate")? };
        Ok(paimon_predicate {
            node: Node::new(Kind::Not(predicate.node.clone()))?,
        })
    }))
}

/// Frees a predicate; what was made from it stays valid. NULL is ignored.
///
/// The functions that make a condition on one column look at the table for the column and its type: a column that is not there is
/// PAIMON_CODE_COLUMN_NOT_EXIST, a literal that the column cannot be compared with PAIMON_CODE_INVALID_INPUT. Literals are borrowed
/// for the call. The caller owns the predicate, which does not hold the table.
///
/// # Safety
/// `predicate` is NULL or a live predicate that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_predicate_free(predicate: *mut paimon_predicate) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(predicate) }
}
