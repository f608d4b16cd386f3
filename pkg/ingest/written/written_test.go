package written_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/written"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	for text, want := range map[string]written.Number{
		"1,234":        {Point: "1234", Comma: "1.234", Marked: true},
		"1.234":        {Point: "1.234", Comma: "1234"},
		"1,234.50":     {Point: "1234.50", Marked: true},
		"1.234,50":     {Comma: "1234.50", Marked: true},
		"12,5":         {Comma: "12.5", Marked: true},
		"12,34,567":    {Point: "1234567", Marked: true},
		"1 234,5":      {Comma: "1234.5", Marked: true},
		"1'234.5":      {Point: "1234.5", Marked: true},
		"$14.00":       {Point: "14.00", Unit: "$", Marked: true},
		"-$5":          {Point: "-5", Comma: "-5", Unit: "$", Marked: true},
		"€ 5":          {Point: "5", Comma: "5", Unit: "EUR", Marked: true},
		"1,526.40 EUR": {Point: "1526.40", Unit: "EUR", Marked: true},
		"($5.5)":       {Point: "-5.5", Unit: "$", Marked: true},
		"(12.50)":      {Point: "-12.50", Marked: true},
		"5-":           {Point: "-5", Comma: "-5"},
		"−3":           {Point: "-3", Comma: "-3"},
		"15%":          {Point: "0.15", Comma: "0.15", Unit: "%", Marked: true},
		"0.5 %":        {Point: "0.005", Unit: "%", Marked: true},
		"150%":         {Point: "1.50", Comma: "1.50", Unit: "%", Marked: true},
		"3 kg":         {Point: "3", Comma: "3", Unit: "kg", Marked: true},
		"113㎡":         {Point: "113", Comma: "113", Unit: "m²", Marked: true},
		"2.5㎏":         {Point: "2.5", Unit: "kg", Marked: true},
		"12元":          {Point: "12", Comma: "12", Unit: "CNY", Marked: true},
		"RM 101.5":     {Point: "101.5", Unit: "MYR", Marked: true},
		".5":           {Point: "0.5"},
		"１，２３４．５０":     {Point: "1234.50", Marked: true},
		"１２":           {Point: "12", Comma: "12"},
		"118.8k":       {Point: "118800", Scale: "k", Marked: true},
		"$12K":         {Point: "12000", Comma: "12000", Unit: "$", Scale: "K", Marked: true},
		"$1.25M":       {Point: "1250000", Unit: "$", Scale: "M", Marked: true},
		"1,2 M€":       {Comma: "1200000", Unit: "EUR", Scale: "M", Marked: true},
		"2.5 million":  {Point: "2500000", Scale: "million", Marked: true},
		"3.5万元":        {Point: "35000", Unit: "CNY", Scale: "万", Marked: true},
		"-0.04万":       {Point: "-400", Scale: "万", Marked: true},
		"1.23456k":     {Point: "1234.56", Scale: "k", Marked: true},
		"(1.5 bn USD)": {Point: "-1500000000", Unit: "USD", Scale: "bn", Marked: true},
		"$5.50 CAD":    {Point: "5.50", Unit: "CAD", Marked: true},
		"€5.50 EUR":    {Point: "5.50", Unit: "EUR", Marked: true},
		"CAD $5.50":    {Point: "5.50", Unit: "CAD", Marked: true},
		"£5.50 EUR":    {Point: "5.50", Unit: "GBP EUR", Marked: true},
	} {
		got, ok := words.ReadNumber(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "abc", "007", "1,23,45", "1.2.3", "10.0.0.1", "2024-01-02", "12A", "A12", "10 Downing Street", "--5", "((5))", "+49 30", "1e5x", "$", "12.5.2024", "1 23 456", "RM101", "101Ft", "12M", "12B", "$5 off", "$5 %", "５Ａ", "0,123.4"} {
		_, ok := words.ReadNumber(text)
		require.False(t, ok, text)
	}
}

