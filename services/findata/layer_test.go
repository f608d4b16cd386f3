package findata

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// clinicLayer names things of the clinic by words that its catalog does not have.
const clinicLayer = `
entities:
  - {id: patient, names: {en: patient, zh: 患者}, synonyms: [case file, 病人], table: main.patient, key: [patient_id]}
dimensions:
  - {id: city, names: {en: home town, zh: 城市}, synonyms: [provenance], table: main.patient}
  - {id: status, names: {en: serostatus, zh: 血清状态}, table: main.patient, expr: hiv_status}
metrics:
  - {id: visits, names: {en: attendance, zh: 就诊量}, synonyms: [turnout], table: main.visit, expr: COUNT(*), default_filters: ["visit_id > 0"]}
  - {id: ward, names: {en: ward, zh: 病区占用}, table: main.visit, expr: COUNT(*)}
  - {id: positive, names: {en: seroprevalence, zh: 阳性人数}, table: main.patient, expr: "COUNT(CASE WHEN hiv_status = 'pos' THEN 1 END)"}
  - {id: payroll, names: {en: payroll, zh: 薪酬总额}, table: main.wage, expr: SUM(amount)}
  - {id: cost, names: {en: staffing cost, zh: 单次人力成本}, type: ratio, numerator: payroll, denominator: visits}
`

// layeredClinic is the clinic with a layer of its own and a policy.
func layeredClinic(t *testing.T, policyText string) (s *Service, write func(layer string)) {
	t.Helper()
	clock := today
	data := t.TempDir()
	write = func(layer string) {
		clock = clock.Add(time.Hour)
		file := filepath.Join(semantic.OwnDir(data, "clinic"), "clinic.yaml")
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(layer), 0o600))
		require.NoError(t, os.Chtimes(file, clock, clock))
	}
	deps := Deps{Sources: snapshotStore(t, "clinic", clinic()), DataDir: data, Clock: func() time.Time { return clock }}
	if policyText != "" {
		path := filepath.Join(data, "policy.yaml")
		require.NoError(t, os.WriteFile(path, []byte(policyText), 0o600))
		rules, err := policy.Open(path, deps.Clock, nil)
		require.NoError(t, err)
		deps.Policy = rules
	}
	s, err := New(Config{DefaultSource: "clinic", SwapWait: time.Minute}, deps)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, write
}

// found asks and returns the best table with its reasons; "" where nothing is found.
func found(t *testing.T, s *Service, person, ask string) (table, reasons string) {
	t.Helper()
	r := discover(t, s, person, &findatav1.DiscoverQuery{UserQuery: ask})
	if len(r.GetRelatedTables()) == 0 {
		return "", ""
	}
	best := r.GetRelatedTables()[0]
	return best.GetTable().GetRef().GetTable(), strings.Join(best.GetReasons(), "; ")
}

func TestWordsOfTheSemanticLayerFindTables(t *testing.T) {
	t.Parallel()
	s, write := layeredClinic(t, "")
	write(clinicLayer)
	for _, c := range []struct{ ask, table, reason string }{
		{"attendance", "visit", "has the metric attendance"},
		{"turnout by month", "visit", "has the metric attendance (turnout)"},
		{"就诊量", "visit", "有指标就诊量"},
		{"seroprevalence", "patient", "has the metric seroprevalence"},
		{"阳性人数", "patient", "有指标阳性人数"},
		{"各病区占用", "visit", "有指标病区占用"},
		{"内科和外科的就诊量", "visit", "有指标就诊量"},
		{"provenance", "patient", "has home town (provenance)"},
		{"payroll", "wage", "has the metric payroll"},
	} {
		table, reasons := found(t, s, "ann", c.ask)
		require.Equal(t, c.table, table, c.ask)
		require.Contains(t, reasons, c.reason, c.ask)
	}
}

// TestNewLayerReachesTheIndex edits the layer while the service runs.
func TestNewLayerReachesTheIndex(t *testing.T) {
	t.Parallel()
	s, write := layeredClinic(t, "")
	const metric = "metrics: [{id: a, names: {en: WORD}, table: main.visit, expr: COUNT(*)}]"
	ask := func(word string) string { table, _ := found(t, s, "ann", word); return table }
	require.Empty(t, ask("turnout"), "no layer yet")
	write(strings.ReplaceAll(metric, "WORD", "turnout"))
	require.Equal(t, "visit", ask("turnout"))
	write(strings.ReplaceAll(metric, "WORD", "attendance"))
	require.Equal(t, "visit", ask("attendance"))
	require.Empty(t, ask("turnout"), "the word is gone")
	write("metrics: [{id: a, names")
	require.Equal(t, "visit", ask("attendance"), "with mistakes in it the layer before stays in force")
}

// TestWordsOfHiddenPartsFindNothing: what is computed from what an asker may not see
// does not exist for him, neither by its words nor in a reason.
func TestWordsOfHiddenPartsFindNothing(t *testing.T) {
	t.Parallel()
	s, write := layeredClinic(t, clinicPolicy)
	write(clinicLayer)
	for _, ask := range []string{"seroprevalence", "serostatus", "payroll", "staffing cost", "阳性人数", "薪酬总额", "单次人力成本"} {
		_, seen := found(t, s, "boss", ask)
		require.NotEmpty(t, seen, ask)
		table, _ := found(t, s, "ann", ask)
		require.Empty(t, table, ask)
	}
	var reasons []string
	for _, c := range discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "attendance and staffing cost of patients"}).GetRelatedTables() {
		reasons = append(reasons, c.GetReasons()...)
	}
	require.Contains(t, reasons, "has the metric attendance")
	require.NotContains(t, strings.Join(reasons, "; "), "staffing")
	table, _ := found(t, s, "ann", "turnout")
	require.Equal(t, "visit", table)
}
