package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/dibrain/dibrain/pkg/ingest/jsonl"
)

// The words of the made warehouse. They are those of no evaluation set.
var (
	domains = []string{"order", "payment", "logistics", "warehouse", "marketing", "seller", "buyer", "item", "voucher", "refund", "chat", "risk",
		"finance", "search", "ads", "traffic", "account", "livestream", "affiliate", "insurance", "credit", "procurement", "hr", "fleet"}
	subjects = []string{"shipment", "invoice", "session", "campaign", "listing", "review", "return", "transfer", "balance", "contract", "driver",
		"parcel", "route", "coupon", "impression", "click", "cart", "checkout", "complaint", "agent", "penalty", "payout", "deposit", "subscription",
		"supplier", "stock", "price", "category", "brand", "region", "device", "experiment", "notification", "ticket", "audit", "lead"}
	aspects = []string{"detail", "summary", "status", "history", "event", "profile", "snapshot", "metric", "mapping", "config", "log", "cost", "quality", "forecast"}
	fields  = []string{"id", "name", "status", "type", "amount", "quantity", "currency", "city", "channel", "source", "created_at", "updated_at", "start_time",
		"end_time", "duration", "score", "rank", "level", "flag", "count", "ratio", "tax_amount", "discount_amount", "net_amount", "customer_id", "shop_id",
		"order_id", "item_id", "payment_id", "address_id", "operator", "remark", "version", "platform", "language", "weight", "height", "width", "fee", "rate"}
	layers    = []string{"ods", "dwd", "dws", "ads", "dim"}
	countries = []string{"sg", "id", "my", "th", "vn", "ph", "br", "mx", "tw", "co"}
	types     = []string{"bigint", "varchar", "double", "timestamp(6)", "date", "decimal(18,2)", "boolean"}
)

func pick(r *rand.Rand, words []string) string { return words[r.IntN(len(words))] }

// line makes a table. Each has columns in number around the mean, 4 at least, and a
// few have hundreds; of three tables two are twins for other countries.
func line(r *rand.Rand, n, mean int) jsonl.Line {
	domain, subject, aspect := pick(r, domains), pick(r, subjects), pick(r, aspects)
	layer, country := pick(r, layers), pick(r, countries)
	l := jsonl.Line{
		Region: "sg", DB: "mp_" + domain, Table: fmt.Sprintf("%s_%s_%s_%s_%d", layer, domain, subject, aspect, n/3),
		Description: fmt.Sprintf("%s of each %s of the %s domain, kept for %s reports", aspect, subject, domain, pick(r, subjects)),
		Mart:        strings.ToUpper(domain[:1]) + domain[1:], Layer: layer, Grain: "one " + subject, Owner: "team_" + domain,
		QueryCount30d: int64(r.ExpFloat64() * 50),
	}
	if n%3 != 0 {
		l.Country = strings.ToUpper(country)
		l.Table += "_" + country
	}
	columns := 4 + r.IntN(max(2*(mean-4), 1))
	if n%500 == 0 {
		columns = 500
	}
	taken := make(map[string]bool)
	for c := range columns {
		name := pick(r, fields)
		if c >= 8 {
			name = pick(r, subjects) + "_" + name
		}
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", strings.TrimRight(name, "_0123456789"), n)
		}
		taken[name] = true
		column := jsonl.Column{Name: name, Type: pick(r, types)}
		if r.IntN(2) == 0 {
			column.Comment = fmt.Sprintf("%s of the %s", strings.ReplaceAll(name, "_", " "), pick(r, subjects))
		}
		if column.Type == "varchar" && r.IntN(4) == 0 {
			column.Samples = []string{pick(r, aspects), pick(r, domains)}
		}
		l.Columns = append(l.Columns, column)
	}
	return l
}

// generate writes n tables, a line each, with a mart for each domain.
func generate(path string, n, columns int, seed uint64) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	r := rand.New(rand.NewPCG(seed, 1))
	encoder := json.NewEncoder(w)
	for i := range n {
		if err := encoder.Encode(line(r, i, columns)); err != nil {
			return err
		}
	}
	marts := make([]map[string]string, len(domains))
	for i, d := range domains {
		marts[i] = map[string]string{"name": strings.ToUpper(d[:1]) + d[1:], "description": "all about " + d}
	}
	if err := encoder.Encode(map[string]any{"marts": marts}); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// questions makes questions about the tables: each asks for other words of them.
func questions(n int, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 2))
	asked := make([]string, n)
	for i := range asked {
		subject, aspect, domain, field := pick(r, subjects), pick(r, aspects), pick(r, domains), strings.ReplaceAll(pick(r, fields), "_", " ")
		switch i % 4 {
		case 0:
			asked[i] = fmt.Sprintf("which table has the %s %s in %s", subject, aspect, domain)
		case 1:
			asked[i] = fmt.Sprintf("total %s by %s for %s last month", field, subject, strings.ToUpper(pick(r, countries)))
		case 2:
			asked[i] = fmt.Sprintf("daily %s of every %s with its %s and %s", aspect, subject, field, strings.ReplaceAll(pick(r, fields), "_", " "))
		default:
			asked[i] = fmt.Sprintf("how many %ss did %s have", subject, domain)
		}
	}
	return asked
}
