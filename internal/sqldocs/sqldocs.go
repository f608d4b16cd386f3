// Package sqldocs makes the pages of docs/repairs and docs/lint: one for each class of
// repairs and each rule of the linter, from the data that they work by. The command in make
// writes them; `go generate ./internal/sqldocs` remakes them, and a test holds that they are
// current.
package sqldocs

import (
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/lint"
	"github.com/dibrain/dibrain/pkg/sql/repair"
)

//go:generate go run ./make ../../docs

// made tells readers of a page where it comes from.
const made = "<!-- made by go generate ./internal/sqldocs -->\n"

// The tables that the examples are over.
const (
	repairTables = "`orders(order_id, country, status, amount, qty, dt)`, `items(order_id, line, sku)`, `buyers(buyer_id, customer_tier_code, 付款编号, created_ms, home_id)` and `places(place_id, city)`"
	lintTables   = "`orders(id, buyer, units, amount, day)`, partitioned by `day`, `items(order_id, line, price)` and `buyers(id, name)`"
)

// Pages returns the pages by their paths below docs.
func Pages() (map[string]string, error) {
	classes, err := repair.Classes()
	if err != nil {
		return nil, err
	}
	pages := map[string]string{}
	var list strings.Builder
	list.WriteString(made + "# Classes of repairs\n\nWhat is certain is repaired; what is likely is told, or repaired with `--likely`. See\n[fix-sql.md](../fix-sql.md).\n\n| class | error | certain when |\n|---|---|---|\n")
	for _, c := range classes {
		pages["repairs/"+c.ID+".md"] = classPage(c)
		fmt.Fprintf(&list, "| [%s](%s.md) | %s | %s |\n", c.ID, c.ID, c.Code, c.Certain)
	}
	pages["repairs/README.md"] = list.String()
	list.Reset()
	list.WriteString(made + "# Rules of the linter\n\nWhat is valid and yet likely a mistake. See [sql.md](../sql.md).\n\n| rule | finds |\n|---|---|\n")
	for _, r := range lint.Rules() {
		pages["lint/"+r.ID+".md"] = rulePage(r)
		fmt.Fprintf(&list, "| [%s](%s.md) | %s |\n", r.ID, r.ID, r.Finds)
	}
	pages["lint/README.md"] = list.String()
	return pages, nil
}

func classPage(c repair.Class) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s# %s\n\nError: `%s`. What is said of it:\n\n- %s\n- %s\n\n", made, c.ID, c.Code, c.En, c.Zh)
	never, isNever := strings.CutPrefix(c.Certain, "never")
	switch {
	case isNever && strings.TrimPrefix(never, ": ") != "":
		fmt.Fprintf(&b, "It is always likely only: %s.\n", strings.TrimPrefix(never, ": "))
	case isNever:
		b.WriteString("It is always likely only: it is told, and made where it is asked for.\n")
	case c.Certain == "always":
		b.WriteString("It is certain always.\n")
	default:
		fmt.Fprintf(&b, "It is certain where this holds: %s. Else it is likely only.\n", c.Certain)
	}
	if c.Example[0] == "" {
		b.WriteString("\nIt needs the error of an engine, another dialect, a model, or a request to change a\nstatement; a text alone does not show it.\n")
		return b.String()
	}
	fmt.Fprintf(&b, "\nOver %s:\n\n```sql\n%s\n```\n\nbecomes\n\n```sql\n%s\n```\n", repairTables, c.Example[0], c.Example[1])
	return b.String()
}

func rulePage(r lint.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s# %s\n\nIt finds: %s.\n\nInstead: %s.\n\n", made, r.ID, r.Finds, r.Instead)
	if !r.Default {
		fmt.Fprintf(&b, "It is off unless `--enable %s` switches it on.\n", r.ID)
	} else {
		fmt.Fprintf(&b, "It is on unless `--disable %s` switches it off.\n", r.ID)
	}
	if r.Catalog {
		b.WriteString("It needs a catalog: `--catalog` or `--source`.\n")
	}
	fmt.Fprintf(&b, "\nOver %s it finds\n\n```sql\n%s\n```\n", lintTables, r.Example)
	return b.String()
}
