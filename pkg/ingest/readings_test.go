package ingest

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
	"github.com/dibrain/dibrain/pkg/ingest/written"
)

// readingCase is a column of a file, and what the file's other columns tell.
type readingCase struct {
	values   string // separated by |
	customs  customs
	declared string
	want     string
}

// settled is what becomes of a column: its type, what people are told, and its values.
func settled(words *written.Words, c readingCase) string {
	var declared *ddl.Column
	if c.declared != "" {
		declared = &ddl.Column{Name: "c", Type: c.declared}
	}
	column := newColumn("c", declared)
	column.habit = newHabit(words)
	values := strings.Split(c.values, "|")
	for _, v := range values {
		column.observe(v)
	}
	message := column.settleFile(c.customs)
	column.settleAbsent(true)
	told := []string{column.unit, column.written, column.resembles, column.why, message}
	var shown []string
	for _, v := range values {
		value, ok := column.value(v)
		s := fmt.Sprint(value)
		if !ok {
			s = "!"
		}
		shown = append(shown, strings.TrimSuffix(strings.TrimSuffix(s, " +0000 UTC"), " 00:00:00"))
	}
	return column.typ.presto() + " [" + strings.Join(told, "; ") + "] " + strings.Join(shown, "|")
}

// TestReadings settles columns and reads their values: "!" is one that has no place in
// the column and is kept aside. Between brackets stand the unit, how it is written, what
// it resembles, why it is not that, and what is told of its declaration.
func TestReadings(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	for _, c := range []readingCase{
		{values: "1.230|567|2.345", want: "bigint [; a point between thousands; ; ; ] 1230|567|2345"},
		{values: "1.230|567|2.345", customs: customs{both: true}, want: "bigint [; a point between thousands; ; ; ] 1230|567|2345"},
		{values: "1.230|567|1200", want: "double [; ; ; ; ] 1.23|567|1200"},
		{values: "1.230|567|0.5", want: "double [; ; ; ; ] 1.23|567|0.5"},
		{values: "1.234|567|2.345", want: "double [; ; ; ; ] 1.234|567|2.345"},
		{values: "1.234|567|2.345", customs: customs{both: true}, want: "varchar [; ; number; no value tells the mark of thousands from that of decimals, and other columns write decimals both ways; ] 1.234|567|2.345"},
		{values: "about 1.5k|about 2.5k", want: "varchar [; ; number; in 2 of 2 values words stand beside the number; ] about 1.5k|about 2.5k"},
		{values: "7|x|x", want: "varchar [; ; ; ; ] 7|x|x"},
		{values: "|", want: "varchar [; ; ; ; ] |"},
		{values: "n/a|-", want: "varchar [; “n/a” (1) counts as missing; ; ; ] <nil>|-"},
		{values: "1|2|3", want: "bigint [; ; ; ; ] 1|2|3"},
		{values: "1|0|1", want: "bigint [; ; ; ; ] 1|0|1"},
		{values: "1|2.0|3.00", want: "double [; ; ; ; ] 1|2|3"},
		{values: "1.5|2|-3", want: "double [; ; ; ; ] 1.5|2|-3"},
		{values: "1e3|2", want: "double [; ; ; ; ] 1000|2"},
		{values: "12345678901234.56|1.5", want: "decimal(38,2) [; ; ; ; ] 12345678901234.56|1.5"},
		{values: "123456789012345678901234567890123456789", want: "varchar [; ; ; ; ] 123456789012345678901234567890123456789"},
		{values: "9223372036854775808|1", want: "decimal(38,0) [; ; ; ; ] 9223372036854775808|1"},
		{values: "007|012", want: "varchar [; ; ; ; ] 007|012"},
		{values: "true|FALSE|True", want: "boolean [; ; ; ; ] true|false|true"},
		{values: "yes|no|YES", want: "boolean [; yes or no; ; ; ] true|false|true"},
		{values: "Yes|N|y|no", want: "boolean [; yes or no; ; ; ] true|false|true|false"},
		{values: "yes|yes", want: "varchar [; ; ; ; ] yes|yes"},
		{values: "oui|non", want: "boolean [; yes or no; ; ; ] true|false"},
		{values: "oui|no", want: "varchar [; ; ; ; ] oui|no"},
		{values: "oui|non|5", want: "varchar [; ; ; ; ] oui|non|5"},
		{values: "oui|non|n/a", want: "boolean [; yes or no; “n/a” (1) counts as missing; ; ; ] true|false|<nil>"},
		{values: "是|否|是", want: "boolean [; yes or no; ; ; ] true|false|true"},
		{values: "1|2|n/a|3", want: "bigint [; “n/a” (1) counts as missing; ; ; ] 1|2|<nil>|3"},
		{values: "1,234|2,345,678|12", want: "bigint [; a comma between thousands; ; ; ] 1234|2345678|12"},
		{values: "1,234|2,345", want: "bigint [; a comma between thousands; no value tells the mark of thousands from that of decimals; ; ; ] 1234|2345"},
		{values: "1,234|2,345", customs: customs{comma: true}, want: "double [; decimals with a comma; ; ; ] 1.234|2.345"},
		{values: "1,234|2,345", customs: customs{point: true}, want: "bigint [; a comma between thousands; ; ; ] 1234|2345"},
		{values: "1,234|1200", want: "bigint [; a comma between thousands; no value tells the mark of thousands from that of decimals; ; ; ] 1234|1200"},
		{values: "1,234|12", want: "bigint [; a comma between thousands; ; ; ] 1234|12"},
		{values: "1.234,5|2,5", want: "double [; decimals with a comma; ; ; ] 1234.5|2.5"},
		{values: "1.234|2.345", want: "double [; ; ; ; ] 1.234|2.345"},
		{values: "1.234|2.345", customs: customs{comma: true}, want: "bigint [; decimals with a comma; ; ; ] 1234|2345"},
		{values: "1234.567|2345.678", customs: customs{comma: true}, want: "double [; ; ; ; ] 1234.567|2345.678"},
		{values: "1.234|2.345|12.5", customs: customs{comma: true}, want: "double [; ; ; ; ] 1.234|2.345|12.5"},
		{values: "1.234|2.345", customs: customs{comma: true}, declared: "decimal", want: "double [; ; ; ; ] 1.234|2.345"},
		{values: "1.234|2.345|2,5", want: "double [; decimals with a comma; ; ; ] 1234|2345|2.5"},
		{values: "1,5|2.5", want: "varchar [; ; number; 1 of 2 values are no numbers; ] 1,5|2.5"},
		{values: "1,5|2.5", customs: customs{comma: true}, want: "varchar [; ; number; 1 of 2 values are no numbers; ] 1,5|2.5"},
		{values: "1,5|2.5|3.5", customs: customs{comma: true}, want: "varchar [; ; number; 1 of 3 values are no numbers; ] 1,5|2.5|3.5"},
		{values: "$1.50|$2", want: "double [$; ; ; ; ] 1.5|2"},
		{values: "$1.50|2|0", want: "double [$; 2 numbers without a unit are taken for $; ; ; ] 1.5|2|0"},
		{values: "$1|€2", want: "varchar [; ; number; its numbers have several units: $, EUR; ] $1|€2"},
		{values: "5 kg|6 kg|7", want: "bigint [kg; 1 numbers without a unit are taken for kg; ; ; ] 5|6|7"},
		{values: "1 a|1 b|1 c|1 d|1 e|1 f|1 g|1 h|1 i|1 j", want: "varchar [; ; number; its numbers have several units: a, b, c, d, e, f, g, h; ] 1 a|1 b|1 c|1 d|1 e|1 f|1 g|1 h|1 i|1 j"},
		{values: "5%|10%", want: "double [%; percent, kept as parts of 1; ; ; ] 0.05|0.1"},
		{values: "5%|0", want: "varchar [; ; number; some of its numbers are percentages and some are not; ] 5%|0"},
		{values: "5%|10", want: "varchar [; ; number; some of its numbers are percentages and some are not; ] 5%|10"},
		{values: "(5)|6", want: "bigint [; ; ; ; ] -5|6"},
		{values: "5-|6", want: "bigint [; ; ; ; ] -5|6"},
		{values: "1,5|2,5|3,5|4,5|5,5|6,5|7,5|8,5|9,5|none at all", want: "double [; decimals with a comma; ; ; ] 1.5|2.5|3.5|4.5|5.5|6.5|7.5|8.5|9.5|!"},
		{values: "1,5|2,5|3,5|4,5|5,5|6,5|7,5|8,5|none at all", want: "varchar [; ; number; 1 of 9 values are no numbers; ] 1,5|2,5|3,5|4,5|5,5|6,5|7,5|8,5|none at all"},
		{values: "1,5|none at all|what", want: "varchar [; ; ; ; ] 1,5|none at all|what"},
		{values: "1,5|none at all", want: "varchar [; ; number; 1 of 2 values are no numbers; ] 1,5|none at all"},
		{values: "1|2|3|4|5|6|7|8|9|A12", want: "varchar [; ; number; some values are codes with letters; ] 1|2|3|4|5|6|7|8|9|A12"},
		{values: "1.5|2|3|4|5|6|7|8|9|A12", want: "double [; ; ; ; ] 1.5|2|3|4|5|6|7|8|9|!"},
		{values: "1|2|3|4|5|6|7|8|9|$10|A12", want: "bigint [$; 9 numbers without a unit are taken for $; ; ; ] 1|2|3|4|5|6|7|8|9|10|!"},
		{values: "1|2|3|4|5|6|7|8|9|012", want: "varchar [; ; ; ; ] 1|2|3|4|5|6|7|8|9|012"},
		{values: "1|2|3|4|5|6|7|8|9|+12", want: "varchar [; ; ; ; ] 1|2|3|4|5|6|7|8|9|+12"},
		{values: "$1|2|3|4|5|6|7|8|9|012", want: "bigint [$; 8 numbers without a unit are taken for $; ; ; ] 1|2|3|4|5|6|7|8|9|!"},
		{values: "2030-01-02|2030-02-03", want: "date [; ; ; ; ] 2030-01-02|2030-02-03"},
		{values: "2030-01-02|2030-02-03 00:00", want: "timestamp(6) [; ; ; ; ] 2030-01-02|2030-02-03"},
		{values: "2030-01-02|2030-02-03 10:00:00.5", want: "timestamp(6) [; ; ; ; ] 2030-01-02|2030-02-03 10:00:00.5"},
		{values: "2030/1/2 10:00|2030-02-03T10:00:00Z", want: "timestamp(6) [; ; ; ; ] 2030-01-02 10:00:00|2030-02-03 10:00:00"},
		{values: "13/01/2030|02/03/2030", want: "date [; day/month/year; ; ; ] 2030-01-13|2030-03-02"},
		{values: "01/13/2030|02/03/2030", want: "date [; month/day/year; ; ; ] 2030-01-13|2030-02-03"},
		{values: "01/13/2030 10:30|02/03/2030 11:00", want: "timestamp(6) [; month/day/year; ; ; ] 2030-01-13 10:30:00|2030-02-03 11:00:00"},
		{values: "01/13/2030|13/01/2030", want: "varchar [; ; date; 1 of 2 values are no days that are written alike; ] 01/13/2030|13/01/2030"},
		{values: "03/04/2030|05/06/2030", want: "varchar [; ; date; no value tells the day from the month: say --date-order day or --date-order month; ] 03/04/2030|05/06/2030"},
		{values: "03/04/2030|05/06/2030", customs: customs{dayFirst: true}, want: "date [; day/month/year; ; ; ] 2030-04-03|2030-06-05"},
		{values: "03/04/2030|05/06/2030", customs: customs{monthFirst: true}, want: "date [; month/day/year; ; ; ] 2030-03-04|2030-05-06"},
		{values: "03/04/2030|05/06/2030", customs: customs{dayFirst: true, monthFirst: true}, want: "varchar [; ; date; no value tells the day from the month: say --date-order day or --date-order month; ] 03/04/2030|05/06/2030"},
		{values: "01/03/2030|02/03/2030|03/03/2030|01/04/2030|02/04/2030|01/05/2030", want: "date [; day/month/year; ; ; ] 2030-03-01|2030-03-02|2030-03-03|2030-04-01|2030-04-02|2030-05-01"},
		{values: "03/01/2030|03/02/2030|03/03/2030|04/01/2030|04/02/2030|05/01/2030", want: "date [; month/day/year; ; ; ] 2030-03-01|2030-03-02|2030-03-03|2030-04-01|2030-04-02|2030-05-01"},
		{values: "03/01/2030|03/02/2030|04/01/2030", want: "varchar [; ; date; no value tells the day from the month: say --date-order day or --date-order month; ] 03/01/2030|03/02/2030|04/01/2030"},
		{values: "04/04/2030|05/05/2030", want: "date [; day/month/year; ; ; ] 2030-04-04|2030-05-05"},
		{values: "13.01.2030|02.03.2030", want: "date [; days with names of months or points; ; ; ] 2030-01-13|2030-03-02"},
		{values: "13/01/30|02/03/30", want: "date [; day/month/year; years of two digits are 1970 to 2069; ; ; ] 2030-01-13|2030-03-02"},
		{values: "13/01/30|02/03/29", want: "varchar [; ; date; no value tells the year from the day: say --date-order day, month or year; ] 13/01/30|02/03/29"},
		{values: "13/01/30|02/03/29", customs: customs{dayFirst: true}, want: "date [; day/month/year; years of two digits are 1970 to 2069; ; ; ] 2030-01-13|2029-03-02"},
		{values: "13/01/30|02/03/29", customs: customs{yearFirst: true}, want: "date [; year-month-day; years of two digits are 1970 to 2069; ; ; ] 2013-01-30|2002-03-29"},
		{values: "30-01-05|30-01-17|30-02-11|30-03-28", want: "date [; year-month-day; years of two digits are 1970 to 2069; ; ; ] 2030-01-05|2030-01-17|2030-02-11|2030-03-28"},
		{values: "30-01-05|30-01-17|30-02-11", want: "varchar [; ; date; no value tells the year from the day: say --date-order day, month or year; ] 30-01-05|30-01-17|30-02-11"},
		{values: "Jan 2030|Feb 2031", want: "date [; months, kept as their first days; ; ; ] 2030-01-01|2031-02-01"},
		{values: "2030年1月|2031年2月", want: "date [; months, kept as their first days; ; ; ] 2030-01-01|2031-02-01"},
		{values: "Jan 2030|2 Feb 2030", want: "varchar [; ; date; 1 of 2 values are months without a day; ] Jan 2030|2 Feb 2030"},
		{values: "01/2030|02/2030", want: "varchar [; ; ; ; ] 01/2030|02/2030"},
		{values: "101/01/05|112/02/06", want: "date [; years are counted as in Taiwan; ; ; ] 2012-01-05|2023-02-06"},
		{values: "令和5年1月5日|令和6年2月6日", want: "date [; years are counted as in Japan; ; ; ] 2023-01-05|2024-02-06"},
		{values: "2566-01-05|2567-02-06", want: "date [; years are counted as in Thailand, 543 ahead; ; ; ] 2023-01-05|2024-02-06"},
		{values: "31/01/2566|05/02/2567", want: "date [; day/month/year; years are counted as in Thailand, 543 ahead; ; ; ] 2023-01-31|2024-02-05"},
		{values: "2999-12-31|2566-01-05", want: "date [; ; ; ; ] 2999-12-31|2566-01-05"},
		{values: "Jan 5, 2030 10:30 AM PST|Jan 6, 2030 1:00 PM PST", want: "timestamp(6) [; days with names of months or points; as the clock at PST shows; ; ; ] 2030-01-05 10:30:00|2030-01-06 13:00:00"},
		{values: "Jan 5, 2030 10:30 AM PST|Jul 6, 2030 1:00 PM PDT", want: "varchar [; ; date; its times have several offsets: PDT, PST; ] Jan 5, 2030 10:30 AM PST|Jul 6, 2030 1:00 PM PDT"},
		{values: "week 2 of March 30|week 3 of March 30", want: "varchar [; ; date; 2 of 2 values are days or times in a form that is not known; ] week 2 of March 30|week 3 of March 30"},
		{values: "45000|45001", want: "bigint [; ; ; ; ] 45000|45001"},
		{values: "$ -|$ 5| $ (7.50) ", want: "double [$; ; ; ; ] 0|5|-7.5"},
		{values: "1'234.-|80.50|7.--", want: "double [; ; ; ; ] 1234|80.5|7"},
		{values: "1.234,-|80,50", want: "double [; decimals with a comma; ; ; ] 1234|80.5"},
		{values: "▲1,234|△5|–6|7", want: "bigint [; a comma between thousands; ; ; ] -1234|-5|-6|7"},
		{values: "+1.50|-2.50", want: "double [; ; ; ; ] 1.5|-2.5"},
		{values: "+5|-3|0", want: "bigint [; ; ; ; ] 5|-3|0"},
		{values: "+5|3|0", want: "varchar [; ; ; ; ] +5|3|0"},
		{values: "'5|'6|`7", want: "bigint [; ; ; ; ] 5|6|7"},
		{values: "١٢٫٥|٣", want: "double [; ; ; ; ] 12.5|3"},
		{values: "12,34,567.00|1,234.50", want: "double [; ; ; ; ] 1.234567e+06|1234.5"},
		{values: "2 Jan 2030|3 Feb 2031", want: "date [; days with names of months or points; ; ; ] 2030-01-02|2031-02-03"},
		{values: "2 Jan 2030|2031-02-03", want: "date [; days with names of months or points; ; ; ] 2030-01-02|2031-02-03"},
		{values: "2 Jan 2030|2031-02-03 10:00", want: "timestamp(6) [; days with names of months or points; ; ; ] 2030-01-02|2031-02-03 10:00:00"},
		{values: "2 Jan 2030|soon|later", want: "varchar [; ; ; ; ] 2 Jan 2030|soon|later"},
		{values: "2 Jan 2030|soon", want: "varchar [; ; date; 1 of 2 values are no days that are written alike; ] 2 Jan 2030|soon"},
		{values: "2 Jan 2030|n/a", want: "date [; days with names of months or points; “n/a” (1) counts as missing; ; ; ] 2030-01-02|<nil>"},
		{values: "a|b", want: "varchar [; ; ; ; ] a|b"},
		{values: "1,5|2,5", declared: "varchar", want: "varchar [; ; ; ; ] 1,5|2,5"},
		{values: "1,5|2,5", declared: "double", want: "double [; decimals with a comma; ; ; ] 1.5|2.5"},
		{values: "1|x", declared: "bigint", want: "varchar [; ; number; 1 of 2 values are no numbers; column \"c\" is declared as bigint, but its values are kept as varchar because not all of them fit] 1|x"},
		{values: "1|2.5", declared: "integer", want: "double [; ; ; ; column \"c\" is declared as integer, but its values are kept as double because not all of them fit] 1|2.5"},
		{values: "1|3000000000", declared: "integer", want: "bigint [; ; ; ; ] 1|3000000000"},
		{values: "2030-01-02|x", declared: "date", want: "varchar [; ; date; 1 of 2 values are no days that are written alike; column \"c\" is declared as date, but its values are kept as varchar because not all of them fit] 2030-01-02|x"},
		{values: "t|f", declared: "boolean", want: "boolean [; ; ; ; ] true|false"},
		{values: "t|f", want: "boolean [; yes or no; ; ; ] true|false"},
		{values: "1.234|12|1,5", want: "double [; decimals with a comma; ; ; ] 1234|12|1.5"},
		{values: "12.345|999|1|12,5", want: "double [; decimals with a comma; ; ; ] 12345|999|1|12.5"},
		{values: "12345678901234567890,5|1,5", want: "decimal(38,1) [; decimals with a comma; ; ; ] 12345678901234567890.5|1.5"},
		{values: "0,123|0,456", want: "double [; decimals with a comma; ; ; ] 0.123|0.456"},
		{values: "0|$0|5 kg", want: "varchar [; ; number; its numbers have several units: $, kg; ] 0|$0|5 kg"},
		{values: "12.50|1,234.50", want: "double [; ; ; ; ] 12.5|1234.5"},
		{values: "118.8k|12k|0.5k", want: "bigint [; k multiplied in; ; ; ] 118800|12000|500"},
		{values: "$1.5M|$200K|$7", want: "bigint [$; K, M multiplied in; ; ; ] 1500000|200000|7"},
		{values: "3.5万元|12万元", want: "bigint [CNY; 万 multiplied in; ; ; ] 35000|120000"},
		{values: "１２|３，４５６", want: "bigint [; a comma between thousands; no value tells the mark of thousands from that of decimals; ; ; ] 12|3456"},
		{values: "$5 CAD|$6 CAD", want: "bigint [CAD; ; ; ; ] 5|6"},
		{values: "approx. 1,200|approx. 30.50", want: "varchar [; ; number; in 2 of 2 values words stand beside the number; ] approx. 1,200|approx. 30.50"},
		{values: "v1.2|v1.10", want: "varchar [; ; ; ; ] v1.2|v1.10"},
		{values: "20300102|20301231", want: "date [; year, month and day without a mark between them; ; ; ] 2030-01-02|2030-12-31"},
		{values: "20300102|n/a|20301231", want: "date [; year, month and day without a mark between them; “n/a” (1) counts as missing; ; ; ] 2030-01-02|<nil>|2030-12-31"},
		{values: "20300102|20301232", want: "bigint [; ; ; ; ] 20300102|20301232"},
		{values: "20300102|7", want: "bigint [; ; ; ; ] 20300102|7"},
		{values: "20300102|20301231", declared: "bigint", want: "bigint [; ; ; ; ] 20300102|20301231"},
		{values: "20300102|20301231", declared: "varchar", want: "varchar [; ; ; ; ] 20300102|20301231"},
		{values: "2030-01-02T10:00:00+02:00|2030-01-03T11:00:00+02:00", want: "timestamp(6) [; as the clock at +02:00 shows; ; ; ] 2030-01-02 10:00:00|2030-01-03 11:00:00"},
		{values: "2030-01-02T10:00:00+02:00|2030-01-03T11:00:00+01:00", want: "varchar [; ; date; its times have several offsets: +01:00, +02:00; ] 2030-01-02T10:00:00+02:00|2030-01-03T11:00:00+01:00"},
		{values: "2030-01-02T10:00:00+02:00|2030-01-03T11:00:00Z", want: "varchar [; ; date; its times have several offsets: UTC or none, +02:00; ] 2030-01-02T10:00:00+02:00|2030-01-03T11:00:00Z"},
		{values: "2030-01-02T10:00:00+02:00|2030-01-03", want: "timestamp(6) [; as the clock at +02:00 shows; ; ; ] 2030-01-02 10:00:00|2030-01-03"},
		{values: "17 de marzo de 2030|1 de enero de 2030", want: "date [; days with names of months or points; ; ; ] 2030-03-17|2030-01-01"},
		{values: " 5 | 6", want: "bigint [; ; ; ; ] 5|6"},
	} {
		require.Equal(t, c.want, settled(words, c), "%s %+v %s", c.values, c.customs, c.declared)
	}
}

