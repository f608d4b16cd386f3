package term

import (
	"fmt"
	"strings"
	"time"
)

// Node is one node of a run tree.
type Node struct {
	ID, Parent string
	Label      string // name of the step
	Note       string // what it did, in a few words
	Status     string
	Failed     bool
	Start, End time.Time // a zero End means that it is still at work
}

// Tree draws nodes as a tree with durations and starts relative to the root.
// Nodes come in the order in which siblings are drawn; a node whose parent is
// not among them stands at the top.
func Tree(nodes []Node, style Style) string {
	children := make(map[string][]int, len(nodes))
	known := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		known[n.ID] = true
	}
	var roots []int
	for i, n := range nodes {
		if known[n.Parent] && n.Parent != n.ID {
			children[n.Parent] = append(children[n.Parent], i)
		} else {
			roots = append(roots, i)
		}
	}
	width := 0
	var measure func(i, depth int)
	seen := make(map[int]bool, len(nodes))
	measure = func(i, depth int) {
		if seen[i] {
			return
		}
		seen[i] = true
		width = max(width, depth*3+cells(Clean(nodes[i].Label)))
		for _, c := range children[nodes[i].ID] {
			measure(c, depth+1)
		}
	}
	for _, r := range roots {
		measure(r, 0)
	}
	d := treeDrawing{nodes: nodes, children: children, width: width, style: style, drawn: make(map[int]bool, len(nodes))}
	for _, r := range roots {
		d.zero = nodes[r].Start
		d.draw(r, "", "", "")
	}
	return d.b.String()
}

type treeDrawing struct {
	nodes    []Node
	children map[string][]int
	width    int
	style    Style
	zero     time.Time
	drawn    map[int]bool
	b        strings.Builder
}

func (d *treeDrawing) draw(i int, prefix, branch, below string) {
	if d.drawn[i] { // a cycle in stored data must not hang the terminal
		return
	}
	d.drawn[i] = true
	n := d.nodes[i]
	label := pad(prefix+branch+Clean(n.Label), d.width, false)
	took := "at work"
	if !n.End.IsZero() {
		took = Duration(n.End.Sub(n.Start))
	}
	status := pad(n.Status, 11, false)
	if n.Failed {
		status = d.style.Bad(status)
	} else {
		status = d.style.Dim(status)
	}
	line := fmt.Sprintf("%s  %s  %s  %s  %s", label, pad("+"+Duration(n.Start.Sub(d.zero)), 9, true), pad(took, 8, true), status, Clean(n.Note))
	d.b.WriteString(strings.TrimRight(line, " "))
	d.b.WriteByte('\n')
	kids := d.children[n.ID]
	for k, c := range kids {
		if k == len(kids)-1 {
			d.draw(c, prefix+below, "└─ ", "   ")
		} else {
			d.draw(c, prefix+below, "├─ ", "│  ")
		}
	}
}

// Duration writes a duration as people read it: 0.4 ms, 12 ms, 1.3 s, 2m05s.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0 ms"
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}
