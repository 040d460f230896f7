// SPDX-License-Identifier: Apache-2.0

//! From engine errors and panics to `paimon_error`.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ffi::{c_char, CStr};
use std::future::{poll_fn, Future};
use std::panic::{catch_unwind, AssertUnwindSafe, Location};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Once;
use std::task::Poll;

use paimon::api::rest_error::RestError;
use paimon::Error;

use crate::handle;
use crate::runtime::WORKER;
use crate::tls;
use crate::types::paimon_bytes;

/// An error. `code` is one of PAIMON_CODE_*; `message` is UTF-8 text for people and never empty. The caller owns it and gives
/// it to `paimon_error_free`.
#[repr(C)]
pub struct paimon_error {
    pub code: i32,
    pub message: paimon_bytes,
}

// Codes below 100 are classes. A finer kind is its class times 100 plus a number, so that a caller that does not know the kind
// still knows the class: `code < 100 ? code : code / 100`. Codes are appended, never renumbered.

/// A failure that fits no other class, a caught panic among them.
pub const PAIMON_CODE_UNEXPECTED: i32 = 0;
/// The engine or this library cannot do what was asked.
pub const PAIMON_CODE_UNSUPPORTED: i32 = 1;
/// The named object does not exist.
pub const PAIMON_CODE_NOT_FOUND: i32 = 2;
/// The named object exists already.
pub const PAIMON_CODE_ALREADY_EXIST: i32 = 3;
/// An argument, an option or the data given is wrong.
pub const PAIMON_CODE_INVALID_INPUT: i32 = 4;
/// Storage failed.
pub const PAIMON_CODE_IO_ERROR: i32 = 5;
/// A memory budget was used up, or the threads that the process may have.
pub const PAIMON_CODE_RESOURCE_EXHAUSTED: i32 = 6;
/// Another writer committed first, and nothing of this commit is visible. Commit the same messages again; if what they rest on is
/// gone, which fails in the same way, write the data again.
pub const PAIMON_CODE_COMMIT_CONFLICT: i32 = 7;
/// The call was called off, and changed nothing.
pub const PAIMON_CODE_CANCELLED: i32 = 8;
/// A change was called off when it was under way: it may have been made or not.
pub const PAIMON_CODE_OUTCOME_UNKNOWN: i32 = 9;
/// A kind of PAIMON_CODE_IO_ERROR: the storage does not allow it.
pub const PAIMON_CODE_PERMISSION_DENIED: i32 = 501;
/// A kind of PAIMON_CODE_NOT_FOUND: the database.
pub const PAIMON_CODE_DATABASE_NOT_EXIST: i32 = 201;
/// A kind of PAIMON_CODE_NOT_FOUND: the table.
pub const PAIMON_CODE_TABLE_NOT_EXIST: i32 = 202;
/// A kind of PAIMON_CODE_NOT_FOUND: the column.
pub const PAIMON_CODE_COLUMN_NOT_EXIST: i32 = 203;
/// A kind of PAIMON_CODE_NOT_FOUND: the snapshot.
pub const PAIMON_CODE_SNAPSHOT_NOT_EXIST: i32 = 204;
/// A kind of PAIMON_CODE_NOT_FOUND: the tag.
pub const PAIMON_CODE_TAG_NOT_EXIST: i32 = 205;
/// A kind of PAIMON_CODE_NOT_FOUND: the branch.
pub const PAIMON_CODE_BRANCH_NOT_EXIST: i32 = 206;
/// A kind of PAIMON_CODE_ALREADY_EXIST: the database.
pub const PAIMON_CODE_DATABASE_ALREADY_EXIST: i32 = 301;
/// A kind of PAIMON_CODE_ALREADY_EXIST: the table.
pub const PAIMON_CODE_TABLE_ALREADY_EXIST: i32 = 302;
/// A kind of PAIMON_CODE_ALREADY_EXIST: the column.
pub const PAIMON_CODE_COLUMN_ALREADY_EXIST: i32 = 303;
/// A kind of PAIMON_CODE_ALREADY_EXIST: the tag.
pub const PAIMON_CODE_TAG_ALREADY_EXIST: i32 = 305;
/// A kind of PAIMON_CODE_ALREADY_EXIST: the branch.
pub const PAIMON_CODE_BRANCH_ALREADY_EXIST: i32 = 306;
/// A kind of PAIMON_CODE_INVALID_INPUT: the database still holds tables.
pub const PAIMON_CODE_DATABASE_NOT_EMPTY: i32 = 401;
/// A kind of PAIMON_CODE_INVALID_INPUT: the snapshot that a read was to travel to does not exist.
pub const PAIMON_CODE_TRAVEL_SNAPSHOT_NOT_EXIST: i32 = 404;
/// A kind of PAIMON_CODE_INVALID_INPUT: the tag that a read was to travel to does not exist.
pub const PAIMON_CODE_TRAVEL_TAG_NOT_EXIST: i32 = 405;

