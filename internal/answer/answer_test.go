package answer

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestPrint(t *testing.T) {
	t.Parallel()
	inputs, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, inputs)
	for _, input := range inputs {
		t.Run(filepath.Base(input), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(input)
			require.NoError(t, err)
			var a routerv1.Answer
			require.NoError(t, protojson.Unmarshal(text, &a))
			var got bytes.Buffer
			Print(&got, &a, Options{Width: 100, MaxRows: 5, Verbose: true})
			path := input[:len(input)-len(".json")] + ".txt"
			if *update {
				require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err, "run with -update to make it")
			require.Equal(t, string(want), got.String())
		})
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]*structpb.Value{
		"NULL":                 structpb.NewNullValue(),
		"12":                   structpb.NewNumberValue(12),
		"0.1":                  structpb.NewNumberValue(0.1),
		"1234567.89":           structpb.NewNumberValue(1234567.8900000001),
		"0.0001235":            structpb.NewNumberValue(0.00012349999),
		"123456789012345678.9": structpb.NewStringValue("123456789012345678.9"),
		"true":                 structpb.NewBoolValue(true),
		"[1,2]":                structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewNumberValue(1), structpb.NewNumberValue(2)}}),
	} {
		require.Equal(t, want, Text(v))
	}
}

// TestTimesAtMidnightAreDays: only where all of a column are.
func TestTimesAtMidnightAreDays(t *testing.T) {
	t.Parallel()
	page := func(texts ...string) *commonv1.ResultPage {
		p := &commonv1.ResultPage{Columns: []*commonv1.ResultColumn{{Name: "week", Type: "timestamp(6)"}}}
		for _, text := range texts {
			p.Rows = append(p.Rows, &commonv1.ResultRow{Values: []*structpb.Value{structpb.NewStringValue(text)}})
		}
		return p
	}
	days := pageTable(page("2026-09-28 00:00:00.000000", "2026-10-05 00:00:00"), Options{Width: 80, MaxRows: 9})
	require.Contains(t, days, "2026-10-05\n")
	require.NotContains(t, days, "00:00")
	times := pageTable(page("2026-09-28 00:00:00.000000", "2026-10-05 07:00:00.000000"), Options{Width: 80, MaxRows: 9})
	require.Contains(t, times, "2026-09-28 00:00:00.000000")
}
