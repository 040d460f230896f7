// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
)

// charted are the measurements that the chart shows.
var charted = []string{
	readNarrow, readWide, readNested, "read strings", "read nulls", "read 5 of 50 columns", "read and merge keys", writeNarrow, "upsert",
}

var colours = map[string]string{ours: "#00838f", rust: "#d9822b", pyRust: "#8e6bbf", py: "#4f7fc4", pq: "#8a8f98", pqAtOnce: "#b9bec6"}

// chart draws times as multiples of this library's, as SVG.
func (r *report) chart() string {
	const (
		left, right, top = 170, 60, 70
		bar, gap         = 11, 14
		width            = 760
		most             = 4.0 // longer bars are cut off, and say how long they are
	)
	scale := func(ratio float64) float64 { return min(ratio, most) / most * (width - left - right) }
	var b, lines strings.Builder
	text := func(x, y float64, anchor, s string) {
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, s)
	}
	y := float64(top)
	for _, name := range charted {
		mine, _, ok := r.median(name, ours, wall)
		if !ok {
			continue
		}
		begin := y
		for _, side := range everybody {
			time, _, ok := r.median(name, side, wall)
			if !ok {
				continue
			}
			fmt.Fprintf(&b, `<rect x="%d" y="%.0f" width="%.1f" height="%d" fill="%s"/>`+"\n", left, y, scale(time/mine), bar-2, colours[side])
			text(left+scale(time/mine)+4, y+bar-3, "start", fmt.Sprintf("%.2f", time/mine))
			y += bar
		}
		text(left-8, (begin+y)/2+3, "end", name)
		y += gap
	}
	for n := range int(most) + 1 {
		x := left + scale(float64(n))
		fmt.Fprintf(&lines, `<line x1="%.0f" y1="%d" x2="%.0f" y2="%.0f" stroke="#000" stroke-opacity="%.2f"/>`+"\n",
			x, top-6, x, y-gap+6, map[bool]float64{true: 0.5, false: 0.12}[n == 1])
	}
	legend := float64(left)
	for _, side := range everybody {
		fmt.Fprintf(&b, `<rect x="%.0f" y="40" width="9" height="9" fill="%s"/>`+"\n", legend, colours[side])
		text(legend+13, 48, "start", side)
		legend += 13 + 6.2*float64(len(side)) + 14
	}
	text(left, 22, "start", "Time as a multiple of this library&#8217;s: shorter is faster")
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" font-family="sans-serif" font-size="10.5" fill="#222">
<!-- SPDX-License-Identifier: Apache-2.0. Drawn by make bench. -->
<rect width="100%%" height="100%%" fill="#fff"/>
%s%s</svg>
`, width, y, lines.String(), b.String())
}
