package findata

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

func TestDiscoverStreamsStages(t *testing.T) {
	t.Parallel()
	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer()
	demoService(t, nil).Register(server)
	go func() { _ = server.Serve(listener) }() // ends with Stop
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient("passthrough:///findata", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })

	stream, err := findatav1.NewFindDataServiceClient(conn).Discover(t.Context(), &findatav1.DiscoverRequest{Query: &findatav1.DiscoverQuery{UserQuery: "daily GMV in Singapore"}})
	require.NoError(t, err)
	var stages []string
	for {
		event, err := stream.Recv()
		require.NoError(t, err, "the result is the last event")
		if s := event.GetStage(); s != nil {
			require.NotEmpty(t, s.GetMessage())
			stages = append(stages, s.GetName())
			continue
		}
		if event.GetPreview() != nil {
			continue
		}
		require.NotEmpty(t, event.GetResult().GetRelatedTables())
		require.Len(t, event.GetTrace().GetRecords(), len(stages), "each stage is a step of the run")
		break
	}
	require.Equal(t, []string{"preprocess", "retrieve", "scope", "fuse", "filter", "answer"}, stages)

	sources, err := findatav1.NewCatalogServiceClient(conn).ListSources(t.Context(), &findatav1.ListSourcesRequest{})
	require.NoError(t, err)
	require.True(t, sources.GetSources()[0].GetIsDefault())
}

func TestAnswerQuestion(t *testing.T) {
	t.Parallel()
	find := &findDataServer{service: demoService(t, nil)}
	for _, c := range []struct{ ask, answer, dontKnow string }{
		{ask: "who owns sg.mp_item.dim_item__reg_s0_live?", answer: "item-data@demo-shop.example"},
		{ask: "how is dws_order_gmv_1d__sg_s0_live partitioned?", answer: "grass_date"},
		{ask: "what is the grain of dwd_order_item_di__sg_s0_live", answer: "one row stands for"},
		{ask: "when was dws_cs_ticket_1d__reg_s0_live last updated", answer: "3 days ago"},
		{ask: "dim_seller__reg_s0_live 有哪些字段", answer: "seller_id"},
		{ask: "GMV 的定义", answer: "成交总额"},
		{ask: "what is the capital of France", dontKnow: "Nothing in source demo"},
	} {
		out, err := find.AnswerQuestion(as(t, "ann"), &findatav1.AnswerQuestionRequest{Query: &findatav1.DiscoverQuery{UserQuery: c.ask}})
		require.NoError(t, err)
		if c.dontKnow != "" {
			require.Contains(t, out.GetDontKnowReason(), c.dontKnow, c.ask)
			require.Empty(t, out.GetAnswer())
			continue
		}
		require.Contains(t, out.GetAnswer(), c.answer, c.ask)
		require.NotEmpty(t, out.GetRelatedTables())
	}
}

func TestSearchTablesPages(t *testing.T) {
	t.Parallel()
	find := &findDataServer{service: demoService(t, nil)}
	seen := make(map[string]bool)
	token := ""
	for range 20 {
		out, err := find.SearchTables(as(t, "ann"), &findatav1.SearchTablesRequest{Query: "orders", PageSize: 2, PageToken: token})
		require.NoError(t, err)
		for _, n := range namesOf(out.GetTables()) {
			require.False(t, seen[n], "%s twice", n)
			seen[n] = true
		}
		if token = out.GetNextPageToken(); token == "" {
			break
		}
	}
	require.Empty(t, token)
	require.Greater(t, len(seen), 3)
}

func TestSimilarTables(t *testing.T) {
	t.Parallel()
	find := &findDataServer{service: demoService(t, nil)}
	out, err := find.SimilarTables(as(t, "ann"), &findatav1.SimilarTablesRequest{Table: "sg.traffic.dws_site_visit_1d__sg_s0_live"})
	require.NoError(t, err)
	require.Equal(t, "sg.traffic.dws_platform_traffic_1d__reg_s0_live", namesOf(out.GetTables())[0], "its successor")
	out, err = find.SimilarTables(as(t, "ann"), &findatav1.SimilarTablesRequest{Table: "sg.mp_order.dws_order_gmv_1d__sg_s0_live", MaxTables: 7})
	require.NoError(t, err)
	require.Len(t, out.GetTables(), 7)
	for _, variant := range out.GetTables() {
		require.Equal(t, "a variant of the same table", variant.GetReasons()[0])
	}
}

// A name without its data centre finds the only table of that name, wherever it
// is kept.
func TestDescribeWithoutRegion(t *testing.T) {
	t.Parallel()
	cat := &catalogServer{service: demoService(t, nil)}
	out, err := cat.DescribeTables(as(t, "ann"), &findatav1.DescribeTablesRequest{Tables: []string{
		"mp_order.dws_order_gmv_1d__br_s0_live", "mp_order.dws_order_gmv_1d__sg_s0_live", "mp_order.nothing_like_it",
	}})
	require.NoError(t, err)
	var regions []string
	for _, table := range out.GetTables() {
		regions = append(regions, table.GetRef().GetIdcRegion())
	}
	require.Equal(t, []string{"useast", "sg"}, regions)
	require.Len(t, out.GetUnknownTables(), 1)
}
