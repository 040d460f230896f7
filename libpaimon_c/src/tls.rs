// SPDX-License-Identifier: Apache-2.0

//! Certificates of servers: whether this machine has any to trust, and what to say when a server's is not trusted.

use crate::error::Result;

/// Fails where no certificate bundle is found and the place is an object store's. The engine's client for those does not start without
/// one, panics instead, and does so for good in this process, even at an http endpoint.
#[cfg(target_os = "linux")]
pub fn check_bundle(place: &str) -> Result<()> {
    use std::sync::atomic::{AtomicBool, Ordering};

    use crate::error::{Failure, PAIMON_CODE_IO_ERROR};

    static FOUND: AtomicBool = AtomicBool::new(false);
    let scheme = place.split_once("://").map_or("", |(scheme, _)| scheme).to_ascii_lowercase();
    let plain = matches!(
        scheme.as_str(),
        "" | "file" | "fs" | "memory" | "hdfs" | "hdfs-native" | "hdfs_native"
    );
    if plain || FOUND.load(Ordering::Relaxed) {
        return Ok(());
    }
    match missing() {
        Some(why) => Err(Failure::new(
            PAIMON_CODE_IO_ERROR,
            format!("cannot open {scheme} storage: {why}"),
        )),
        None => {
            FOUND.store(true, Ordering::Relaxed);
            Ok(())
        }
    }
}

/// Elsewhere the system keeps the certificates.
#[cfg(not(target_os = "linux"))]
pub fn check_bundle(_place: &str) -> Result<()> {
    Ok(())
}

/// Says that there are no certificates, if there are none.
#[cfg(target_os = "linux")]
fn missing() -> Option<String> {
    let found = rustls_native_certs::load_native_certs();
    let (usable, _) = rustls::RootCertStore::empty().add_parsable_certificates(found.certs);
    let why: String = found.errors.iter().map(|error| format!(" ({error})")).collect();
    (usable == 0).then(|| {
        format!(
            "no TLS certificate bundle was found{why}; install the system's ca-certificates, or set the environment variable SSL_CERT_FILE \
             to a file of certificates in PEM"
        )
    })
}

#[cfg(not(target_os = "linux"))]
fn missing() -> Option<String> {
    None
}

/// What helps when the server's certificate was signed by nobody known here.
pub fn untrusted() -> String {
    missing().unwrap_or_else(|| {
        "who signed the server's certificate is not known here; set the environment variable SSL_CERT_FILE to a file with the \
         certificates to trust, in PEM"
            .into()
    })
}
