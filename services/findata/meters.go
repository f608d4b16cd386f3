package findata

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dibrain/dibrain/services/findata/memory"
)

// meters count what became of answers.
type meters struct {
	answers  prometheus.Counter
	feedback *prometheus.CounterVec
	clicks   *prometheus.GaugeVec
	accepted *prometheus.GaugeVec
}

// newMeters registers dibrain_findata_answers_total,
// dibrain_findata_feedback_tables_total by kind, and the rates
// dibrain_findata_click_rate and dibrain_findata_acceptance_rate by source.
func newMeters(r prometheus.Registerer) (*meters, error) {
	if r == nil {
		r = prometheus.NewRegistry()
	}
	m := &meters{
		answers: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "dibrain_findata_answers_total", Help: "Answers with tables that were shown.",
		}),
		feedback: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dibrain_findata_feedback_tables_total", Help: "Tables clicked, accepted and rejected, by kind.",
		}, []string{"kind"}),
		clicks: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "dibrain_findata_click_rate", Help: "Share of answers of which a table was opened or used, when index status was last asked.",
		}, []string{"source"}),
		accepted: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "dibrain_findata_acceptance_rate", Help: "Share of right ones among the tables judged, when index status was last asked.",
		}, []string{"source"}),
	}
	for _, c := range []prometheus.Collector{m.answers, m.feedback, m.clicks, m.accepted} {
		if err := r.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	return m, nil
}

func (m *meters) judged(kind memory.Kind, tables int) {
	m.feedback.WithLabelValues(string(kind)).Add(float64(tables))
}

func (m *meters) rates(source string, f memory.Figures) {
	m.clicks.WithLabelValues(source).Set(f.ClickRate())
	m.accepted.WithLabelValues(source).Set(f.AcceptanceRate())
}