func TestMoments(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	day := func(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }
	for text, want := range map[string]time.Time{
		"2024-01-31": day(2024, 1, 31), "2024/1/31": day(2024, 1, 31), "2024.01.31": day(2024, 1, 31), "2024年1月31日": day(2024, 1, 31),
		"31 Jan 2024": day(2024, 1, 31), "Jan 31, 2024": day(2024, 1, 31), "January 31 2024": day(2024, 1, 31), "31-Jan-24": day(2024, 1, 31),
		"4. Juli 1996": day(1996, 7, 4), "1 février 2024": day(2024, 2, 1), "Wed, 31 Jan 2024": day(2024, 1, 31), "3rd March 2024": day(2024, 3, 3),
		"31.01.2024": day(2024, 1, 31), "31. 1. 2024": day(2024, 1, 31), "01.02.69": day(2069, 2, 1), "01.02.70": day(1970, 2, 1),
		"2024-01-31 13:05": day(2024, 1, 31).Add(13*time.Hour + 5*time.Minute), "Jan 31, 2024 1:05:09 PM": day(2024, 1, 31).Add(13*time.Hour + 5*time.Minute + 9*time.Second),
		"17 de marzo de 2024": day(2024, 3, 17), "1º de enero de 2024": day(2024, 1, 1), "5 Mart 2024": day(2024, 3, 5), "2024년 3월 5일": day(2024, 3, 5),
		"２０２４年３月５日": day(2024, 3, 5), "2024. 3. 5": day(2024, 3, 5), "31st of January 2024": day(2024, 1, 31),
		"2024-01-31T00:00:00.5Z": day(2024, 1, 31).Add(500 * time.Millisecond), "31.12.2024 12:00 AM": day(2024, 12, 31),
		"Jan 2024": day(2024, 1, 1), "2024年3月": day(2024, 3, 1), "03/2024": day(2024, 3, 1), "March 2024": day(2024, 3, 1), "mars-2024": day(2024, 3, 1),
		"112/01/05": day(2023, 1, 5), "民國112年1月5日": day(2023, 1, 5), "令和5年1月5日": day(2023, 1, 5), "平成元年2月3日": day(1989, 2, 3),
		"05JAN2024": day(2024, 1, 5), "2024-01-05 (Fri)": day(2024, 1, 5), "2024年1月5日(金)": day(2024, 1, 5), "2024年1月5日 星期五": day(2024, 1, 5), "2024. 01. 05.": day(2024, 1, 5),
		"\u200e2024/1/5\u200f": day(2024, 1, 5), "٢٠٢٤/٠١/٠٥": day(2024, 1, 5),
		"2024/1/5 上午 3:20:00": day(2024, 1, 5).Add(3*time.Hour + 20*time.Minute), "2024/1/5 下午3:20": day(2024, 1, 5).Add(15*time.Hour + 20*time.Minute), "2024年1月5日 15时20分": day(2024, 1, 5).Add(15*time.Hour + 20*time.Minute),
		"15.02.2024 à 10h30": day(2024, 2, 15).Add(10*time.Hour + 30*time.Minute), "15.02.2024, 10.30 Uhr": day(2024, 2, 15).Add(10*time.Hour + 30*time.Minute),
		"2024-01-05 (Fri) 10:30":       day(2024, 1, 5).Add(10*time.Hour + 30*time.Minute),
		"Fri Jan  5 10:30:00 UTC 2024": day(2024, 1, 5).Add(10*time.Hour + 30*time.Minute), "Fri, 05 Jan 2024 10:30:00 GMT": day(2024, 1, 5).Add(10*time.Hour + 30*time.Minute),
	} {
		got, ok := words.ReadMoment(text)
		require.True(t, ok, text)
		require.Equal(t, want, got.DayFirst, text)
		require.Equal(t, want, got.MonthFirst, text)
	}
	both, ok := words.ReadMoment("03/04/2024")
	require.True(t, ok)
	require.Equal(t, written.Moment{Form: written.FormSlashed, DayFirst: day(2024, 4, 3), MonthFirst: day(2024, 3, 4), Bare: true}, both)
	for _, offset := range []string{"+02:00", "-0530", "+02"} {
		at, ok := words.ReadMoment("2024-01-31T10:00:00" + offset)
		require.True(t, ok, offset)
		require.Equal(t, written.Moment{DayFirst: day(2024, 1, 31).Add(10 * time.Hour), MonthFirst: day(2024, 1, 31).Add(10 * time.Hour), Offset: offset}, at)
	}
	for text, offset := range map[string]string{
		"Jan 5, 2024 10:30:00 AM PST": "PST", "Fri Jan 05 2024 10:30:00 GMT+0800 (China Standard Time)": "+0800", "Fri Jan  5 10:30:00 +0200 2024": "+0200",
	} {
		at, ok := words.ReadMoment(text)
		require.True(t, ok, text)
		require.Equal(t, offset, at.Offset, text)
		require.Equal(t, day(2024, 1, 5).Add(10*time.Hour+30*time.Minute), at.DayFirst, text)
	}
	short, ok := words.ReadMoment("23-01-05")
	require.True(t, ok)
	require.Equal(t, written.Moment{Form: written.FormSlashed, DayFirst: day(2005, 1, 23), YearFirst: day(2023, 1, 5), First: 23, Last: 5, ShortYear: true, Bare: true}, short)
	one, ok := words.ReadMoment("03-14-24 10:00")
	require.True(t, ok)
	require.Zero(t, one.DayFirst)
	require.True(t, one.ShortYear)
	for _, text := range []string{"", "2024-02-30", "32/13/2024", "1/2", "12:30", "March", "2024-01-31 25:00", "2024-01-31 10:00 +15:00", "2024-01-31 10:00 +2:0", "2024-01-31 +02:00", "1.2.3.4", "20240131", "May the 4th", "2024-01-31x", "31 Foo 2024"} {
		_, ok := words.ReadMoment(text)
		require.False(t, ok, text)
	}
}

