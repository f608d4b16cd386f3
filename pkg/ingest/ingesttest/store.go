// Package ingesttest makes data that tests bring in.
package ingesttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Store makes a shop of 15 tables as CSV files that declare nothing, and the
// references that are in it. Names of towns, of people and of firms occur in several
// tables, and small numbers everywhere, so that equal values alone tell nothing.
func Store(seed uint64) (files map[string]string, truth []string) {
	r := rand.New(rand.NewPCG(seed, 15)) //nolint:gosec // data of a test
	files = map[string]string{}
	table := func(name, header string, rows int, row func(i int) []any) {
		var b strings.Builder
		b.WriteString(header + "\n")
		for i := 1; i <= rows; i++ {
			cells := row(i)
			for n, c := range cells {
				if n > 0 {
					b.WriteByte(',')
				}
				fmt.Fprint(&b, c)
			}
			b.WriteByte('\n')
		}
		files[name+".csv"] = b.String()
	}
	one := func(n int) int { return 1 + r.IntN(n) }
	word := func(list string) string { words := strings.Fields(list); return words[r.IntN(len(words))] }
	day := func() string { return fmt.Sprintf("2025-%02d-%02d", one(12), one(28)) }
	const first, last, towns = "Ana Bo Cem Dai Eva Fay Gus Hal Ida Jon", "Abel Bush Cole Dorn Egli Funk Gray Holm", "Lund Graz Bern Oslo Gent Porto Nice Turku"
	table("countries", "id,name,iso_code", 12, func(i int) []any { return []any{i, fmt.Sprint("Land ", i), fmt.Sprintf("L%c", 'A'+i)} })
	table("cities", "id,name,country_id", 60, func(i int) []any { return []any{i, fmt.Sprint(word(towns), " ", i%20), one(12)} })
	table("customers", "id,first_name,last_name,email,city_id,referred_by", 400, func(i int) []any {
		ref := any("")
		if i > 10 && i%3 == 0 {
			ref = one(i - 1)
		}
		return []any{i, word(first), word(last), fmt.Sprintf("c%d@example.org", i), one(60), ref}
	})
	table("categories", "id,name,parent_id", 20, func(i int) []any {
		parent := any("")
		if i > 4 {
			parent = one(4)
		}
		return []any{i, fmt.Sprint("Group ", i), parent}
	})
	table("suppliers", "supplier_code,company_name,city_id", 30, func(i int) []any {
		return []any{fmt.Sprintf("SUP-%03d", i), fmt.Sprint(word(towns), " Ltd ", i), one(60)}
	})
	table("products", "id,title,category_id,supplier_code,list_price", 150, func(i int) []any {
		return []any{i, fmt.Sprint("Thing ", i), one(20), fmt.Sprintf("SUP-%03d", one(30)), fmt.Sprintf("%d.%02d", one(90), r.IntN(100))}
	})
	table("tags", "id,label", 25, func(i int) []any { return []any{i, fmt.Sprint("tag ", i)} })
	table("product_tags", "product_id,tag_id", 300, func(i int) []any { return []any{1 + (i-1)%150, 1 + (i*7+(i-1)/150)%25} })
	table("employees", "employee_id,first_name,last_name,reports_to,store_id", 40, func(i int) []any {
		boss := any("")
		if i > 1 {
			boss = one(i - 1)
		}
		return []any{i, word(first), word(last), boss, one(8)}
	})
	table("stores", "id,store_name,city_id,manager_id", 8, func(i int) []any { return []any{i, fmt.Sprint("Store ", i), one(60), i * 3} })
	table("orders", "order_id,customer_id,store_id,salesperson_id,order_date,status", 1200, func(i int) []any {
		return []any{i, one(400), one(8), one(40), day(), word("paid open void")}
	})
	table("order_lines", "order_id,line_no,product_id,quantity,unit_price", 3000, func(i int) []any {
		return []any{1 + (i-1)%1200, 1 + (i-1)/1200, one(150), one(9), fmt.Sprintf("%d.50", one(90))}
	})
	table("payments", "payment_id,order_id,amount,paid_on", 1100, func(i int) []any { return []any{i, i, fmt.Sprintf("%d.25", one(500)), day()} })
	table("shipments", "shipment_id,order_id,line_no,shipped_on", 900, func(i int) []any { return []any{i, 1 + (i-1)%450, 1 + (i-1)/450, day()} })
	table("reviews", "id,product_id,customer_id,rating", 700, func(i int) []any { return []any{i, one(150), one(400), one(5)} })
	return files, []string{
		"cities(country_id) countries(id)", "customers(city_id) cities(id)", "customers(referred_by) customers(id)",
		"categories(parent_id) categories(id)", "suppliers(city_id) cities(id)",
		"products(category_id) categories(id)", "products(supplier_code) suppliers(supplier_code)",
		"product_tags(product_id) products(id)", "product_tags(tag_id) tags(id)",
		"employees(reports_to) employees(employee_id)", "employees(store_id) stores(id)",
		"stores(city_id) cities(id)", "stores(manager_id) employees(employee_id)",
		"orders(customer_id) customers(id)", "orders(store_id) stores(id)", "orders(salesperson_id) employees(employee_id)",
		"order_lines(order_id) orders(order_id)", "order_lines(product_id) products(id)",
		"payments(order_id) orders(order_id)", "shipments(order_id) orders(order_id)", "shipments(order_id,line_no) order_lines(order_id,line_no)",
		"reviews(product_id) products(id)", "reviews(customer_id) customers(id)",
	}
}
