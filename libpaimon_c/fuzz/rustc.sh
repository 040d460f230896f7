#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# For RUSTC_WRAPPER: instruments our own code for libFuzzer and nothing below it, so that dependencies that are built stay in use,
# and the toolchain is the library's own.
case " $* " in
*" --crate-name paimon_c "* | *" --crate-name paimon_c_fuzz "* | *" fuzz_targets/"*)
	exec "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
		-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares
	;;
*) exec "$@" ;;
esac
