package findata

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// TestForbiddenTablesNeverLeak asks every rpc, as somebody who may not see the
// order mart and one table of another, and looks for their names in all that
// comes back, errors included.
func TestForbiddenTablesNeverLeak(t *testing.T) {
	t.Parallel()
	hidden := func(table *catalog.Table) bool {
		return table.Mart == "Order" || table.Name.Table == "dim_spx_hub" || table.Name.Table == "dws_platform_traffic_1d__reg_s0_live"
	}
	s := demoService(t, func(p run.Principal, _ string, table *catalog.Table) bool { return p.ID == "boss" || !hidden(table) })
	ctx := as(t, "ann")
	find, cat := &findDataServer{service: s}, &catalogServer{service: s}

	v, release, err := s.library.Open(ctx, "demo")
	require.NoError(t, err)
	defer release()
	var secrets []string
	total := 0
	for _, table := range v.Index.All().Tables() {
		total++
		if hidden(table) {
			secrets = append(secrets, table.Name.Table, strings.TrimSuffix(table.Manifest, "__{cid}_s0_live"))
		}
	}
	require.Greater(t, len(secrets), 20)

	texts := []string{
		"daily GMV in Singapore", "各国销售额", "orders by seller", "parcels by hub", "visitors and conversion rate", "traffic", "refund reasons",
		"what is GMV?", "which tables are there about orders", "dws_order_gmv_1", "@sg.mp_order.dws_order_gmv_1d__sg_s0_liv", "@dim_spx_hu", "page views",
	}
	var said []proto.Message
	var failed []error
	note := func(m proto.Message, err error) {
		if err != nil {
			failed = append(failed, err)
			return
		}
		said = append(said, m)
	}
	for _, text := range texts {
		for _, level := range []findatav1.SummaryLevel{findatav1.SummaryLevel_SUMMARY_LEVEL_SHORT, findatav1.SummaryLevel_SUMMARY_LEVEL_EXPERT} {
			q := &findatav1.DiscoverQuery{UserQuery: text, SummaryLevel: level}
			discovered, err := find.DiscoverUnary(ctx, &findatav1.DiscoverUnaryRequest{Query: q})
			note(discovered, err)
			answered, err := find.AnswerQuestion(ctx, &findatav1.AnswerQuestionRequest{Query: q})
			note(answered, err)
			clarified, err := find.ClarifyScope(ctx, &findatav1.ClarifyScopeRequest{Query: q})
			note(clarified, err)
		}
		searched, err := find.SearchTables(ctx, &findatav1.SearchTablesRequest{Query: text, PageSize: 100})
		note(searched, err)
	}
	for _, name := range []string{"dim_category", "dws_seller_performance_1m__reg_s0_live", "sg.traffic.dws_site_visit_1d__sg_s0_live", "mp_item.dim_item__reg_s0_live"} {
		similar, err := find.SimilarTables(ctx, &findatav1.SimilarTablesRequest{Table: "sg." + strings.TrimPrefix(name, "sg.")})
		note(similar, err)
	}
	asked := []string{"sg.mp_order.dws_order_gmv", "sg.spx_mart.dim_spx_hu"}
	near, err := cat.DescribeTables(ctx, &findatav1.DescribeTablesRequest{Tables: asked})
	note(near, err)
	listed, err := cat.ListTables(ctx, &findatav1.ListTablesRequest{PageSize: 1000, WithColumns: true})
	note(listed, err)
	marts, err := cat.ListMarts(ctx, &findatav1.ListMartsRequest{})
	note(marts, err)
	glossary, err := cat.GetGlossary(ctx, &findatav1.GetGlossaryRequest{})
	note(glossary, err)

	require.NotEmpty(t, said)
	require.NotEmpty(t, marts.GetMarts())
	for _, m := range said {
		text := prototext.Format(m)
		for _, secret := range secrets {
			// What the asker wrote comes back as they wrote it, and only that.
			if strings.Contains(text, secret) && !strings.Contains(strings.Join(append(asked, texts...), " "), secret) {
				t.Fatalf("%q leaks in %.2000s", secret, text)
			}
		}
	}
	for _, err := range failed {
		text := err.Error() + prototext.Format(status.Convert(err).Proto())
		for _, secret := range secrets {
			require.NotContains(t, text, secret)
		}
	}
	for _, m := range marts.GetMarts() {
		require.NotEqual(t, "Order", m.GetName(), "a mart without a visible table does not exist")
	}
	require.Less(t, int(listed.GetTotal()), total)
	sources, err := cat.ListSources(ctx, &findatav1.ListSourcesRequest{})
	require.NoError(t, err)
	require.Equal(t, listed.GetTotal(), sources.GetSources()[0].GetTableCount())

	forBoss, err := cat.ListTables(as(t, "boss"), &findatav1.ListTablesRequest{PageSize: 1000})
	require.NoError(t, err)
	require.Equal(t, total, int(forBoss.GetTotal()), "the permission is the asker's, not the index's")
}

func TestHiddenIsAsUnknown(t *testing.T) {
	t.Parallel()
	s := demoService(t, func(_ run.Principal, _ string, table *catalog.Table) bool { return table.Mart != "Order" })
	find := &findDataServer{service: s}
	feedback := func(table string) error {
		_, err := find.Feedback(as(t, "ann"), &findatav1.FeedbackRequest{Tables: []string{table}, Kind: findatav1.FeedbackKind_FEEDBACK_KIND_ACCEPTED})
		return err
	}
	hidden, unknown := feedback("sg.mp_order.dws_order_gmv_1d__sg_s0_live"), feedback("sg.mp_order.no_such_thing_at_all_xyz")
	require.Equal(t, status.Code(unknown), status.Code(hidden))
	head := func(err error, name string) string {
		said, _, _ := strings.Cut(status.Convert(err).Message(), ";") // after it: near matches
		return strings.ReplaceAll(said, name, "X")
	}
	require.Equal(t, head(unknown, "no_such_thing_at_all_xyz"), head(hidden, "dws_order_gmv_1d__sg_s0_live"))
	require.Equal(t, fault.ReasonOf(unknown), fault.ReasonOf(hidden))
	require.NotContains(t, strings.TrimPrefix(status.Convert(hidden).Message(), "there is no table sg.mp_order.dws_order_gmv_1d__sg_s0_live"), "mp_order")
}
