package analysis

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/chart/draw"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// artifact is a file of a step that can be read.
type artifact struct {
	name, media string
	write       func() (data []byte, truncated bool, err error)
}

// Media types of artifacts.
const (
	mediaCSV  = "text/csv; charset=utf-8"
	mediaJSON = "application/json"
	mediaPNG  = "image/png"
	mediaSVG  = "image/svg+xml"
)

// artifactsOf lists the files of a result: its tables, its chart, and what a program left.
func artifactsOf(r workflow.Result) []artifact {
	var out []artifact
	for _, t := range r.Tables {
		cut := t.Truncated || t.Total > int64(len(t.Rows))
		out = append(out,
			artifact{r.Step + "." + t.Name + ".csv", mediaCSV, func() ([]byte, bool, error) {
				data, err := tableCSV(t)
				return data, cut, err
			}},
			artifact{r.Step + "." + t.Name + ".json", mediaJSON, func() ([]byte, bool, error) {
				data, err := tableJSON(t)
				return data, cut, err
			}})
	}
	if spec, err := chart.ReadOption(r.Chart.Option); err == nil && spec.Kind != chart.None && spec.Kind != chart.Table && spec.Kind != chart.BigNumber {
		for format, media := range map[draw.Format]string{draw.PNG: mediaPNG, draw.SVG: mediaSVG} {
			out = append(out, artifact{r.Step + ".chart." + string(format), media, func() ([]byte, bool, error) {
				var to bytes.Buffer
				err := draw.Draw(&to, spec, format)
				return to.Bytes(), false, err
			}})
		}
	}
	for _, f := range r.Files {
		out = append(out, artifact{r.Step + ".files." + f.Name, workflow.MediaOf(f), func() ([]byte, bool, error) { return f.Data, false, nil }})
	}
	slices.SortStableFunc(out, func(a, b artifact) int { return strings.Compare(a.name, b.name) })
	return out
}

// tableCSV writes the rows that are kept of a table, numbers as they are.
func tableCSV(t workflow.Table) ([]byte, error) {
	var to bytes.Buffer
	w := csv.NewWriter(&to)
	head := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = c.Name
	}
	rows := [][]string{head}
	for _, row := range t.Rows {
		cells := make([]string, len(t.Columns))
		for i := range cells {
			if i >= len(row) {
				continue
			}
			text, err := cellText(row[i])
			if err != nil {
				return nil, err
			}
			cells[i] = text
		}
		rows = append(rows, cells)
	}
	err := w.WriteAll(rows)
	return to.Bytes(), err
}

func cellText(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	raw, err := json.Marshal(v)
	return string(raw), err
}

// tableJSON writes them with the types of their columns.
func tableJSON(t workflow.Table) ([]byte, error) {
	rows := t.Rows
	if rows == nil {
		rows = [][]any{}
	}
	raw, err := json.Marshal(map[string]any{"name": t.Name, "columns": t.Columns, "rows": rows, "total": max(t.Total, int64(len(t.Rows))), "truncated": t.Truncated})
	return append(raw, '\n'), err
}

// GetArtifact implements the rpc.
func (s *Service) GetArtifact(ctx context.Context, r *analysisv1.GetArtifactRequest) (*analysisv1.GetArtifactResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	i, err := s.load(ctx, p, r.GetAnalysisId())
	if err != nil {
		return nil, err
	}
	for _, result := range i.state.Results {
		for _, a := range artifactsOf(result) {
			if a.name != r.GetName() {
				continue
			}
			data, truncated, err := a.write()
			if err != nil {
				return nil, err
			}
			if len(data) > s.config.MaxArtifactBytes {
				return nil, fault.New(codes.ResourceExhausted, "ARTIFACT_TOO_LARGE", fmt.Sprintf(
					"The file has %d bytes, above analysis.max_artifact_bytes (%d): export the step's question with `dibrain ask --export`.", len(data), s.config.MaxArtifactBytes))
			}
			return &analysisv1.GetArtifactResponse{Data: data, MediaType: a.media, Truncated: truncated}, nil
		}
	}
	return nil, fault.NotFound("ARTIFACT_UNKNOWN", "The analysis has no file %q: GetAnalysis lists those of each step as artifacts.", lang.Shorten(r.GetName(), 100))
}
