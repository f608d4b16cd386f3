package parse

// features counts what a derivation is made of, so that its score is the sum of
// the counts times their weights.
func (c *chart) features(root *edge) map[string]float64 {
	out := map[string]float64{}
	for i := range root.from {
		out["skip/"+c.classes[i].String()]++
	}
	c.count(root, out)
	return out
}

func (c *chart) count(e *edge, out map[string]float64) {
	if e.rule < 0 {
		t := &c.g.terminals[e.symbol]
		c.note(out, "as/"+t.name, e.from, e.from+1)
		if fit, _ := t.takes(e.head); t.named {
			out["link/fit"] += fit - 1
			out["link/against"] += against(t, e.head, fit)
		}
		for i := e.from + 1; i < e.to; i++ {
			out["skip/"+c.classes[i].String()]++
		}
		return
	}
	r := &c.g.rules[e.rule]
	c.note(out, "rule/"+r.name, e.from, e.to)
	for _, k := range e.kids[:len(r.body)] {
		c.count(k, out)
	}
}

// note counts a use and its neighbours.
func (c *chart) note(out map[string]float64, name string, from, to int) {
	out[name]++
	out[name+"|<"+c.class(from-1).String()]++
	out[name+"|>"+c.class(to).String()]++
}
