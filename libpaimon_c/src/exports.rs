// SPDX-License-Identifier: Apache-2.0

//! Keeps strangers' symbols out of the library's exports.
//!
//! Rust exports whatever any crate below marks `#[no_mangle]`, and a linker takes no second opinion (a version script beside
//! Rust's own is an error to GNU ld, and outranked in lld). But ELF lets every object file lower the visibility of a symbol that
//! another defines: one that is `.hidden` anywhere is hidden in the library, and dropped when nothing inside calls it. On macOS
//! the definition itself has to be marked, which works because link-time optimization makes one object file of all Rust code. The
//! build program fails on an export that is not `paimon_*`, and so tells when a name is missing here.

macro_rules! hide {
    ($($symbol:ident)*) => {
        #[cfg(target_os = "linux")]
        std::arch::global_asm!($(concat!(".hidden ", stringify!($symbol))),*);
        #[cfg(all(target_os = "macos", not(debug_assertions)))]
        std::arch::global_asm!($(concat!(".private_extern _", stringify!($symbol))),*);
    };
}

// crc-fast has a C interface, which opendal's S3 service does not ask for but gets.
hide! {
    crc_fast_checksum
    crc_fast_checksum_combine
    crc_fast_checksum_combine_with_params
    crc_fast_checksum_file
    crc_fast_checksum_file_with_params
    crc_fast_checksum_with_params
    crc_fast_clear_error
    crc_fast_crc32_iscsi
    crc_fast_crc32_iso_hdlc
    crc_fast_crc64_nvme
    crc_fast_digest_combine
    crc_fast_digest_finalize
    crc_fast_digest_finalize_reset
    crc_fast_digest_free
    crc_fast_digest_get_amount
    crc_fast_digest_get_state
    crc_fast_digest_new
    crc_fast_digest_new_with_init_state
    crc_fast_digest_new_with_params
    crc_fast_digest_reset
    crc_fast_digest_update
    crc_fast_error_message
    crc_fast_get_calculator_target
    crc_fast_get_custom_params
    crc_fast_get_last_error
    crc_fast_get_version
}
