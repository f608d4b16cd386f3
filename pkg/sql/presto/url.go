package presto

import (
	"strconv"
	"strings"
	"unicode"
)

func urlFunctions() []Function {
	part := func(name string, get func(uri) string) Function {
		return unary("presto_url_"+name, func(s string) (string, error) {
			u, ok := parseURI(s)
			if !ok {
				return "", errNull
			}
			return get(u), nil
		})
	}
	return []Function{
		part("protocol", func(u uri) string { return u.scheme }),
		part("host", func(u uri) string { return u.host }),
		part("path", func(u uri) string { return unescape(u.path) }),
		part("query", func(u uri) string { return unescape(u.query) }),
		part("fragment", func(u uri) string { return unescape(u.fragment) }),
		unary("presto_url_port", func(s string) (int64, error) {
			u, ok := parseURI(s)
			if !ok || u.port < 0 {
				return 0, errNull
			}
			return u.port, nil
		}),
		binary("presto_url_parameter", urlParameter),
		unary("presto_url_encode", must(urlEncode)),
		unary("presto_url_decode", urlDecode),
	}
}

// uri is what Java's java.net.URI makes of a text: RFC 2396 with characters
// beyond ASCII allowed.
type uri struct {
	scheme, host, path, query, fragment string
	port                                int64 // negative: none
	hasQuery                            bool
}

func parseURI(s string) (u uri, ok bool) {
	u.port = -1
	for i, r := range s {
		switch {
		case r == '%':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return u, false
			}
		case r > 127:
			if unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Z, r) {
				return u, false
			}
		case strings.ContainsRune(" <>\"{}|\\^`", r) || r < 33 || r == 127:
			return u, false
		}
	}
	s, u.fragment, _ = strings.Cut(s, "#")
	if strings.Contains(u.fragment, "#") {
		return u, false
	}
	if i := strings.IndexAny(s, ":/?"); i >= 0 && s[i] == ':' {
		if u.scheme = s[:i]; !isScheme(u.scheme) || i+1 == len(s) {
			return u, false
		}
		if s = s[i+1:]; s[0] != '/' { // opaque: no parts
			return u, true
		}
	}
	s, u.query, u.hasQuery = strings.Cut(s, "?")
	if rest, found := strings.CutPrefix(s, "//"); found {
		authority, path := rest, ""
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			authority, path = rest[:i], rest[i:]
		}
		if authority == "" && path == "" {
			return u, false
		}
		if !u.authority(authority) {
			return u, false
		}
		s = path
	}
	u.path = s
	return u, !strings.ContainsAny(u.path, "[]")
}

// authority reads user, host and port; what is no host and port leaves both out.
func (u *uri) authority(s string) bool {
	server := s
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		server = s[i+1:]
	}
	var host, port string
	var hasPort bool
	if strings.HasPrefix(server, "[") {
		i := strings.IndexByte(server, ']')
		if i < 0 {
			return false
		}
		host = server[:i+1]
		if _, err := textIP(host[1:i]); err != nil {
			return false
		}
		port, hasPort = strings.CutPrefix(server[i+1:], ":")
		if !hasPort && port != "" {
			return false
		}
	} else {
		host, port, hasPort = strings.Cut(server, ":")
		if strings.ContainsAny(s, "[]") {
			return false
		}
		if !isHost(host) {
			return true
		}
	}
	if hasPort && port != "" {
		n, err := strconv.ParseInt(port, 10, 32)
		if err != nil || strings.ContainsAny(port, "+-") {
			return true
		}
		u.port = n
	}
	u.host = host
	return true
}

func isScheme(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", r)) {
			return false
		}
	}
	return s != ""
}

// isHost reports a name of labels of letters, digits and hyphens whose last one
// begins with a letter, or four numbers.
func isHost(s string) bool {
	labels := strings.Split(strings.TrimSuffix(s, "."), ".")
	for _, l := range labels {
		if l == "" || l[0] == '-' || l[len(l)-1] == '-' {
			return false
		}
		for _, r := range l {
			if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-') {
				return false
			}
		}
	}
	last := labels[len(labels)-1]
	if last[0] < '0' || last[0] > '9' {
		return true
	}
	if len(labels) != 4 || strings.HasSuffix(s, ".") {
		return false
	}
	for _, l := range labels {
		if n, err := strconv.Atoi(l); err != nil || n > 255 {
			return false
		}
	}
	return true
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// unescape undoes %xx, which parseURI has checked.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var out strings.Builder
	var bytes []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '%' {
			n, _ := strconv.ParseUint(s[i+1:i+3], 16, 8)
			bytes = append(bytes, byte(n))
			i += 2
			continue
		}
		out.WriteString(repaired(bytes, "\uFFFD"))
		bytes = bytes[:0]
		out.WriteByte(s[i])
	}
	out.WriteString(repaired(bytes, "\uFFFD"))
	return out.String()
}

func urlParameter(s, name string) (string, error) {
	u, ok := parseURI(s)
	if !ok || !u.hasQuery {
		return "", errNull
	}
	for argument := range strings.SplitSeq(u.query, "&") {
		if key, value, _ := strings.Cut(argument, "="); key == name {
			return urlDecode(value)
		}
	}
	return "", errNull
}

// urlEncode writes a value of a form.
func urlEncode(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.*", c) >= 0:
			b.WriteByte(c)
		case c == ' ':
			b.WriteByte('+')
		default:
			const digits = "0123456789ABCDEF"
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

func urlDecode(s string) (string, error) {
	for i := range len(s) {
		if s[i] == '%' && (i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2])) {
			return "", invalid("'%s' has an escape that is not complete", Short(s))
		}
	}
	return unescape(strings.ReplaceAll(s, "+", " ")), nil
}
