package rank

import "fmt"

// Tree is a regression tree as lists of the same length, a node an index; node 0
// is the root. An inner node leads left where its feature is at most At; children
// come after their parents. A leaf has Left 0.
type Tree struct {
	Feature []int     `json:"f"`
	At      []float64 `json:"t"`
	Left    []int     `json:"l"`
	Right   []int     `json:"r"`
	Leaf    []float64 `json:"v"` // log of odds that a leaf adds
}

func (t *Tree) value(x []float64) float64 {
	i := 0
	for t.Left[i] != 0 {
		if x[t.Feature[i]] <= t.At[i] {
			i = t.Left[i]
		} else {
			i = t.Right[i]
		}
	}
	return t.Leaf[i]
}

func (t *Tree) check(features int) error {
	n := len(t.Feature)
	if n == 0 || n > maxNodes || len(t.At) != n || len(t.Left) != n || len(t.Right) != n || len(t.Leaf) != n {
		return fmt.Errorf("%d nodes: lists of one length, 1 to %d", n, maxNodes)
	}
	for i := range n {
		inner := t.Left[i] != 0
		if inner && (t.Left[i] <= i || t.Right[i] <= i || t.Left[i] >= n || t.Right[i] >= n || t.Feature[i] < 0 || t.Feature[i] >= features) || !finite(t.At[i]) || !finite(t.Leaf[i]) {
			return fmt.Errorf("node %d leads nowhere", i)
		}
	}
	return nil
}

func (t *Tree) add(feature int, at, leaf float64) int {
	t.Feature, t.At = append(t.Feature, feature), append(t.At, at)
	t.Left, t.Right = append(t.Left, 0), append(t.Right, 0)
	t.Leaf = append(t.Leaf, leaf)
	return len(t.Feature) - 1
}
