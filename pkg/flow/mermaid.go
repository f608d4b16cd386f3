package flow

import (
	"fmt"
	"strings"
)

// Mermaid prints the graph as a Mermaid flowchart: nodes in the order in which
// they were given, edges in the order in which they are tried.
func (g *Graph[S]) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	fmt.Fprintf(&b, "    START([START]) --> %s\n", g.start)
	for _, n := range g.order {
		for _, e := range g.edges[n] {
			to := e.To
			if to == End {
				to = "END([END])"
			}
			if e.Label == "" {
				fmt.Fprintf(&b, "    %s --> %s\n", n, to)
				continue
			}
			fmt.Fprintf(&b, "    %s -->|%q| %s\n", n, strings.ReplaceAll(e.Label, `"`, "'"), to)
		}
	}
	return b.String()
}