pub type Result<T> = std::result::Result<T, Failure>;

/// A failure on its way out.
#[derive(Debug)]
pub struct Failure {
    pub code: i32,
    pub message: String,
}

impl Failure {
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        let message = without_queries(message.into());
        Self {
            code,
            message: if message.is_empty() { "no details".into() } else { message },
        }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(PAIMON_CODE_INVALID_INPUT, message)
    }

    pub fn unexpected(message: impl Into<String>) -> Self {
        Self::new(PAIMON_CODE_UNEXPECTED, message)
    }

    /// The failure of reading something stored. What the engine then calls invalid is not the caller's input but what it found.
    pub fn stored(error: Error) -> Self {
        let corrupt = matches!(
            error,
            Error::DataInvalid { .. }
                | Error::DataUnexpected { .. }
                | Error::ParquetDataUnexpected { .. }
                | Error::UnexpectedError { .. }
                | Error::FileIndexFormatInvalid { .. }
        );
        let failure = Failure::from(error);
        let corrupt = corrupt && !failure.message.starts_with("Option '"); // one that cannot be understood
        match failure.code {
            PAIMON_CODE_INVALID_INPUT | PAIMON_CODE_UNEXPECTED if corrupt => Self::new(PAIMON_CODE_IO_ERROR, failure.message),
            _ => failure,
        }
    }

    /// [`Failure::stored`], with what was read.
    pub fn reading(error: Error, what: impl std::fmt::Display) -> Self {
        let failure = Self::stored(error);
        Self::new(failure.code, format!("cannot read {what}: {}", failure.message))
    }

    /// Names the way out when the texts or bytes of one batch are more than 32-bit offsets can tell apart, for which the engine's
    /// readers have no error of their own: Parquet's fails to decode, Avro's panics.
    pub fn of_batch(self) -> Self {
        let overflows = [
            "index overflow decoding byte array",
            "byte array offset overflow",
            "Offset overflow",
        ];
        if !overflows.iter().any(|text| self.message.contains(text)) {
            return self;
        }
        Self::new(
            PAIMON_CODE_RESOURCE_EXHAUSTED,
            "the values of a column are more than 2 GiB in one batch; set the table's option 'read.batch-size' to fewer rows (it is 1024 or more if not set)",
        )
    }

    pub fn give(self) -> *mut paimon_error {
        handle::give(paimon_error {
            code: self.code,
            message: paimon_bytes::from_vec(self.message.into_bytes()),
        })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = code_of(&error);
        let text = text_of(&error);
        Self::new(
            code,
            match way_out(&text) {
                Some(way) => format!("{text}; {way}"),
                None => text,
            },
        )
    }
}

