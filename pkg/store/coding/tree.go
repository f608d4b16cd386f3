// Package coding is how the back ends of pkg/store write what they hold as one value:
// the records of a step of a run, and the outputs of tool calls; and how they read the rows
// that both have.
package coding

import (
	"encoding/json"
	"fmt"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// stepRecord is a run record in a row of run_steps. Migrations write it too.
type stepRecord struct {
	ID         string            `json:"id"`
	Parent     string            `json:"parent,omitempty"`
	Name       string            `json:"name"`
	Service    string            `json:"service,omitempty"`
	Call       string            `json:"call,omitempty"`
	Tool       string            `json:"tool,omitempty"`
	Status     run.Status        `json:"status"`
	Started    int64             `json:"started"`
	Ended      int64             `json:"ended,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
	Error      string            `json:"error,omitempty"`
}

// MarshalStep returns the records of a step of a run as JSON, which Tree reads.
func MarshalStep(records []run.Record) ([]byte, error) {
	step := make([]stepRecord, len(records))
	for i, r := range records {
		step[i] = stepRecord{
			ID: r.RunID, Parent: r.ParentRunID, Name: r.Name, Service: r.Service, Call: r.ToolCallID, Tool: r.ToolName,
			Status: r.Status, Started: store.Nanos(r.StartedAt), Ended: store.Nanos(r.EndedAt), Attributes: r.Attributes, Error: r.Error,
		}
	}
	raw, err := json.Marshal(step)
	if err != nil {
		return nil, fmt.Errorf("run records: %w", err)
	}
	return raw, nil
}

// Tree joins the steps of a run to its tree: the root first, then each record
// where it was first told of, as it was told of last. What a process that died
// left at work has ended with the run.
func Tree(root run.Record, steps []string) ([]run.Record, error) {
	out := []run.Record{root}
	at := map[string]int{root.RunID: 0}
	for _, raw := range steps {
		var step []stepRecord
		if err := json.Unmarshal([]byte(raw), &step); err != nil {
			return nil, fmt.Errorf("run records: %w", err)
		}
		for _, s := range step {
			r := run.Record{
				RunID: s.ID, ParentRunID: s.Parent, Name: s.Name, Service: s.Service, ToolCallID: s.Call, ToolName: s.Tool,
				Status: s.Status, StartedAt: store.FromNanos(s.Started), EndedAt: store.FromNanos(s.Ended), Attributes: s.Attributes, Error: s.Error,
			}
			if r.Status == run.StatusRunning && root.Status == run.StatusInterrupted {
				r.Status, r.EndedAt, r.Error = root.Status, root.EndedAt, root.Error
			}
			switch i, known := at[r.RunID]; {
			case !known:
				at[r.RunID] = len(out)
				out = append(out, r)
			case i > 0: // the root's own row is newer
				out[i] = r
			}
		}
	}
	return out, nil
}
