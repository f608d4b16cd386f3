package app_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
)

// withHotel puts a source into the data directory whose catalog has sample values of
// three tables, and a layer that names values of them.
func withHotel(t *testing.T, dir string, m source.Manifest) {
	t.Helper()
	store, err := source.Open(dir)
	require.NoError(t, err)
	table := func(name, about string, columns ...catalog.Column) catalog.Table {
		return catalog.Table{Name: catalog.Name{Region: "hotel", Schema: "main", Table: name}, Description: about, RowCount: 70, Columns: columns}
	}
	kept := func(name string, samples ...string) catalog.Column {
		return catalog.Column{Name: name, Type: "varchar", Samples: samples, Distinct: int64(len(samples))}
	}
	amount := catalog.Column{Name: "amount", Type: "bigint"}
	m.DefaultRegion, m.DefaultSchema, m.Version = "hotel", "main", "1"
	_, err = store.Make(t.Context(), "hotel", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		return m, &catalog.Snapshot{Tables: []catalog.Table{
			table("booking", "bookings of rooms", amount, kept("guest", "Maskvar", "Masklin"), kept("remark", "Denyvar", "Denylin"), kept("town", "Openvar", "Openlin")),
			table("complaint", "complaints about rooms", amount, kept("about", "Filtvar", "Filtlin")),
			table("payroll", "pay of the staff", amount, kept("person", "Lockvar", "Locklin")),
		}}, nil
	})
	require.NoError(t, err)
	layer := filepath.Join(semantic.OwnDir(dir, "hotel"), "hotel.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(layer), 0o750))
	require.NoError(t, os.WriteFile(layer, []byte(`
metrics:
  - {id: revenue, names: {en: revenue}, table: main.booking, expr: SUM(amount)}
  - {id: complaints, names: {en: complaints}, table: main.complaint, expr: COUNT(*)}
dimensions:
  - {id: guest, names: {en: guest}, table: main.booking, expr: guest, values: [{value: Maskwrit, synonyms: [captain]}]}
  - {id: remark, names: {en: remark}, table: main.booking, expr: remark, values: [{value: Denywrit}]}
  - {id: town, names: {en: town}, table: main.booking, expr: town, values: [{value: Openwrit}]}
  - {id: about, names: {en: subject}, table: main.complaint, expr: about, values: [{value: Filtwrit}]}
`), 0o600))
}

