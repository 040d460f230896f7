// SPDX-License-Identifier: Apache-2.0

//! Gives the library a name of its own, so that it does not carry the path it was linked at. For macOS it also shows the linker
//! where a build on another system finds what it has to know of the system's frameworks.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libpaimon_c.so"),
        Ok("macos") => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libpaimon_c.dylib");
            if !cfg!(target_os = "macos") {
                // Keeps no names but those that other libraries have or ask for.
                println!("cargo:rustc-cdylib-link-arg=-Wl,-x");
                println!("cargo:rustc-cdylib-link-arg=-F{}/frameworks", env!("CARGO_MANIFEST_DIR"));
            }
        }
        _ => {}
    }
}