// TestCompactDays reads eight digits as a day where the calendar has it, from 1900 on.
func TestCompactDays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"20240229": true, "19000101": true, "20991231": true, "99991231": true,
		"20230229": false, "18991231": false, "21000101": false, "20241301": false, "2024013": false, "202401310": false, "-2024013": false, "": false,
	} {
		got, ok := written.ReadCompact(text)
		require.Equal(t, want, ok, text)
		if ok {
			require.Equal(t, text, got.Format("20060102"))
		}
	}
}

func TestAmountsAmongWords(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	for text, want := range map[string]bool{
		"approx. 1,200": true, "ca. 12,50": true, "5.50 a night": true, "£$1234.50": true, "<1.200": true, "１，２００円くらい": true,
		"about 1.5k": true, "1.5k or so": true, "roughly 12 EUR each": true, "Room 5 B": false, "iPhone 12 Pro": false, "about 15": false,
		"v1.2": false, "10.0.0.1": false, "A12": false, "about": false, "": false, "12 High Street": false, "2024-01-02": false, "INV-1,23,4": false,
	} {
		require.Equal(t, want, words.HoldsAmount(text), text)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	for _, text := range []string{"N/A", "-", "—", "#DIV/0!", "无", " nan "} {
		require.True(t, words.IsNull(text), text)
	}
	for text, want := range map[string]bool{"Grand Total": true, "TOTAL:": true, "合计": true, "Total 2023": true, "Totally": false, "Total Wine": false, "": false} {
		require.Equal(t, want, words.IsTotal(text), text)
	}
	yes, ok := words.ReadFlag("Oui")
	require.True(t, ok)
	no, _ := words.ReadFlag("NON")
	require.NotZero(t, yes.Yes&no.No, "words of one language")
	german, _ := words.ReadFlag("nein")
	require.Zero(t, yes.Yes&german.No, "words of two languages")
	for _, month := range []string{"Januar", "fév", "marzo", "abr", "мая", "juni", "juil", "AUG", "settembre", "okt", "nov", "dez"} {
		_, ok := words.ReadMoment("1 " + month + " 2024")
		require.Equal(t, month != "fév", ok, month)
	}
}

func FuzzReadings(f *testing.F) {
	for _, text := range []string{"1,234.5", "(5)", "$", "12.12.12", "Jan 1, 24 1:1 pm", "2024年1月1日", "−5%", "5-(", "\xff\xfe", "1'2'3", "0/1/10"} {
		f.Add(text)
	}
	words := written.NewWords()
	f.Fuzz(func(t *testing.T, text string) {
		if n, ok := words.ReadNumber(text); ok {
			require.NotEmpty(t, n.Point+n.Comma)
			for _, plain := range []string{n.Point, n.Comma} {
				require.NotContains(t, plain, ",")
			}
		}
		if m, ok := words.ReadMoment(text); ok {
			require.False(t, m.DayFirst.IsZero() && m.MonthFirst.IsZero() && m.YearFirst.IsZero(), "it has one reading at least")
		}
	})
}
