package pipeline

import (
	_ "embed" // calibration.yaml
	"fmt"
	"sort"

	"go.yaml.in/yaml/v3"
)

//go:embed calibration.yaml
var calibrationFile []byte

// calibration turns the score of a reading into the share of readings of that
// score that were right on training questions. The file says how it was fitted.
type calibration []calibrationPoint

type calibrationPoint struct {
	Score float64 `yaml:"score"`
	Right float64 `yaml:"right"`
}

func loadCalibration() (calibration, error) {
	var data struct {
		Points calibration `yaml:"points"`
	}
	if err := yaml.Unmarshal(calibrationFile, &data); err != nil {
		return nil, fmt.Errorf("calibration: %w", err)
	}
	for i, p := range data.Points {
		if p.Score < 0 || p.Score > 1 || p.Right < 0 || p.Right > 1 || i > 0 && (p.Score <= data.Points[i-1].Score || p.Right < data.Points[i-1].Right) {
			return nil, fmt.Errorf("calibration: point %d (%v, %v): points rise, from 0 to 1", i, p.Score, p.Right)
		}
	}
	return data.Points, nil
}

// confidence is the share that was right at a score, between points in
// proportion. Without points it is the score.
func (c calibration) confidence(score float64) float64 {
	if len(c) == 0 {
		return score
	}
	i := sort.Search(len(c), func(i int) bool { return c[i].Score >= score })
	var from calibrationPoint // no score, nothing right
	if i > 0 {
		from = c[i-1]
	}
	if i == len(c) {
		return min(from.Right, MaxFreeConfidence)
	}
	to := c[i]
	part := (score - from.Score) / (to.Score - from.Score)
	return min(from.Right+part*(to.Right-from.Right), MaxFreeConfidence)
}