// TestStoredValuesAreShownToWhomTheyAreFor asks every service that tells of tables,
// by rules and by a model, and looks for stored values in the answers and in what
// the model was sent.
func TestStoredValuesAreShownToWhomTheyAreFor(t *testing.T) {
	t.Parallel()
	const rules = `
rules:
  - {name: pay, table: payroll, access: deny}
  - {name: rooms, table: booking, columns: [{name: remark, access: deny}, {name: guest, mask: "'***'"}]}
  - {name: own, table: complaint, filter: "about = 'Filtvar'"}
  - {name: rest}
`
	embedded := source.Manifest{Engine: source.EngineDuckDB, Origin: "csv"}
	onTrino := func(impersonate bool, by string) source.Manifest {
		return source.Manifest{Engine: source.EngineTrino, Origin: "trino", SamplesBy: by, Trino: &source.TrinoConnection{
			URL: "http://127.0.0.1:1", User: "svc", Impersonate: impersonate, Regions: map[string]source.TrinoPlace{"hotel": {Catalog: "hotel"}}}}
	}
	all := []string{"Mask", "Deny", "Open", "Filt", "Lock"}
	for name, tc := range map[string]struct {
		manifest source.Manifest
		policy   string
		stored   []string // beginnings of the sample values that are told
		written  []string // of the values that people wrote into the layer, in prompts
	}{
		"no policy":                          {embedded, "", all, []string{"Mask", "Deny", "Open", "Filt"}},
		"policy":                             {embedded, rules, []string{"Open"}, []string{"Open"}},
		"Trino, nobody knows who read them":  {onTrino(false, ""), "", nil, []string{"Mask", "Deny", "Open", "Filt"}},
		"Trino as the asker, by the service": {onTrino(true, "svc"), "", nil, []string{"Mask", "Deny", "Open", "Filt"}},
		"Trino, by the one user":             {onTrino(false, "svc"), "", all, []string{"Mask", "Deny", "Open", "Filt"}},
		"Trino, by the one user, policy":     {onTrino(false, "svc"), rules, []string{"Open"}, []string{"Open"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endpoint := llmtest.New(t, func(llmtest.Request) llmtest.Answer { return llmtest.Answer{Text: "{}"} })
			c := testConfig(t)
			c.Source, c.FindData.Config.DefaultSource = "hotel", "hotel"
			c.Text2SQL.Config.Strategy, c.FindData.Config.Strategy = "llm", "llm"
			c.LLM.Config.BaseURL, c.LLM.Config.Model, c.LLM.Config.Attempts = endpoint.URL, "small", 1
			if tc.policy != "" {
				c.Policy.File = filepath.Join(t.TempDir(), "policy.yaml")
				require.NoError(t, os.WriteFile(c.Policy.File, []byte(tc.policy), 0o600))
			}
			withHotel(t, c.DataDir, tc.manifest)
			conn := start(t, c, app.All).dial()
			find, cat := findatav1.NewFindDataServiceClient(conn), findatav1.NewCatalogServiceClient(conn)
			write, route := text2sqlv1.NewText2SQLServiceClient(conn), routerv1.NewRouterServiceClient(conn)
			var b strings.Builder
			note := func(m proto.Message, err error) {
				if err != nil {
					b.WriteString(err.Error())
					return
				}
				b.WriteString(prototext.Format(m))
			}
			described, err := cat.DescribeTables(t.Context(), &findatav1.DescribeTablesRequest{Source: "hotel", Tables: []string{"booking", "complaint", "payroll"}})
			note(described, err)
			listed, err := cat.ListTables(t.Context(), &findatav1.ListTablesRequest{Source: "hotel", PageSize: 100, WithColumns: true})
			note(listed, err)
			catalogSaid := b.String()
			// Values are asked for in small letters: an answer that knows them writes them as stored.
			for _, question := range []string{
				"bookings of rooms by guest, remark and town", "complaints about rooms by subject", "pay of the staff by person", "revenue by guest",
				"how many bookings of rooms with guest maskvar?", "how many bookings of rooms with remark denyvar?", "how many complaints about filtlin?",
				"how many rows of payroll with person lockvar?", "revenue of denywrit", "revenue of maskwrit", "revenue of captain", "complaints of filtwrit",
			} {
				q := &findatav1.DiscoverQuery{Source: "hotel", UserQuery: question, SummaryLevel: findatav1.SummaryLevel_SUMMARY_LEVEL_EXPERT}
				discovered, err := find.DiscoverUnary(t.Context(), &findatav1.DiscoverUnaryRequest{Query: q})
				note(discovered, err)
				searched, err := find.SearchTables(t.Context(), &findatav1.SearchTablesRequest{Source: "hotel", Query: question, PageSize: 10})
				note(searched, err)
				for _, strategy := range []text2sqlv1.Strategy{text2sqlv1.Strategy_STRATEGY_RULES, text2sqlv1.Strategy_STRATEGY_LLM} {
					sql, err := write.GenerateSQLUnary(t.Context(), &text2sqlv1.GenerateSQLUnaryRequest{Query: &text2sqlv1.GenerateQuery{
						Source: "hotel", UserQuestion: question, Strategy: strategy, Execution: text2sqlv1.Execution_EXECUTION_NONE}})
					note(sql, err)
				}
				answered, err := route.Ask(t.Context(), &routerv1.AskRequest{Turn: &routerv1.Turn{Source: "hotel", Question: question, Execution: text2sqlv1.Execution_EXECUTION_NONE}})
				note(answered, err)
			}
			prompts := ""
			for _, r := range endpoint.Requests() {
				prompts += r.Raw
			}
			require.NotEmpty(t, prompts)
			for _, beginning := range all {
				told := len(tc.stored) > 0 && strings.Contains(strings.Join(tc.stored, " "), beginning)
				for _, end := range []string{"var", "lin"} {
					require.Equal(t, told, strings.Contains(catalogSaid, beginning+end), "the catalog's answers: %s", beginning+end)
					require.Equal(t, told, strings.Contains(prompts, beginning+end), "prompts: %s", beginning+end)
					if !told {
						require.NotContains(t, b.String(), beginning+end)
					}
				}
				written := strings.Contains(strings.Join(tc.written, " "), beginning)
				if !written && beginning != "Filt" { // a row filter withholds no column: people name what they look for
					require.NotContains(t, b.String(), beginning+"writ")
				}
				if beginning != "Lock" {
					require.Equal(t, written, strings.Contains(prompts, beginning+"writ"), "prompts: %swrit", beginning)
				}
			}
		})
	}
}
