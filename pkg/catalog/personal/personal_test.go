package personal_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog/personal"
)

func TestByName(t *testing.T) {
	t.Parallel()
	rules := personal.New([]string{"hobby"})
	for _, c := range []struct {
		table, column, kind string
		keep                bool
	}{
		{"users", "email", "email", false}, {"x", "customerEmail", "email", false}, {"x", "E-Mail", "email", false},
		{"x", "Phone1", "phone", false}, {"x", "客户手机号", "phone", false}, {"x", "ID Card", "person_id", false}, {"x", "身份证号码", "person_id", false},
		{"x", "user_password", "secret", false}, {"x", "client_ip", "network", false}, {"x", "IBAN", "account", false}, {"x", "DateOfBirth", "birth_date", false},
		{"stores", "address", "address", true}, {"x", "home_address", "address", false}, {"x", "收货地址", "address", true},
		{"x", "first_name", "name", true}, {"customers", "name", "name", true}, {"客户", "名称", "name", true}, {"订单", "收货人", "name", true},
		{"x", "hobby", personal.Other, false},
		{"products", "name", "", true}, {"products", "product_name", "", true}, {"cities", "city", "", true}, {"x", "hotel", "", true}, {"x", "mailing", "", true},
		{"x", "tokens", "", true}, {"x", "telescope", "", true}, {"x", "城市", "", true}, {"x", "address_id", "", true}, {"x", "phone_model", "", true},
		{"x", "email_opt_in", "", true}, {"x", "", "", true}, {"x", "id", "", true}, {"x", "idCard", "person_id", false}, {"x", "card_id", "", true},
		{"x", "dateOfBIRTH", "birth_date", false}, {"x", "birth_of_date", "", true}, {"order_items", "name", "", true}, {"OrderCustomers", "Name", "name", true},
	} {
		mark, keep := rules.ByName(rules.OfPersons(c.table), c.column)
		if c.kind == "" {
			require.Nil(t, mark, "%s of %s", c.column, c.table)
			continue
		}
		require.NotNil(t, mark, "%s of %s", c.column, c.table)
		require.Equal(t, c.kind, mark.Kind, "%s of %s", c.column, c.table)
		require.NotEmpty(t, mark.Reason)
		require.Equal(t, c.keep, keep, "%s of %s", c.column, c.table)
		require.True(t, personal.IsKind(mark.Kind))
	}
}

// A warehouse has a million columns: a look at one makes its words and no more, however
// many rules there are.
func TestByNameMakesLittle(t *testing.T) { //nolint:paralleltest // allocations are counted
	further := make([]string, 1000)
	for i := range further {
		further[i] = fmt.Sprintf("secret%c%c word", 'a'+i%26, 'a'+i/26%26)
	}
	rules := personal.New(further)
	made := testing.AllocsPerRun(100, func() { rules.ByName(true, "shipment_tax_amount") })
	require.LessOrEqual(t, made, 12.0)
}

func TestByValues(t *testing.T) {
	t.Parallel()
	made := func(one func(i int) string) (out []string) {
		for i := range 40 {
			out = append(out, one(i))
		}
		return out
	}
	for _, c := range []struct {
		kind    string
		numbers bool
		values  []string
	}{
		{"email", false, made(func(i int) string { return fmt.Sprintf("u%d@mail.example.org", i) })},
		{"phone", false, made(func(i int) string { return fmt.Sprintf("+49 30 12345%02d", i) })},
		{"phone", false, made(func(i int) string { return fmt.Sprintf("(555) 123-45%02d", i) })},
		{"phone", true, made(func(i int) string { return fmt.Sprintf("138123456%02d", i) })},
		{"network", false, made(func(i int) string { return fmt.Sprintf("10.0.7.%d", i) })},
		{"person_id", false, []string{"11010519491231002X", "440524188001010014", "11010519491231002X", "11010519491231002X", "11010519491231002X", "11010519491231002X", "11010519491231002X", "11010519491231002X", "11010519491231002X", "11010519491231002X"}},
		{"name", false, []string{"王伟", "李娜", "张敏", "刘洋", "陈静", "杨丽华", "黄强", "赵磊", "吴军"}},
		{"", false, made(func(i int) string { return fmt.Sprintf("2024-01-%02d", i%28+1) })},
		{"", false, made(func(i int) string { return fmt.Sprintf("ORD-%d", 100000+i) })},
		{"", true, made(func(i int) string { return fmt.Sprint(20240000 + i) })},
		{"", false, []string{"广州", "深圳", "上海", "北京", "成都", "杭州", "武汉", "南京", "苏州"}},
		{"", false, made(func(i int) string { return fmt.Sprintf("44052418800101%04d", i*37) })}, // no check digits
		{"email", false, []string{"a@b.example"}},                 // nothing else is written so
		{"", false, []string{"10.0.7.1", "10.0.7.2", "10.0.7.3"}}, // or versions of something
		{"", false, nil},
	} {
		mark, keep := personal.New(nil).ByValues(c.values, c.numbers)
		if c.kind == "" {
			require.Nil(t, mark, c.values)
			continue
		}
		require.NotNil(t, mark, c.values)
		require.Equal(t, c.kind, mark.Kind)
		require.Contains(t, mark.Reason, "different values")
		require.Equal(t, personal.Asked(c.kind), keep)
	}
}