// TestDeclaredDecimals: a column keeps the decimal that is declared where all of its
// values have a place there, and is told of as contradicting it otherwise. A value that
// comes later and has no place in the type is refused, never stored as another number.
func TestDeclaredDecimals(t *testing.T) {
	t.Parallel()
	nines := strings.Repeat("9", maxPrecision)
	for _, c := range []struct {
		args   []int
		values string
		keeps  string // the type that the column gets
		later  string // what a kept type has no place for; empty: the declaration is contradicted
	}{
		{[]int{4, 2}, "99.99|-99.99|0.5|.5|7|-0.01", "decimal(4,2)", "100|-100|100.00|12345.67|1.234|-999"},
		{[]int{4, 2}, "99.99|100", "double", ""},
		{[]int{4, 2}, "99.99|-100.00", "double", ""},
		{[]int{4, 2}, "12345.67|1.50", "double", ""},
		{[]int{5, 2}, "12345.67|1.50", "double", ""},
		{[]int{7, 2}, "12345.67|1.50", "decimal(7,2)", "123456|123456.7"},
		{[]int{4, 2}, "1.234|1.5", "double", ""},
		{[]int{4, 2}, "1e3|1.5", "double", ""},
		{[]int{3}, "999|-999|0", "decimal(3,0)", "1000|-1000|1.5"},
		{[]int{3}, "1000|1", "bigint", ""},
		{[]int{2, 2}, "0.99|-0.01|0", "decimal(2,2)", "1|1.00|-1.5|0.001"},
		{[]int{2, 2}, "1.00|0.5", "double", ""},
		{[]int{2, 3}, "0.001|0.5", "double", ""},
		{[]int{0}, "1|2", "bigint", ""},
		{[]int{maxPrecision, 0}, nines + "|-" + nines, "decimal(38,0)", "1" + nines + "|-9" + nines},
		{[]int{maxPrecision, 0}, nines + "9|1", "varchar", ""},
		{[]int{maxPrecision + 1, 0}, "1|2", "bigint", ""},
		{[]int{maxPrecision, maxPrecision}, "0." + nines + "|0", "decimal(38,38)", "1|-1.5"},
	} {
		name := fmt.Sprint(c.args, " of ", c.values)
		column := newColumn("c", &ddl.Column{Name: "c", Type: "decimal", Args: c.args})
		values := strings.Split(c.values, "|")
		for _, v := range values {
			column.observe(v)
		}
		message := column.settle()
		require.Equal(t, c.keeps, column.typ.presto(), name)
		require.Equal(t, c.later == "", message != "", "%s: %s", name, message)
		for _, v := range values {
			_, ok := column.value(v)
			require.True(t, ok, "%s: %s has a place", name, v)
		}
		if c.later == "" {
			continue
		}
		for _, v := range strings.Split(c.later, "|") {
			got, ok := column.value(v)
			require.False(t, ok, "%s: %s became %v", name, v, got)
			require.Nil(t, got, name)
		}
	}
}

