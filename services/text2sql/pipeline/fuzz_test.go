package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// oddTables are tables as files of people have them: names that are empty, of one
// sign, twice there, of several scripts, with blanks and quotes.
func oddTables() []catalog.Table {
	var out []catalog.Table
	for _, name := range []string{"订单", "Kunden", "t", "销售 report 2024", "🙂", "#", "订单"} {
		out = append(out, catalog.Table{Name: catalog.Name{Table: name}, RowCount: 5, Columns: []catalog.Column{
			{Name: "#", Type: "bigint", PrimaryKey: true, Distinct: 5}, {Name: "№", Type: "bigint"}, {Name: "", Type: "varchar"},
			{Name: "_", Type: "varchar", Distinct: 1, Samples: []string{""}}, {Name: "a", Type: "integer"}, {Name: "名", Type: "varchar", Distinct: 2, Samples: []string{"李", "a b", "最"}},
			{Name: "金额 (USD)", Type: "double"}, {Name: "金额", Type: "varchar", Samples: []string{"12", "-"}}, {Name: "金额", Type: "decimal(18,2)"},
			{Name: "下单date", Type: "date"}, {Name: "🙂🙂", Type: "boolean"}, {Name: "größe", Type: "double"}, {Name: `say "x"`, Type: "varchar"},
			{Name: "国家", Type: "varchar", Distinct: 2, Samples: []string{"中国", "US"}}, {Name: "数量", Type: "integer"}, {Name: "year", Type: "integer"},
		}})
	}
	return out
}

// drawnTables are tables as a text says: a line each, its name and those of its
// columns between bars.
func drawnTables(text string) []catalog.Table {
	types := []string{"bigint", "varchar", "double", "date", "boolean", "timestamp(3)"}
	const most = 6
	var out []catalog.Table
	for line := range strings.Lines(text) {
		names := strings.Split(strings.TrimRight(line, "\n"), "|")
		t := catalog.Table{Name: catalog.Name{Table: names[0]}, RowCount: int64(len(line))}
		for i, name := range names[1:min(len(names), 2*most)] {
			t.Columns = append(t.Columns, catalog.Column{Name: name, Type: types[(i+len(name))%len(types)], PrimaryKey: i == 0, Distinct: int64(i), Samples: names[:i%3]})
		}
		if out = append(out, t); len(out) == most {
			break
		}
	}
	return out
}

// drawnLayer gives metrics and what they are cut by the same odd names.
func drawnLayer(tables []catalog.Table) *semantic.Layer {
	l := &semantic.Layer{Countries: []semantic.Country{{Code: "", CID: ""}, {Code: "SG", CID: "sg", Names: semantic.Text{EN: "#", ZH: "新"}, Synonyms: []string{"", "🙂"}}}}
	for _, t := range tables {
		name := t.Name.Table
		l.Entities = append(l.Entities, semantic.Entity{ID: name, Names: semantic.Text{EN: name, ZH: name}, Table: name, Key: []string{"#"}, Label: semantic.Label{"名"}})
		for i, c := range t.Columns {
			text := semantic.Text{EN: c.Name, ZH: c.Name}
			if i%2 == 0 {
				l.Dimensions = append(l.Dimensions, semantic.Dimension{ID: name + c.Name, Names: text, Table: name, Expr: `"` + c.Name + `"`, Role: semantic.RoleCategory,
					Values: []semantic.Value{{Value: c.Name, Synonyms: []string{name, ""}}}})
				continue
			}
			l.Metrics = append(l.Metrics, semantic.Metric{ID: name + c.Name, Names: text, Synonyms: []string{""}, Table: name, Expr: `sum("` + c.Name + `")`, Time: "下单date", Grain: "day", Additivity: semantic.Additive})
		}
	}
	return l
}

// askAnything asks over tables with and without a layer, at once and as a change.
func askAnything(t *testing.T, p *pipeline.Pipeline, schemas []*pipeline.Schema, question, change string) {
	t.Helper()
	now := time.Date(2026, 3, 31, 9, 0, 0, 0, time.UTC)
	for _, s := range schemas {
		res := p.Answer(pipeline.Input{Question: question, Schema: s, Now: now})
		if res.SQL != "" {
			_, err := parser.Parse(res.SQL)
			require.NoError(t, err, "%q became SQL that cannot be read: %s", question, res.SQL)
		}
		if res.Outcome == pipeline.Answered {
			require.NotEmpty(t, res.SQL, question)
			require.False(t, res.Confidence < 0 || res.Confidence > 1 || res.Confidence != res.Confidence, "%q: %v", question, res.Confidence)
		}
		if res.Intent != nil {
			p.Answer(pipeline.Input{Question: question + " " + change, FollowUp: change, Previous: res.Intent, Schema: s, Now: now})
		}
	}
}

