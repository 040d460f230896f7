// SPDX-License-Identifier: Apache-2.0

//! The C ABI behind the Go package `paimon`.
//!
//! The contract of every function (ownership, threads, errors) is its doc comment, which is also what the generated header
//! `include/paimon.h` says. Three rules hold for the whole crate:
//!
//! - every exported function runs inside [`error::guard`], so that no panic crosses the boundary;
//! - every object handed out is born in [`handle::give`] and dies in [`handle::release`], which count it;
//! - every error leaves through [`error::Failure`], the one place that turns engine errors into codes.

#![feature(alloc_error_hook)]
#![allow(non_camel_case_types)]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]
#![deny(clippy::missing_safety_doc)]

pub mod abi;
pub mod alloc;
pub mod alter;
pub mod arrow;
mod avro_rows;
#[cfg(feature = "bench")]
pub mod bench;
pub mod blob;
pub mod cancel;
pub mod catalog;
pub mod conform;
pub mod error;
mod exports;
pub mod filter;
pub mod handle;
pub mod predicate;
pub mod read;
pub mod reader;
pub mod resource;
pub mod runtime;
mod signals;
pub mod supported;
pub mod system;
pub mod table;
pub mod tag;
mod tls;
pub mod types;
pub mod write;

#[cfg(test)]
mod tests;
