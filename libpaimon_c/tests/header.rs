// SPDX-License-Identifier: Apache-2.0

//! The header from a C compiler's side, and a C program that needs nothing else.

use std::path::{Path, PathBuf};
use std::process::Command;

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder below the target folder, new and empty.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a program and returns what it prints.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_header_compiles() {
    let header = crate_folder().join("include/paimon.h");
    for (compiler, language, standards) in [("cc", "c", ["c99", "c11"]), ("c++", "c++", ["c++11", "c++17"])] {
        for standard in standards {
            run(Command::new(compiler)
                .args(["-fsyntax-only", "-Wall", "-Wextra", "-pedantic", "-Werror", "-x", language])
                .arg(format!("-std={standard}"))
                .arg(&header));
        }
    }
}

/// A name that does not begin with paimon_ or PAIMON_ may be one of the program's own.
#[test]
fn the_header_keeps_to_its_names() {
    let header = std::fs::read_to_string(crate_folder().join("include/paimon.h")).unwrap();
    for line in header.lines() {
        if let Some(name) = line.strip_prefix("#define ") {
            assert!(name.starts_with("PAIMON_"), "{line}");
        } else if let Some(line) = line
            .strip_suffix(';')
            .filter(|line| line.starts_with("typedef ") || line.starts_with("} "))
        {
            let name = line.rsplit(' ').next().unwrap();
            assert!(name.starts_with("paimon_"), "{line}");
        }
    }
}

#[test]
fn a_c_program_works() {
    // Cargo builds the library beside the tests, and nowhere else when it only tests.
    let tests = std::env::current_exe().unwrap();
    let libraries = tests.parent().unwrap();
    let folder = scratch("smoke");
    let program = folder.join("smoke");
    run(Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-g"])
        .arg("-I")
        .arg(crate_folder().join("include"))
        .arg(crate_folder().join("tests/smoke.c"))
        .arg("-L")
        .arg(libraries)
        .args(["-lpaimon_c", "-o"])
        .arg(&program));
    let output = run(Command::new(&program)
        .arg(folder.join("warehouse"))
        .env("LD_LIBRARY_PATH", libraries)
        .env("DYLD_LIBRARY_PATH", libraries));
    assert_eq!(output, "1 alice\n2 bob\n");
}