fn code_of(error: &Error) -> i32 {
    match error {
        Error::ResourceExhausted { .. } => PAIMON_CODE_RESOURCE_EXHAUSTED,
        Error::Unsupported { .. } | Error::IoUnsupported { .. } | Error::ProcessForkUnsupported { .. } => PAIMON_CODE_UNSUPPORTED,
        Error::DatabaseNotExist { .. } => PAIMON_CODE_DATABASE_NOT_EXIST,
        Error::TableNotExist { .. } => PAIMON_CODE_TABLE_NOT_EXIST,
        Error::ColumnNotExist { .. } => PAIMON_CODE_COLUMN_NOT_EXIST,
        Error::SnapshotNotExist { .. } => PAIMON_CODE_SNAPSHOT_NOT_EXIST,
        Error::TagNotExist { .. } => PAIMON_CODE_TAG_NOT_EXIST,
        Error::ViewNotExist { .. } | Error::FunctionNotExist { .. } => PAIMON_CODE_NOT_FOUND,
        Error::DatabaseAlreadyExist { .. } => PAIMON_CODE_DATABASE_ALREADY_EXIST,
        Error::TableAlreadyExist { .. } => PAIMON_CODE_TABLE_ALREADY_EXIST,
        Error::ColumnAlreadyExist { .. } => PAIMON_CODE_COLUMN_ALREADY_EXIST,
        Error::TagAlreadyExist { .. } => PAIMON_CODE_TAG_ALREADY_EXIST,
        Error::ViewAlreadyExist { .. } | Error::FunctionAlreadyExist { .. } => PAIMON_CODE_ALREADY_EXIST,
        Error::DatabaseNotEmpty { .. } => PAIMON_CODE_DATABASE_NOT_EMPTY,
        Error::DataInvalid { message, .. } if is_commit_conflict(message) => PAIMON_CODE_COMMIT_CONFLICT,
        // The engine reports corrupt files and wrong arguments alike as invalid data.
        Error::DataInvalid { message, .. } => code_of_storage(message).unwrap_or(PAIMON_CODE_INVALID_INPUT),
        Error::DataTypeInvalid { .. } | Error::ConfigInvalid { .. } | Error::IdentifierInvalid { .. } => {
            PAIMON_CODE_INVALID_INPUT
        }
        Error::IoUnexpected { source, .. } => match source.kind() {
            opendal::ErrorKind::NotFound => PAIMON_CODE_NOT_FOUND,
            opendal::ErrorKind::ConfigInvalid => PAIMON_CODE_INVALID_INPUT,
            opendal::ErrorKind::Unsupported => PAIMON_CODE_UNSUPPORTED,
            opendal::ErrorKind::PermissionDenied => PAIMON_CODE_PERMISSION_DENIED,
            _ => PAIMON_CODE_IO_ERROR,
        },
        Error::RestApi { source } => match source {
            RestError::NoSuchResource { .. } => PAIMON_CODE_NOT_FOUND,
            RestError::AlreadyExists { .. } => PAIMON_CODE_ALREADY_EXIST,
            RestError::BadRequest { .. } => PAIMON_CODE_INVALID_INPUT,
            RestError::NotImplemented { .. } => PAIMON_CODE_UNSUPPORTED,
            _ => PAIMON_CODE_IO_ERROR,
        },
        // The client of REST catalogs has no error of its own for a server that is not there, or answers nonsense.
        Error::UnexpectedError { message, .. } if of_rest_client(message) => PAIMON_CODE_IO_ERROR,
        // A wrapper may hide an engine error with a code of its own.
        Error::UnexpectedError {
            source: Some(source), ..
        } => source
            .downcast_ref::<Error>()
            .map_or(PAIMON_CODE_UNEXPECTED, |inner| match code_of(inner) {
                // Wrapped, a conflict is no longer certain: the engine says so of a commit whose outcome it does not know.
                PAIMON_CODE_COMMIT_CONFLICT => PAIMON_CODE_UNEXPECTED,
                code => code,
            }),
        _ => PAIMON_CODE_UNEXPECTED,
    }
}

/// The writers of files call invalid what storage failed at, and keep of it the text alone: "External: Unexpected (temporary) at write,
/// context: { service: fs, ...".
fn code_of_storage(message: &str) -> Option<i32> {
    let (said, context) = message.split_once(", context: { ")?;
    if !context.contains("service: ") {
        return None;
    }
    let (kind, _) = [" (permanent) at ", " (temporary) at ", " (persistent) at "]
        .iter()
        .find_map(|status| said.rsplit_once(status))?;
    Some(if kind.ends_with("PermissionDenied") {
        PAIMON_CODE_PERMISSION_DENIED
    } else if kind.ends_with("NotFound") {
        PAIMON_CODE_NOT_FOUND
    } else {
        PAIMON_CODE_IO_ERROR
    })
}

/// The engine has no error of its own for a lost race; it reports invalid data, and only the text tells. The tests provoke
/// each of these texts, so that a change of the engine's wording is noticed.
fn is_commit_conflict(message: &str) -> bool {
    message.contains("there may exist commit conflicts")
        || message.starts_with("Delete conflict:")
        || message.starts_with("Row ID conflict:")
        || message.starts_with("Row ID existence conflict:")
        || (message.starts_with("Postpone fixed-bucket ") && message.contains("conflict") && message.contains("another commit"))
}

fn of_rest_client(message: &str) -> bool {
    matches!(
        message,
        "http get failed"
            | "http post failed"
            | "http delete failed"
            | "failed to read response"
            | "failed to parse empty response"
            | "failed to parse json"
    )
}

