package written

import "time"

// ReadISO reads a day, or a day and a time of day, as ISO 8601 writes them with all their digits:
// "2024-01-31", "2024-01-31 07:05", "2024-01-31T07:05:09". bare says that there is no time of day. Most days of
// files are written so, and this is several times faster than the readers of other forms, which read these
// as well and alike.
func ReadISO(text string) (t time.Time, bare, ok bool) {
	const day, minutes, seconds = len("2006-01-02"), len("2006-01-02 15:04"), len("2006-01-02 15:04:05")
	if len(text) != day && len(text) != minutes && len(text) != seconds || text[4] != '-' || text[7] != '-' {
		return t, false, false
	}
	year, okYear := digitsOf(text[0:4])
	month, okMonth := digitsOf(text[5:7])
	dayOfMonth, okDay := digitsOf(text[8:10])
	if !okYear || !okMonth || !okDay || year < 1 || month < 1 || month > 12 || dayOfMonth < 1 {
		return t, false, false
	}
	hour, minute, second := 0, 0, 0
	if len(text) > day {
		var okHour, okMinute bool
		hour, okHour = digitsOf(text[11:13])
		minute, okMinute = digitsOf(text[14:16])
		if text[10] != ' ' && text[10] != 'T' || text[13] != ':' || !okHour || !okMinute {
			return t, false, false
		}
	}
	if len(text) == seconds {
		var okSecond bool
		if second, okSecond = digitsOf(text[17:19]); text[16] != ':' || !okSecond {
			return t, false, false
		}
	}
	if hour > 23 || minute > 59 || second > 59 {
		return t, false, false
	}
	t = time.Date(year, time.Month(month), dayOfMonth, hour, minute, second, 0, time.UTC)
	return t, len(text) == day, t.Day() == dayOfMonth && !t.IsZero()
}

// digitsOf is the number that a text of nothing but digits is.
func digitsOf(text string) (n int, ok bool) {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return 0, false
		}
		n = 10*n + int(text[i]-'0')
	}
	return n, true
}
