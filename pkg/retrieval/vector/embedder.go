package vector

import "context"

// Embedder turns texts into vectors. It may be used concurrently.
type Embedder interface {
	// Name tells embedders apart whose vectors must not be mixed: the kind, the
	// model, and for one that is fitted the fit.
	Name() string
	// Dim is the dimension of all its vectors.
	Dim() int
	// Embed returns a vector a text, in the order of the texts. A text that the
	// embedder knows no word of has a vector of zeros.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Calibration says what distances of this embedder mean.
	Calibration() Calibration
}

// Calibration says what a distance between vectors of one embedder means. The
// thresholds of a configuration are on a scale on which FullScale stands for
// MaxDistance, so that they hold for any embedder that is calibrated; for one
// that is not they are off.
type Calibration struct {
	// Metric that the embedder's vectors are made for: "L2", "IP" or "COSINE". All
	// rank alike, since vectors are brought to length one.
	Metric string
	// MaxDistance, squared Euclidean between vectors of length one (0 to 4), is how
	// far a document may be from a question that it belongs to; 0: not known.
	MaxDistance float64
}

// FullScale is the threshold that stands for an embedder's MaxDistance.
const FullScale = 600

// Distance turns a threshold of the configuration into the distance to ask an
// index for: 0, which is off, where either is unknown.
func (c Calibration) Distance(threshold float64) float64 {
	if c.MaxDistance <= 0 || threshold <= 0 {
		return 0
	}
	return c.MaxDistance * threshold / FullScale
}