/// The engine's text without its prefixes, followed by the causes that the text does not already contain.
fn text_of(error: &Error) -> String {
    let mut text = match error {
        Error::DataInvalid { message, .. }
        | Error::Unsupported { message }
        | Error::UnexpectedError { message, .. }
        | Error::DataTypeInvalid { message }
        | Error::IoUnexpected { message, .. }
        | Error::IoUnsupported { message }
        | Error::ConfigInvalid { message }
        | Error::IdentifierInvalid { message }
        | Error::DataUnexpected { message, .. }
        | Error::ParquetDataUnexpected { message, .. }
        | Error::ResourceExhausted { message } => message.clone(),
        other => other.to_string(),
    };
    let mut cause = cause_of(error);
    while let Some(inner) = cause {
        let said = match inner.downcast_ref::<Error>() {
            Some(inner) => text_of(inner),
            None => inner.to_string(),
        };
        if !said.is_empty() && !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = if inner.is::<Error>() { None } else { inner.source() };
    }
    text
}

/// Takes the queries off the web addresses in a message: they may hold a signature or a token.
fn without_queries(message: String) -> String {
    if !message.contains("://") || !message.contains('?') {
        return message;
    }
    let words = message.split_inclusive(char::is_whitespace).map(|word| {
        let query = word.find("://").and_then(|at| word[at..].find('?').map(|from| at + from));
        query.map_or_else(
            || word.to_string(),
            |at| {
                let end = word
                    .trim_end_matches(|end: char| end.is_whitespace() || ",;:.)]}'\"`".contains(end))
                    .len();
                format!("{}{}", &word[..at], &word[end.max(at + 1)..])
            },
        )
    });
    words.collect()
}

/// What the caller can do about a failure of storage that does not say so itself.
fn way_out(text: &str) -> Option<String> {
    // As it stands in the text, the options that hold the credentials, and that which holds the endpoint.
    const SERVICES: [(&str, &str, &str); 6] = [
        ("service: s3", "'s3.access-key' and 's3.secret-key'", "'s3.endpoint'"),
        (
            "service: oss",
            "'fs.oss.accessKeyId' and 'fs.oss.accessKeySecret'",
            "'fs.oss.endpoint'",
        ),
        ("service: gcs", "'gcs.credential' or 'gcs.credential-path'", "'gcs.endpoint'"),
        (
            "service: azdls",
            "'azure.account-name' and 'azure.account-key', or 'azure.sas-token'",
            "'azure.endpoint'",
        ),
        (
            "service: cos",
            "'fs.cosn.userinfo.secretId' and 'fs.cosn.userinfo.secretKey'",
            "'fs.cosn.endpoint'",
        ),
        (
            "service: obs",
            "'fs.obs.access.key' and 'fs.obs.secret.key'",
            "'fs.obs.endpoint'",
        ),
    ];
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let service = SERVICES.iter().find(|(service, ..)| text.contains(service));
    if says(&["region is missing"]) {
        return Some("set the option 's3.region'".into());
    }
    if says(&["failed to load signing credential"]) {
        return service.map(|(_, credentials, _)| format!("set the options {credentials}"));
    }
    if says(&["endpoint is empty"]) {
        return service.map(|(.., endpoint)| format!("set the option {endpoint}"));
    }
    if says(&["invalid IPv4 address"]) && says(&["service: s3"]) {
        return Some("at an address without a name set the option 's3.path-style-access' to true".into());
    }
    if says(&["InvalidContentType", "wrong version number"]) {
        return Some("the server does not speak TLS; an endpoint without it begins with http://".into());
    }
    if says(&[
        "UnknownIssuer",
        "local issuer certificate",
        "self-signed certificate",
        "self signed certificate",
    ]) {
        return Some(tls::untrusted());
    }
    if says(&["client error (Connect)", "dns error"]) {
        return Some(match service {
            Some((.., endpoint)) => format!("look at the option {endpoint}"),
            None => "look at the option 'uri'".into(),
        });
    }
    None
}

