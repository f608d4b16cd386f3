package findata

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/dibrain/dibrain/services/findata/memory"
)

// meters count what became of answers. They measure nothing where the process has
// no meter provider.
type meters struct {
	answers  metric.Int64Counter
	feedback metric.Int64Counter
	clicks   metric.Float64Gauge
	accepted metric.Float64Gauge
}

func newMeters() (*meters, error) {
	meter := otel.Meter("github.com/dibrain/dibrain/services/findata")
	m := &meters{}
	var err error
	note := func(made error) {
		if err == nil {
			err = made
		}
	}
	var e error
	m.answers, e = meter.Int64Counter("findata.answers", metric.WithDescription("answers with tables that were shown"))
	note(e)
	m.feedback, e = meter.Int64Counter("findata.feedback", metric.WithDescription("tables clicked, accepted and rejected, by kind"))
	note(e)
	m.clicks, e = meter.Float64Gauge("findata.click_rate", metric.WithDescription("share of answers of which a table was opened or used"))
	note(e)
	m.accepted, e = meter.Float64Gauge("findata.acceptance_rate", metric.WithDescription("share of right ones among the tables judged"))
	note(e)
	if err != nil {
		return nil, fmt.Errorf("make the meters: %w", err)
	}
	return m, nil
}

func (m *meters) judged(ctx context.Context, kind memory.Kind, tables int) {
	m.feedback.Add(ctx, int64(tables), metric.WithAttributes(attribute.String("kind", string(kind))))
}

func (m *meters) rates(ctx context.Context, source string, f memory.Figures) {
	at := metric.WithAttributes(attribute.String("source", source))
	m.clicks.Record(ctx, f.ClickRate(), at)
	m.accepted.Record(ctx, f.AcceptanceRate(), at)
}
