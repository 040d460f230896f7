// SPDX-License-Identifier: Apache-2.0

//go:build !paimon_debug

package paimon

// A leakWatch watches only under the build tag paimon_debug. Otherwise leaks are counted, by library.live.
type leakWatch struct{}

func watchLeak[T any](*T, any, string) leakWatch { return leakWatch{} }

func (leakWatch) stop() {}
