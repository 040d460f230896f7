// SPDX-License-Identifier: Apache-2.0

// Package libffi makes libffi.so.8 known to the process before github.com/jupiterrider/ffi looks for it, which panics when it finds
// none. Where the system has one, it is that; otherwise one that is embedded here.
//
// It stands on the order in which Go initializes packages: of those whose imports are ready, the one whose import path sorts first. The
// path of this one sorts before the other's, and it imports nothing that the other does not import too, directly or not, or that
// sorts before both. Vendoring and replace directives keep import paths; who renames the module to something that sorts after
// github.com/jupiterrider loses the effect. TestLibffiComesFirst in the main package watches over it.
//
// On platforms other than linux/amd64 and linux/arm64 it does nothing: for macOS the other package carries libffi itself.
package libffi