// TestAValueTooLongForItsTypeIsTold: where a file says another number when it is read
// again, a table's cell is NULL, told with its line and kept aside; a dump is refused.
func TestAValueTooLongForItsTypeIsTold(t *testing.T) {
	t.Parallel()
	c := newColumn("price", nil)
	c.typ = dataType{kind: kindDecimal, precision: 4, scale: 2}
	var rows [][]driver.Value
	l := &csvLoad{
		builder: &builder{options: Options{}.complete(), unread: unreadStore{max: 9}}, file: &csvFile{path: "a.csv", columns: []*column{c}}, table: "a",
		row: make([]driver.Value, 1), add: func(row []driver.Value) error { rows = append(rows, slices.Clone(row)); return nil },
	}
	require.NoError(t, l.put(7, []cell{{text: "12.34"}}, nil))
	require.NoError(t, l.put(8, []cell{{text: "12345.67"}}, nil))
	require.Len(t, rows, 2)
	kept, ok := rows[0][0].(duckdb.Decimal)
	require.True(t, ok)
	require.Equal(t, "12.34", kept.String())
	require.Nil(t, rows[1][0])
	require.Len(t, l.report.Problems, 1)
	require.Equal(t, KindValueUnread, l.report.Problems[0].Kind)
	require.Equal(t, 8, l.report.Problems[0].Line)
	require.Contains(t, l.report.Problems[0].Message, `"12345.67" is no decimal(4,2)`)
	require.Equal(t, []Unread{{Table: "a", Line: 8, Column: "price", Text: "12345.67", Why: "not a decimal(4,2)"}}, l.unread.texts)
	require.Equal(t, int64(1), c.unread)

	_, err := (&dumpTable{columns: []*column{c}}).values([]cell{{text: "12345.67"}})
	require.ErrorContains(t, err, "more than 2 digits before the point")
}

