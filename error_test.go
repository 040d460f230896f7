// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

// Every native code gives an error that matches its class, its kind and the standard library's error, and nothing else.
func TestErrorMatching(t *testing.T) {
	targets := []error{
		CodeUnexpected, CodeUnsupported, CodeNotFound, CodeAlreadyExist, CodeInvalidInput, CodeIoError, CodeResourceExhausted, CodeCommitConflict,
		ErrDatabaseNotExist, ErrTableNotExist, ErrColumnNotExist, ErrSnapshotNotExist, ErrTagNotExist,
		ErrDatabaseAlreadyExist, ErrTableAlreadyExist, ErrColumnAlreadyExist, ErrTagAlreadyExist, ErrDatabaseNotEmpty, ErrCommitConflict,
		ErrClosed, ErrNegativeLimit, ErrUnsupportedPlatform, ErrABIMismatch, fs.ErrNotExist, fs.ErrExist, errors.ErrUnsupported,
		ErrBranchNotExist, ErrBranchAlreadyExist, ErrPermissionDenied, fs.ErrPermission,
	}
	tests := []struct {
		code    int32
		class   ErrorCode
		matches []error
	}{
		{0, CodeUnexpected, []error{CodeUnexpected}},
		{1, CodeUnsupported, []error{CodeUnsupported, errors.ErrUnsupported}},
		{2, CodeNotFound, []error{CodeNotFound, fs.ErrNotExist}},
		{3, CodeAlreadyExist, []error{CodeAlreadyExist, fs.ErrExist}},
		{4, CodeInvalidInput, []error{CodeInvalidInput}},
		{5, CodeIoError, []error{CodeIoError}},
		{6, CodeResourceExhausted, []error{CodeResourceExhausted}},
		{7, CodeCommitConflict, []error{CodeCommitConflict, ErrCommitConflict}},
		{201, CodeNotFound, []error{CodeNotFound, fs.ErrNotExist, ErrDatabaseNotExist}},
		{202, CodeNotFound, []error{CodeNotFound, fs.ErrNotExist, ErrTableNotExist}},
		{203, CodeNotFound, []error{CodeNotFound, fs.ErrNotExist, ErrColumnNotExist}},
		{204, CodeNotFound, []error{CodeNotFound, fs.ErrNotExist, ErrSnapshotNotExist}},
		{205, CodeNotFound, []error{CodeNotFound, fs.ErrNotExist, ErrTagNotExist}},
		{301, CodeAlreadyExist, []error{CodeAlreadyExist, fs.ErrExist, ErrDatabaseAlreadyExist}},
		{302, CodeAlreadyExist, []error{CodeAlreadyExist, fs.ErrExist, ErrTableAlreadyExist}},
		{303, CodeAlreadyExist, []error{CodeAlreadyExist, fs.ErrExist, ErrColumnAlreadyExist}},
		{305, CodeAlreadyExist, []error{CodeAlreadyExist, fs.ErrExist, ErrTagAlreadyExist}},
		{206, CodeNotFound, []error{CodeNotFound, fs.ErrNotExist, ErrBranchNotExist}},
		{306, CodeAlreadyExist, []error{CodeAlreadyExist, fs.ErrExist, ErrBranchAlreadyExist}},
		{404, CodeInvalidInput, []error{CodeInvalidInput, ErrSnapshotNotExist}},
		{405, CodeInvalidInput, []error{CodeInvalidInput, ErrTagNotExist}},
		{501, CodeIoError, []error{CodeIoError, ErrPermissionDenied, fs.ErrPermission}},
		{401, CodeInvalidInput, []error{CodeInvalidInput, ErrDatabaseNotEmpty}},
		{299, CodeNotFound, []error{CodeNotFound, fs.ErrNotExist}}, // a kind of a later library
		{17, ErrorCode(17), []error{ErrorCode(17)}},                // a class of a later library
	}
	for _, test := range tests {
		err := fmt.Errorf("wrapped: %w", nativeError("get table", "db.t", test.code, "details"))
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("code %d: not an *Error: %v", test.code, err)
		}
		if e.Code() != test.class || e.Op() != "get table" || e.Object() != "db.t" || e.Message() != "details" {
			t.Errorf("code %d: got code %d, op %q, object %q, message %q", test.code, e.Code(), e.Op(), e.Object(), e.Message())
		}
		want := make(map[error]bool)
		for _, target := range test.matches {
			want[target] = true
			if !errors.Is(err, target) {
				t.Errorf("code %d: does not match %v", test.code, target)
			}
		}
		for _, target := range targets {
			if got := errors.Is(err, target); got != want[target] {
				t.Errorf("code %d: errors.Is(err, %v) = %v", test.code, target, got)
			}
		}
	}
}

// A sentinel matches its class as well, by itself.
func TestSentinelMatchesClass(t *testing.T) {
	tests := []struct{ sentinel, class error }{
		{ErrTableNotExist, CodeNotFound},
		{ErrTableNotExist, fs.ErrNotExist},
		{ErrTagAlreadyExist, CodeAlreadyExist},
		{ErrTagAlreadyExist, fs.ErrExist},
		{ErrUnsupportedPlatform, errors.ErrUnsupported},
		{ErrClosed, CodeInvalidInput},
	}
	for _, test := range tests {
		if !errors.Is(test.sentinel, test.class) {
			t.Errorf("%v does not match %v", test.sentinel, test.class)
		}
	}
	if errors.Is(ErrTableNotExist, ErrDatabaseNotExist) {
		t.Error("kinds of one class match each other")
	}
}

func TestErrorText(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{nativeError("get table", "db.t", 202, "Table db.t does not exist."), "paimon: get table db.t: table does not exist: Table db.t does not exist."},
		{nativeError("read", "db.t", 5, "disk"), "paimon: read db.t: I/O error: disk"},
		{nativeError("read", "", 17, ""), "paimon: read: code(17)"},
		{ofKind("plan", "db.t", ErrClosed, ""), "paimon: plan db.t: use of a closed handle"},
		{invalidInput("write", "db.t", "column %q", "x"), `paimon: write db.t: invalid input: column "x"`},
	}
	for _, test := range tests {
		if got := test.err.Error(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
