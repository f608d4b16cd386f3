package rank

import "fmt"

// Figures tell how well readings are chosen and how well they are known.
type Figures struct {
	Questions int `json:"questions"`
	// Within is the share of questions with a right reading among the candidates,
	// First that of those whose likeliest reading is right.
	Within float64 `json:"within"`
	First  float64 `json:"first"`
	// At the threshold: the share answered rightly, that of the answered ones which
	// are right, and that of the copies without an answer that were refused.
	Right     float64 `json:"right"`
	Precision float64 `json:"precision"`
	Refused   float64 `json:"refused,omitempty"`
}

// String returns the figures in one line.
func (f Figures) String() string {
	return fmt.Sprintf("%d questions: right among the candidates %.3f, chosen %.3f; answered rightly %.3f with precision %.3f, refused without an answer %.3f", f.Questions, f.Within, f.First, f.Right, f.Precision, f.Refused)
}
