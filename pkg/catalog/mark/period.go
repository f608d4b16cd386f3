package mark

import "strings"

// Limits of what is read as time.
const (
	firstYear    = 1700
	lastYear     = 2099
	mostNumber   = 5 // digits of a shard's number
	leastNumbers = 3 // shards by number that must be there: two may mean anything
)

// windowOf reads a part as the window of a metric: "1d", "30d", "12m", "5yr".
func windowOf(part string) (step, bool) {
	unit := strings.TrimLeft(part, "0123456789")
	if unit == part || len(part)-len(unit) > 3 {
		return step{}, false
	}
	switch unit {
	case "d", "w", "m", "h", "y", "yr", "day", "days", "mo":
		return step{mark: mark{Window, part, needConvention}}, true
	}
	return step{}, false
}

// periodOf reads a part as the time or the number of a shard. A year may be glued
// to a word: "gsod1947" leaves "gsod".
func periodOf(parts []string, at int) (step, bool) {
	part := parts[at]
	s := step{mark: mark{Period, part, needTwin}, part: at}
	word := strings.TrimRight(part, "0123456789")
	digits := part[len(word):]
	switch {
	case digits == "":
		return s, false
	case word == "v" || word == "r" || word == "rev":
	case word == "q" && len(digits) == 1 && at > 0 && isYear(parts[at-1]):
	case isDate(digits):
		s.needs = needNothing
		s.rest, s.value = word, digits
	case isYear(digits):
		s.rest, s.value = word, digits
	case word == "" && len(digits) <= mostNumber:
		s.least = leastNumbers
	case len(word) > 1 && len(digits) == 2: // a year in two digits, perhaps
		s.rest, s.value, s.least = word, digits, leastNumbers
	default:
		return s, false
	}
	return s, s.rest != "" || at > 0
}

// isDate reports whether digits are a day (20240131) or a month (202401).
func isDate(digits string) bool {
	if len(digits) != 6 && len(digits) != 8 || !isYear(digits[:4]) {
		return false
	}
	month := digits[4:6]
	return month >= "01" && month <= "12" && (len(digits) == 6 || digits[6:] >= "01" && digits[6:] <= "31")
}

func isYear(digits string) bool {
	if len(digits) != 4 || !isDigits(digits) {
		return false
	}
	year := int(digits[0]-'0')*1000 + int(digits[1]-'0')*100 + int(digits[2]-'0')*10 + int(digits[3]-'0')
	return year >= firstYear && year <= lastYear
}
