package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCalibration(t *testing.T) {
	t.Parallel()
	points := calibration{{Score: 0.2, Right: 0.1}, {Score: 0.6, Right: 0.5}, {Score: 1, Right: 0.9}}
	cases := []struct{ score, confidence float64 }{
		{0, 0}, {0.1, 0.05}, {0.2, 0.1}, {0.4, 0.3}, {0.6, 0.5}, {0.8, 0.7}, {1, 0.9},
	}
	for _, c := range cases {
		require.InDelta(t, c.confidence, points.confidence(c.score), 1e-9, "score %v", c.score)
	}
	require.InDelta(t, 0.4, calibration(nil).confidence(0.4), 1e-9, "without points the score itself")
	require.InDelta(t, MaxFreeConfidence, calibration{{Score: 0.5, Right: 1}}.confidence(0.9), 1e-9, "nothing is certain")
}

func TestCalibrationFileRises(t *testing.T) {
	t.Parallel()
	points, err := loadCalibration()
	require.NoError(t, err)
	require.NotEmpty(t, points)
	last := 0.0
	for score := 0.0; score <= 1; score += 0.01 {
		c := points.confidence(score)
		require.GreaterOrEqual(t, c, last)
		last = c
	}
	require.LessOrEqual(t, last, MaxFreeConfidence)
}
