// Package metertest reads measurements back in tests.
package metertest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/telemetry"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// New returns instruments and what reads them: the value of each series, of a histogram
// the number of its observations, as Prometheus writes it: `name{key="value"}`.
func New(t *testing.T) (*meter.Set, func() map[string]float64) {
	t.Helper()
	m, err := telemetry.StartMetrics(t.Context(), telemetry.Config{Getenv: func(string) string { return "" }})
	require.NoError(t, err)
	t.Cleanup(func() { _ = m.Shutdown(t.Context()) })
	return m.Set(), func() map[string]float64 { return Read(t, m.Gatherer()) }
}

// Read returns what a gatherer has, as New's reader does.
func Read(t *testing.T, g prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := g.Gather()
	require.NoError(t, err)
	all := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			all[f.GetName()+labels(m)] = value(m)
		}
	}
	return all
}

func labels(m *dto.Metric) string {
	pairs := map[string]string{}
	for _, l := range m.GetLabel() {
		pairs[l.GetName()] = l.GetValue()
	}
	if len(pairs) == 0 {
		return ""
	}
	var told []string
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		told = append(told, key+`="`+pairs[key]+`"`)
	}
	return "{" + strings.Join(told, ",") + "}"
}

func value(m *dto.Metric) float64 {
	switch {
	case m.Counter != nil:
		return m.GetCounter().GetValue()
	case m.Gauge != nil:
		return m.GetGauge().GetValue()
	default:
		return float64(m.GetHistogram().GetSampleCount())
	}
}