// Whatever is asked of whatever tables, the answer is SQL that can be read, or none.
func FuzzAnswer(f *testing.F) {
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(f, err)
	for _, question := range []string{
		"有多少？的最多。按降序，每", "最高的有多少", "哪个的最大？其多少", "那些订单，最多的有多少", "how many # of the most", "top 3 # by 金额 last month", "过去3个月每个国家的金额最高的", "share of a in 名",
		"订单 with the most", "和、的", "谁最", "\xff\xfe", "the 🙂 of 🙂🙂 with \"\"", "每每每最最最", "Kunden mit größe > 3", "前的前三的", "上个月 # 呢",
	} {
		f.Add(question, "订单|#|金额|名\n|a|\n#|#|#\n🙂|_|№", "top 3")
	}
	f.Fuzz(func(t *testing.T, question, tables, change string) {
		if len(question)+len(change) > 200 || len(tables) > 300 {
			return
		}
		drawn := drawnTables(tables)
		var layer *pipeline.Layer
		if len(tables)%2 == 0 {
			layer = p.PrepareLayer(drawnLayer(drawn))
		}
		askAnything(t, p, []*pipeline.Schema{p.Prepare(drawn, layer)}, question, change)
	})
}

// words of questions, and of the odd tables.
var words = strings.Fields(`有 多少 的 最高 最低 最多 最少 最大 最新 平均 总 数量 个数 每个 各 按 从高到低 降序 排列 前 三 3 10 2024 和 或 、 ， 。 ？ 哪个 哪些 哪位 谁 的是 是 什么 没有 不 不是 除了 大于 超过 至少 之间 到 其 它们 他们的 那些 这些 在 中 里 所有 全部 不同 种类 分别 占比 比例 百分比 差 增长 同比 环比 趋势 每天 每月 上个月 昨天 过去 天 年 月 日 以上 以下 以来 之后 之前 都 既 又 而且 但 同时 对于 名字 名称 列出 显示 给出 请 呢 吗 了 过 把 被 用 去掉 只看 换成 改成
	how many much what which who whose where when show list give find count number of the a an in on at for with without by per each every all both either neither and or not no than more less most least fewest highest lowest largest smallest oldest average total sum maximum share percent percentage ratio growth grew versus compared to between from until since before after last past next month week days year top bottom first 3 10 2024 ascending descending sorted ordered distinct different same also other only have has had is are was were did do their its that those them instead and? same for
	订单 Kunden t 销售 report 🙂 # № _ "" '' a 名 金额 (USD) 下单date 🙂🙂 größe say "x" 国家 中国 US 李 最 year . , ; ? ! % $ > < = ( ) " ' - / ~ 12.5 1e9 0 -3`)

// Words of questions in any order, over odd tables.
func FuzzWords(f *testing.F) {
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(f, err)
	tables := oddTables()
	schemas := []*pipeline.Schema{p.Prepare(tables, nil), p.Prepare(tables, p.PrepareLayer(drawnLayer(tables))), p.Prepare(tables[:1], nil), p.Prepare(gardens(), nil)}
	f.Add([]byte{0, 1, 2, 3, 4, 5}, uint8(0))
	f.Add([]byte("the most of them all and which of these has no"), uint8(3))
	f.Fuzz(func(t *testing.T, picks []byte, at uint8) {
		const most = 14
		var question strings.Builder
		for i, b := range picks[:min(len(picks), most)] {
			word := words[(int(b)*7+i*int(at))%len(words)]
			if question.Len() > 0 && word[0] < 0x80 {
				question.WriteByte(' ')
			}
			question.WriteString(word)
		}
		change := words[int(at)%len(words)] + " " + words[len(picks)%len(words)]
		askAnything(t, p, schemas[int(at)%len(schemas):][:1], question.String(), change)
	})
}
