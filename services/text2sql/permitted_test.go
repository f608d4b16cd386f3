package text2sql_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/prototext"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/shorttest"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/text2sql"
)

// permittedTables answers for findata as it does under a policy.
type permittedTables struct {
	findatav1.CatalogServiceClient
	policy *policy.File
	tables []catalog.Table
}

func (c permittedTables) visible(ctx context.Context) []catalog.Table {
	rules, err := c.policy.Current()
	if err != nil {
		return nil
	}
	grants := rules.For(run.From(ctx).Principal, "hotel")
	var out []catalog.Table
	for i := range c.tables {
		if access := grants.Access(c.tables[i].Name); access.Permits(&c.tables[i]) {
			out = append(out, *access.Visible(&c.tables[i]))
		}
	}
	return out
}

func (c permittedTables) ListTables(ctx context.Context, _ *findatav1.ListTablesRequest, _ ...grpc.CallOption) (*findatav1.ListTablesResponse, error) {
	return &findatav1.ListTablesResponse{Tables: catalogpb.FromTables(c.visible(ctx))}, nil
}

func (c permittedTables) DescribeTables(ctx context.Context, req *findatav1.DescribeTablesRequest, _ ...grpc.CallOption) (*findatav1.DescribeTablesResponse, error) {
	resp := &findatav1.DescribeTablesResponse{}
	for _, name := range req.GetTables() {
		for _, t := range c.visible(ctx) {
			if strings.HasSuffix(t.Name.String(), name) {
				resp.Tables = append(resp.Tables, catalogpb.FromTable(t))
			}
		}
	}
	return resp, nil
}

const hotelLayer = `
metrics:
  - {id: revenue, names: {en: revenue, zh: 收入}, table: main.booking, expr: SUM(amount), unit: USD}
  - {id: captains, names: {en: captain takings, zh: 船长收入}, table: main.booking, expr: "SUM(CASE WHEN guest = 'Maskwrit' THEN amount END)"}
  - {id: captain_share, names: {en: captain quota, zh: 船长占比}, type: ratio, numerator: captains, denominator: revenue}
  - {id: clean, names: {en: clean takings, zh: 净收入}, table: main.booking, expr: SUM(amount), default_filters: ["remark <> 'Denywrit'"]}
  - {id: adults, names: {en: adult bookings, zh: 成人预订}, table: main.booking, expr: COUNT_IF(age >= 4711)}
  - {id: ages, names: {en: sum of ages, zh: 年龄总和}, table: main.booking, expr: SUM(age) / 1}
  - {id: wages, names: {en: wages, zh: 工资}, table: main.payroll, expr: "SUM(CASE WHEN person = 'Lockwrit' THEN amount END)"}
dimensions:
  - {id: guest, names: {en: guest, zh: 客人}, table: main.booking, expr: guest, values: [{value: Maskwrit, synonyms: [captain, 船长]}]}
  - {id: remark, names: {en: remark, zh: 备注}, table: main.booking, values: [{value: Denywrit, synonyms: [complaint, 投诉]}]}
  - {id: town, names: {en: town, zh: 城市}, table: main.booking, expr: town, values: [{value: Openwrit, synonyms: [harbour, 港口]}]}
  - {id: sort, names: {en: sort of guest, zh: 客人类别}, table: main.booking, expr: "CASE WHEN guest = 'Maskwrit' THEN 'captain' ELSE 'crew' END"}
  - {id: person, names: {en: person, zh: 人员}, table: main.payroll, values: [{value: Lockwrit, synonyms: [cook, 厨师]}]}
filters:
  - {id: regular, names: {en: regular, zh: 常客}, table: main.booking, expr: guest = 'Maskwrit'}
exclusions:
  - {id: no_noise, names: {en: without noise, zh: 不含杂音}, table: main.booking, expr: remark <> 'Denywrit'}
`

