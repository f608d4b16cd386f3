package trino

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// explainIO asks what a statement would read. The statement begins a line of its
// own, so that its columns stay.
const explainIO = "EXPLAIN (TYPE IO, FORMAT JSON)\n"

// Explain implements warehouse.Engine, from the server's own plan and statistics.
// The server checks the statement on the way, under the principal's rights.
func (e *Engine) Explain(ctx context.Context, principal run.Principal, approved guard.Approved) (plan warehouse.Plan, err error) {
	if err := warehouse.CheckApproval(principal, approved); err != nil {
		return warehouse.Plan{}, err
	}
	text, err := e.places.approved(approved)
	if err != nil {
		return warehouse.Plan{}, err
	}
	user, err := e.asker(principal)
	if err != nil {
		return warehouse.Plan{}, err
	}
	r, err := e.start(ctx, principal, user, text.after(explainIO), warehouse.Options{Tag: run.From(ctx).Tag()})
	if err != nil {
		return warehouse.Plan{}, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	page, err := r.Next(ctx, 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return warehouse.Plan{}, err
	}
	if len(page) != 1 || len(page[0]) != 1 {
		return warehouse.Plan{}, errors.New("read Trino's plan: it is not one text")
	}
	// To the end: a statement that is left before it counts as cancelled on the server.
	if _, err := r.Next(ctx, 1); err != nil && !errors.Is(err, io.EOF) {
		return warehouse.Plan{}, err
	}
	said, _ := page[0][0].(string)
	return e.places.plan(said)
}

// ioPlan is the answer to EXPLAIN (TYPE IO, FORMAT JSON).
type ioPlan struct {
	Inputs []struct {
		Table struct {
			Catalog string `json:"catalog"`
			Name    struct {
				Schema string `json:"schema"`
				Table  string `json:"table"`
			} `json:"schemaTable"`
		} `json:"table"`
		Constraint struct {
			Columns []ioConstraint `json:"columnConstraints"`
		} `json:"constraint"`
		Estimate ioEstimate `json:"estimate"`
	} `json:"inputTableColumnInfos"`
	Estimate ioEstimate `json:"estimate"`
}

type ioConstraint struct {
	Column string `json:"columnName"`
	Type   string `json:"type"`
	Domain struct {
		Nulls  bool `json:"nullsAllowed"`
		Ranges []struct {
			Low  ioBound `json:"low"`
			High ioBound `json:"high"`
		} `json:"ranges"`
	} `json:"domain"`
}

type ioBound struct {
	Value *string `json:"value"`
	Bound string  `json:"bound"` // "EXACTLY", "ABOVE", "BELOW"
}

type ioEstimate struct {
	Rows  number `json:"outputRowCount"`
	Bytes number `json:"outputSizeInBytes"`
}

// number is a number that the server may not know: "NaN".
type number float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(raw []byte) error {
	var f float64
	if err := json.Unmarshal(raw, &f); err != nil {
		*n = number(math.NaN())
		return nil //nolint:nilerr // a text is what the server writes for what it does not know
	}
	*n = number(f)
	return nil
}

// known returns the number; -1 where it is not known.
func (n number) known() float64 {
	if f := float64(n); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return f
	}
	return -1
}

func (p places) plan(text string) (warehouse.Plan, error) {
	var said ioPlan
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		return warehouse.Plan{}, fmt.Errorf("read Trino's plan: %w", err)
	}
	out := warehouse.Plan{Rows: said.Estimate.Rows.known(), Text: text}
	for _, in := range said.Inputs {
		scan := warehouse.Scan{
			Table: p.known(in.Table.Catalog, in.Table.Name.Schema, in.Table.Name.Table).String(),
			Rows:  in.Estimate.Rows.known(), Bytes: in.Estimate.Bytes.known(),
		}
		for _, c := range in.Constraint.Columns {
			scan.Constraints = append(scan.Constraints, c.constraint())
		}
		out.Scans = append(out.Scans, scan)
	}
	return out, nil
}

func (c ioConstraint) constraint() warehouse.Constraint {
	out := warehouse.Constraint{Column: c.Column, Type: c.Type, Nulls: c.Domain.Nulls}
	for _, r := range c.Domain.Ranges {
		out.Ranges = append(out.Ranges, warehouse.Range{Low: r.Low.bound(), High: r.High.bound()})
	}
	return out
}

func (b ioBound) bound() warehouse.Bound {
	if b.Value == nil {
		return warehouse.Bound{}
	}
	return warehouse.Bound{Value: *b.Value, Bounded: true, Inclusive: b.Bound == "EXACTLY"}
}