// TestLinesThatMayBeTotalsAreBounded: the first ones are judged, what comes after them is
// rows; who reads again judges the same ones.
func TestLinesThatMayBeTotalsAreBounded(t *testing.T) {
	t.Parallel()
	f := &csvFile{}
	for n := range maxTotals {
		require.True(t, f.noteTotal(nil, n, n+1, nil))
	}
	require.False(t, f.noteTotal(nil, maxTotals, maxTotals+1, nil))
	require.Len(t, f.totals, maxTotals)
	known := f.totals
	require.True(t, f.noteTotal(known, maxTotals-1, maxTotals, nil))
	require.False(t, f.noteTotal(known, maxTotals, maxTotals+1, nil))
	require.Len(t, f.totals, maxTotals)
}

// TestWhatColumnsTellOfEachOther: a column that is beyond doubt tells how the others are
// written, two that contradict each other tell nothing, and of days a person's word counts.
func TestWhatColumnsTellOfEachOther(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	for name, c := range map[string]struct {
		columns []string
		order   DateOrder
		want    customs
	}{
		"a comma":                  {[]string{"1,5|2,5"}, DateOrderAuto, customs{comma: true}},
		"a comma in a remark":      {[]string{"1,5|none|what|else"}, DateOrderAuto, customs{}},
		"a point":                  {[]string{"1.5|2"}, DateOrderAuto, customs{point: true}},
		"both":                     {[]string{"1.5|2", "1,5|2,5"}, DateOrderAuto, customs{both: true}},
		"days first":               {[]string{"13/01/2030|02/03/2030"}, DateOrderAuto, customs{dayFirst: true}},
		"months first":             {[]string{"01/13/2030|02/03/2030"}, DateOrderAuto, customs{monthFirst: true}},
		"each":                     {[]string{"13/01/2030", "01/13/2030"}, DateOrderAuto, customs{}},
		"months first, and a word": {[]string{"01/13/2030"}, DateOrderDayFirst, customs{dayFirst: true}},
		"days first, and a word":   {[]string{"13/01/2030"}, DateOrderMonthFirst, customs{monthFirst: true}},
		"a word alone":             {[]string{"x"}, DateOrderMonthFirst, customs{monthFirst: true}},
	} {
		var columns []*column
		for _, values := range c.columns {
			one := newColumn("c", nil)
			one.habit = newHabit(words)
			for v := range strings.SplitSeq(values, "|") {
				one.observe(v)
			}
			columns = append(columns, one)
		}
		require.Equal(t, c.want, customsOf(columns, &Options{DateOrder: c.order}), name)
	}
}