// hotel is a service over two tables of which boss may read all, and others a part.
func hotel(t *testing.T, rules string) *text2sql.Service {
	t.Helper()
	data := t.TempDir()
	layer, file := filepath.Join(semantic.OwnDir(data, "hotel"), "hotel.yaml"), filepath.Join(data, "policy.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(layer), 0o750))
	require.NoError(t, os.WriteFile(layer, []byte(hotelLayer), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(rules), 0o600))
	text := func(name string) catalog.Column { return catalog.Column{Name: name, Type: "varchar"} }
	table := func(name string, columns ...catalog.Column) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: "eu", Schema: "main", Table: name}, RowCount: 70, Columns: append(columns, catalog.Column{Name: "amount", Type: "bigint"})}
	}
	tables := []catalog.Table{table("booking", text("guest"), text("remark"), text("town"), catalog.Column{Name: "age", Type: "bigint"}), table("payroll", text("person"))}
	store, err := source.Open(data)
	require.NoError(t, err)
	_, err = store.Make(t.Context(), "hotel", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		return source.Manifest{Engine: source.EngineDuckDB, DefaultRegion: "eu", DefaultSchema: "main"}, &catalog.Snapshot{Tables: tables}, nil
	})
	require.NoError(t, err)
	permitted, err := policy.Open(file, time.Now, nil)
	require.NoError(t, err)
	s, err := text2sql.New(text2sql.Config{DefaultSource: "hotel"}, text2sql.Deps{
		Sources: store, Catalog: permittedTables{policy: permitted, tables: tables}, DataDir: data, Policy: permitted,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// said is all that one asker reads of questions, steps and errors among it.
func said(t *testing.T, s *text2sql.Service, who string, questions ...string) string {
	t.Helper()
	var b strings.Builder
	for _, q := range questions {
		query := &text2sqlv1.GenerateQuery{UserQuestion: q}
		st := &steps{ctx: as(who), to: &b}
		if err := s.GenerateSQL(&text2sqlv1.GenerateSQLRequest{Query: query}, st); err != nil {
			b.WriteString(err.Error())
		}
		if parsed, err := s.ParseQuestion(as(who), &text2sqlv1.ParseQuestionRequest{Query: query}); err != nil {
			b.WriteString(err.Error())
		} else {
			b.WriteString(prototext.Format(parsed))
		}
	}
	metrics, err := s.ListMetrics(as(who), &text2sqlv1.ListMetricsRequest{})
	require.NoError(t, err)
	return b.String() + prototext.Format(metrics)
}

// steps is a stream that writes down what is sent.
type steps struct {
	grpc.ServerStream
	ctx context.Context
	to  *strings.Builder
}

func (s *steps) Context() context.Context { return s.ctx }

func (s *steps) Send(m *text2sqlv1.GenerateSQLResponse) error {
	s.to.WriteString(prototext.Format(m))
	return nil
}

// TestALayerSpellsNoWithheldValue: what people wrote into a layer of a column that is
// masked or denied for one asker reaches him in no way, and another as before.
func TestALayerSpellsNoWithheldValue(t *testing.T) {
	shorttest.Rules(t, "which words of a layer are told to whom")
	t.Parallel()
	asked := map[string][]string{ // by what of the layer they name
		"Maskwrit": {
			"revenue of the captain", "revenue of maskwrit", "revenue of maskwri", "revenue by sort of guest", "captain takings", "captain quota by town",
			"revenue of regular", "船长的收入", "船长收入", "常客的收入是多少", "各客人类别的收入", "revenue by guest",
		},
		"Denywrit": {"revenue of the complaint", "revenue of denywrit", "clean takings", "revenue without noise", "净收入", "不含杂音的收入", "revenue by remark"},
		"Lockwrit": {"wages of the cook", "wages", "wages of lockwrit", "厨师的工资", "工资"},
		"= 4711":   {"adult bookings", "成人预订", "adult bookings by town"},
	}
	const open = "revenue of the harbour"
	for name, rules := range map[string]string{
		"masked and denied": `
rules:
  - {name: boss, user: boss}
  - {name: pay, table: payroll, access: deny}
  - {name: rooms, table: booking, columns: [{name: remark, access: deny}, {name: guest, mask: "'***'"}, {name: age, mask: "0"}]}
`,
		"all masked": `
rules:
  - {name: boss, user: boss}
  - {name: pay, table: payroll, columns: [{name: person, mask: "'-'"}]}
  - {name: rooms, table: booking, columns: [{name: remark, mask: "'-'"}, {name: guest, mask: "'***'"}, {name: age, mask: "0"}]}
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := hotel(t, rules)
			for range 2 { // each after the other: what was made ready for one is not the other's
				for value, questions := range asked {
					told := said(t, s, "ann", questions...)
					for secret := range asked {
						require.False(t, strings.Contains(told, secret), "%s told to ann of %v", secret, questions) // all of it is too long to read
					}
					require.True(t, strings.Contains(said(t, s, "boss", questions...), value), "%s not told to boss of %v", value, questions)
				}
				require.Contains(t, said(t, s, "ann", open), "'Openwrit'", "what is not withheld is told")
				require.Contains(t, said(t, s, "ann", "sum of ages"), "SUM(age) / 1", "a number that nothing is compared with is no stored value")
				require.NotContains(t, said(t, s, "ann"), "captain", "a metric that answers nothing is not listed")
				require.Contains(t, said(t, s, "boss"), "captain")
			}
		})
	}
	t.Run("a rule about a column that is no more", func(t *testing.T) {
		t.Parallel()
		s := hotel(t, "rules:\n  - {name: boss, user: boss}\n  - {name: rooms, table: booking, columns: [{name: was_called_so, mask: \"'-'\"}]}\n")
		for value, questions := range asked {
			require.False(t, strings.Contains(said(t, s, "ann", questions...), value), "%s told of %v", value, questions)
		}
	})
	t.Run("a row filter withholds no column", func(t *testing.T) {
		t.Parallel()
		s := hotel(t, "rules:\n  - {name: rooms, table: booking, filter: \"town = 'Openwrit'\"}\n")
		require.Contains(t, said(t, s, "ann", "revenue of the captain"), "'Maskwrit'")
	})
}
