// SPDX-License-Identifier: Apache-2.0

package libffi

import _ "embed"

//go:embed prebuilt/linux_amd64/libffi.so.8
var image []byte
