// SPDX-License-Identifier: Apache-2.0

//! Gives the library a name of its own, so that it does not carry the path it was linked at.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libpaimon_c.so");
    }
}