fn cause_of(error: &Error) -> Option<&(dyn std::error::Error + 'static)> {
    match error {
        // Not declared as a source by the engine, but kept.
        Error::UnexpectedError { source, .. } => source.as_deref().map(|s| s as &(dyn std::error::Error + 'static)),
        Error::IoUnexpected { source, .. } => Some(source.as_ref()),
        other => std::error::Error::source(other),
    }
}

/// What a panic begins with that stands for memory that is not there.
pub const NO_MEMORY: &str = "there is not enough memory for";

/// Whether there was such a panic since this was last asked: one in a task of the engine shows as an end that comes too early.
pub static NO_MEMORY_SEEN: AtomicBool = AtomicBool::new(false);

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static PANIC_AT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `body`, turning a panic into a failure. Every exported function goes through here.
pub fn guard<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    static HOOK: Once = Once::new();
    // The hook belongs to this library's own copy of the Rust runtime: other Rust code in the process has another. What
    // panics under a guard, or in a task on a worker thread, becomes an error, so nothing is printed.
    HOOK.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if GUARDED.get() {
                PANIC_AT.set(info.location().map(Location::to_string));
            } else if std::thread::current().name() != Some(WORKER) {
                told(info);
            }
        }));
        // A damaged file may ask for more memory than there is.
        std::alloc::set_alloc_error_hook(|layout| {
            NO_MEMORY_SEEN.store(true, Ordering::SeqCst);
            panic!("{NO_MEMORY} {} bytes", layout.size())
        });
    });
    let outer = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(body));
    GUARDED.set(outer);
    outcome.unwrap_or_else(|panic| {
        let text = panic_text(panic.as_ref());
        if text.starts_with(NO_MEMORY) {
            return Err(Failure::new(PAIMON_CODE_RESOURCE_EXHAUSTED, text));
        }
        Err(Failure::unexpected(match PANIC_AT.take() {
            Some(at) => format!("internal error at {at}: {text}"),
            None => format!("internal error: {text}"),
        }))
    })
}

/// [`guard`] for a future: each time that it goes on it does so under one, and a panic ends it.
pub async fn guard_future<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let mut future = pin!(future);
    poll_fn(|context| match guard(|| Ok(future.as_mut().poll(context))) {
        Ok(poll) => poll,
        Err(failure) => Poll::Ready(Err(failure)),
    })
    .await
}

/// [`guard`] for functions that return nothing but an error.
pub fn guard_void(body: impl FnOnce() -> Result<()>) -> *mut paimon_error {
    match guard(body) {
        Ok(()) => std::ptr::null_mut(),
        Err(failure) => failure.give(),
    }
}

/// [`guard`] for frees: a destructor that panics has nobody to tell.
pub fn guard_free(body: impl FnOnce()) {
    let _ = guard(|| {
        body();
        Ok(())
    });
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        (*text).to_string()
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text.clone()
    } else {
        "panic".to_string()
    }
}

/// Borrows an object or says which one is NULL.
///
/// # Safety
/// `pointer` is NULL or points to a live `T` that outlives the call.
pub unsafe fn borrow<'a, T>(pointer: *const T, what: &str) -> Result<&'a T> {
    // SAFETY: the caller vouches for a pointer that is not NULL.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::invalid(format!("{what} is NULL")))
}

/// Borrows a NUL-terminated UTF-8 string.
///
/// # Safety
/// `pointer` is NULL or points to a NUL-terminated string that outlives the call.
pub unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str> {
    if pointer.is_null() {
        return Err(Failure::invalid(format!("{what} is NULL")));
    }
    // SAFETY: not NULL, and the caller vouches for the terminator.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str()
        .map_err(|_| Failure::invalid(format!("{what} is not valid UTF-8")))
}

/// Borrows an array; NULL is allowed when it is empty.
///
/// # Safety
/// `pointer` is NULL or points to `len` values that outlive the call.
pub unsafe fn slice<'a, T>(pointer: *const T, len: usize, what: &str) -> Result<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(Failure::invalid(format!("{what} is NULL but its length is {len}")));
    }
    if len > isize::MAX as usize / std::mem::size_of::<T>().max(1) {
        return Err(Failure::invalid(format!("{what} has an impossible length, {len}")));
    }
    // SAFETY: not NULL, the length fits an allocation, and the caller vouches for the values.
    Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
}

/// Frees an error. NULL is ignored.
///
/// # Safety
/// `error` is NULL or an error from this library that was not freed before.
#[no_mangle]
pub unsafe extern "C" fn paimon_error_free(error: *mut paimon_error) {
    guard_free(|| {
        // SAFETY: the caller gives back an error that this library gave, once.
        if let Some(error) = unsafe { handle::take(error) } {
            // SAFETY: give() made the message with from_vec.
            unsafe { error.message.reclaim() };
        }
    });
}

/// Frees bytes that this library returned. `{NULL, 0}` is ignored.
///
/// # Safety
/// `bytes` comes from this library and was not freed before.
#[no_mangle]
pub unsafe extern "C" fn paimon_bytes_free(bytes: paimon_bytes) {
    // SAFETY: as the caller promises.
    guard_free(|| unsafe { bytes.reclaim() });
}
