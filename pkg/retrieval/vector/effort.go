package vector

import "fmt"

// Effort is how far an approximate search goes: the first number that fits its
// kind of index counts. Threshold is no effort, but chosen with it: see
// Calibration.
type Effort struct {
	// EF is how many neighbours HNSW follows.
	EF int `koanf:"ef"`
	// NProbe is how many clusters IVF and SCANN look into.
	NProbe int `koanf:"nprobe"`
	// ReorderK is how many documents SCANN compares exactly.
	ReorderK int `koanf:"reorder_k"`
	// Threshold of distance, on the scale on which 600 is the embedder's own; -1:
	// none.
	Threshold float64 `koanf:"threshold"`
}

// Question is what an effort is chosen by.
type Question struct {
	// Tokens of the question.
	Tokens int
	// Regional: the question is about tables that many regions have.
	Regional bool
}

// Efforts choose the effort of a search. The zero value of a number means its
// default.
type Efforts struct {
	// Fixed uses Default for every question.
	Fixed   bool   `koanf:"fixed"`
	Default Effort `koanf:"default"`
	// Regional counts for questions about tables that many regions have, Other for
	// the rest.
	Regional Effort `koanf:"regional"`
	Other    Effort `koanf:"other"`
	// Long counts beyond LongTokens tokens, where it goes further.
	Long       Effort `koanf:"long"`
	LongTokens int    `koanf:"long_tokens"`
}

// Limits of the numbers of an Effort, which are those of Milvus.
const (
	maxEF     = 32_768
	maxNProbe = 65_536
)

// Complete fills in defaults and checks the rest.
func (e Efforts) Complete() (Efforts, error) {
	e.Default = e.Default.or(Effort{EF: 200, NProbe: 1200, ReorderK: 200, Threshold: FullScale})
	e.Regional = e.Regional.or(Effort{EF: 150, NProbe: e.Default.NProbe, ReorderK: e.Default.ReorderK, Threshold: 500})
	e.Other = e.Other.or(Effort{EF: 250, NProbe: e.Default.NProbe, ReorderK: e.Default.ReorderK, Threshold: 550})
	e.Long = e.Long.or(Effort{EF: e.Default.EF, NProbe: 1500, ReorderK: 300, Threshold: e.Default.Threshold})
	if e.LongTokens == 0 {
		e.LongTokens = 20
	}
	for _, one := range []struct {
		name string
		Effort
	}{{"default", e.Default}, {"regional", e.Regional}, {"other", e.Other}, {"long", e.Long}} {
		if one.EF < 1 || one.EF > maxEF || one.NProbe < 1 || one.NProbe > maxNProbe || one.ReorderK < 1 {
			return e, fmt.Errorf("effort %s: ef is %d (1 to %d), nprobe %d (1 to %d), reorder_k %d (1 or more)", one.name, one.EF, maxEF, one.NProbe, maxNProbe, one.ReorderK)
		}
	}
	return e, nil
}

func (e Effort) or(byDef Effort) Effort {
	if e.EF == 0 {
		e.EF = byDef.EF
	}
	if e.NProbe == 0 {
		e.NProbe = byDef.NProbe
	}
	if e.ReorderK == 0 {
		e.ReorderK = byDef.ReorderK
	}
	if e.Threshold == 0 {
		e.Threshold = byDef.Threshold
	}
	return e
}

// For returns the effort of a question. e has to be complete.
func (e Efforts) For(q Question) Effort {
	if e.Fixed {
		return e.Default
	}
	chosen := e.Other
	if q.Regional {
		chosen = e.Regional
	}
	if q.Tokens > e.LongTokens {
		chosen.NProbe = max(chosen.NProbe, e.Long.NProbe)
		chosen.ReorderK = max(chosen.ReorderK, e.Long.ReorderK)
	}
	return chosen
}

// Widest returns the largest number of clusters that any question looks into: an
// index of clusters has at least as many.
func (e Efforts) Widest() int {
	return max(e.Default.NProbe, e.Regional.NProbe, e.Other.NProbe, e.Long.NProbe)
}
