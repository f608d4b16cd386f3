package ddl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// TokenKind is the kind of a Token.
type TokenKind int

// Kinds of tokens.
const (
	EOF         TokenKind = iota
	Word                  // unquoted name or keyword
	QuotedName            // "x", `x` or [x]
	String                // 'x', already unescaped
	HexString             // X'00ff'
	NumberToken           // 12, 1.5e3
	Symbol                // one character, or ::
	comment               // -- x, handed to the parser for columns' remarks
)

// Token of a script.
type Token struct {
	Kind         TokenKind
	Text         string // of strings and quoted names without quotes
	Line, Column int
}

// Is reports whether the token is this keyword or symbol.
func (t Token) Is(word string) bool {
	return (t.Kind == Word || t.Kind == Symbol) && strings.EqualFold(t.Text, word)
}

// lexer cuts a stream into tokens. It reads no further than the token it
// returns, because COPY data follow its semicolon unquoted.
type lexer struct {
	r         *bufio.Reader
	line, col int
	prevCol   int
	max       int
	dialect   Dialect
	last      rune
}

const noRune rune = -1

func newLexer(r io.Reader, dialect Dialect, maxToken int) *lexer {
	return &lexer{r: bufio.NewReaderSize(r, 64<<10), line: 1, col: 1, max: maxToken, dialect: dialect}
}

// read returns the next character or noRune at the end.
func (l *lexer) read() (rune, error) {
	c, _, err := l.r.ReadRune()
	if errors.Is(err, io.EOF) {
		l.last = noRune
		return noRune, nil
	}
	if err != nil {
		return noRune, err
	}
	l.last, l.prevCol = c, l.col
	if c == '\n' {
		l.line, l.col = l.line+1, 1
	} else {
		l.col++
	}
	return c, nil
}

// unread takes the last character back.
func (l *lexer) unread() {
	if l.last == noRune {
		return
	}
	_ = l.r.UnreadRune() // cannot fail right after a ReadRune
	if l.last == '\n' {
		l.line--
	}
	l.col = l.prevCol
}

// peek returns the next character's byte without taking it, 0 at the end.
func (l *lexer) peek() byte {
	b, err := l.r.Peek(1)
	if err != nil {
		return 0
	}
	return b[0]
}

// next returns the next token; comments are tokens too.
func (l *lexer) next() (Token, error) {
	for {
		t := Token{Line: l.line, Column: l.col}
		c, err := l.read()
		if err != nil {
			return t, err
		}
		switch {
		case c == noRune:
			return t, nil
		case unicode.IsSpace(c) || c == '\uFEFF':
			continue
		case c == '-' && l.peek() == '-', c == '#' && l.dialect == MySQL:
			t.Kind = comment
			t.Text, _, err = l.restOfLine()
			t.Text = strings.TrimSpace(strings.TrimLeft(t.Text, "-#"))
			return t, err
		case c == '/' && l.peek() == '*' && l.beginsVersion():
			if _, err := l.while(c, func(c rune) bool { return c == '*' || c == '!' || c == 'M' || c >= '0' && c <= '9' }); err != nil {
				return t, err
			}
			continue
		case c == '*' && l.peek() == '/' && l.dialect == MySQL: // where such a comment ends
			if _, err := l.read(); err != nil {
				return t, err
			}
			continue
		case c == '/' && l.peek() == '*':
			if err := l.blockComment(t); err != nil {
				return t, err
			}
			continue
		}
		return l.token(t, c)
	}
}

// beginsVersion reports a comment that servers of a version on read as SQL, such as
// /*!50001 CREATE VIEW … */: mysqldump writes all views so.
func (l *lexer) beginsVersion() bool {
	if l.dialect != MySQL {
		return false
	}
	next, _ := l.r.Peek(3) // at the end of a file there are fewer
	return len(next) > 1 && next[1] == '!' || len(next) > 2 && next[1] == 'M' && next[2] == '!'
}

func (l *lexer) token(t Token, c rune) (Token, error) {
	var err error
	switch {
	case c == '\'':
		t.Kind = String
		t.Text, err = l.quoted(t, '\'', l.dialect == MySQL)
	case c == '"':
		t.Kind = QuotedName
		t.Text, err = l.quoted(t, '"', l.dialect == MySQL)
	case c == '`':
		t.Kind = QuotedName
		t.Text, err = l.quoted(t, '`', false)
	case c == '[' && (unicode.IsLetter(rune(l.peek())) || l.peek() == '_'):
		t.Kind = QuotedName
		t.Text, err = l.quoted(t, ']', false)
	case c == '$' && (l.peek() == '$' || isWordStart(rune(l.peek()))):
		return l.dollarQuoted(t)
	case unicode.IsDigit(c), c == '.' && unicode.IsDigit(rune(l.peek())):
		t.Kind = NumberToken
		t.Text, err = l.number(c)
	case isWordStart(c):
		return l.word(t, c)
	default:
		t.Kind, t.Text = Symbol, string(c)
		if c == ':' && l.peek() == ':' {
			_, err = l.read()
			t.Text = "::"
		}
	}
	return t, err
}

func isWordStart(c rune) bool { return c == '_' || unicode.IsLetter(c) }

func isWordPart(c rune) bool {
	return c == '_' || c == '$' || unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c)
}

// word reads a name, or a string with a prefix as in E'\n', X'ff', N'x'.
func (l *lexer) word(t Token, c rune) (Token, error) {
	text, err := l.while(c, isWordPart)
	if err != nil {
		return t, err
	}
	t.Kind, t.Text = Word, text
	if len(text) != 1 || l.peek() != '\'' || !strings.ContainsAny(text, "eExXnNbB") {
		return t, nil
	}
	if _, err := l.read(); err != nil {
		return t, err
	}
	t.Kind = String
	t.Text, err = l.quoted(t, '\'', l.dialect == MySQL || strings.EqualFold(text, "e"))
	if strings.EqualFold(text, "x") {
		t.Kind = HexString
	}
	return t, err
}

func (l *lexer) while(first rune, part func(rune) bool) (string, error) {
	var b strings.Builder
	b.WriteRune(first)
	for {
		c, err := l.read()
		if err != nil {
			return "", err
		}
		if c == noRune || !part(c) {
			l.unread()
			return b.String(), nil
		}
		if b.Len() >= l.max {
			return "", l.tooLong(l.line, l.col)
		}
		b.WriteRune(c)
	}
}

func (l *lexer) number(first rune) (string, error) {
	previous := first
	return l.while(first, func(c rune) bool {
		exponentSign := (c == '-' || c == '+') && (previous == 'e' || previous == 'E')
		previous = c
		return exponentSign || c == '.' || c == '_' || c >= '0' && c <= '9' || c == 'x' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
	})
}

// quoted reads up to the closing quote; doubled, it stands for itself.
func (l *lexer) quoted(t Token, quote rune, backslash bool) (string, error) {
	var b strings.Builder
	for {
		c, err := l.read()
		switch {
		case err != nil:
			return "", err
		case c == noRune:
			return "", &Problem{t.Line, t.Column, fmt.Sprintf("the text that begins here has no closing %c", quote)}
		case b.Len() >= l.max:
			return "", l.tooLong(t.Line, t.Column)
		case c == quote:
			if rune(l.peek()) != quote || quote == ']' {
				return b.String(), nil
			}
			if _, err := l.read(); err != nil {
				return "", err
			}
			b.WriteRune(quote)
		case c == '\\' && backslash:
			if c, err = l.read(); err != nil {
				return "", err
			}
			if c != noRune {
				b.WriteRune(unescape(c))
			}
		default:
			b.WriteRune(c)
		}
	}
}

// unescape gives the meaning of the character after a backslash.
func unescape(c rune) rune {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'v':
		return '\v'
	case '0':
		return 0
	case 'Z':
		return 26
	}
	return c
}

// dollarQuoted reads $tag$ … $tag$ of PostgreSQL.
func (l *lexer) dollarQuoted(t Token) (Token, error) {
	tag, err := l.while('$', func(c rune) bool { return c != '$' && isWordPart(c) })
	if err != nil {
		return t, err
	}
	if l.peek() != '$' { // a parameter such as $1, or a stray sign
		t.Kind, t.Text = Symbol, tag
		return t, nil
	}
	tag += "$"
	if _, err := l.read(); err != nil {
		return t, err
	}
	var b strings.Builder
	for !strings.HasSuffix(b.String(), tag) {
		c, err := l.read()
		switch {
		case err != nil:
			return t, err
		case c == noRune:
			return t, &Problem{t.Line, t.Column, "the text that begins here has no closing " + tag}
		case b.Len() >= l.max:
			return t, l.tooLong(t.Line, t.Column)
		}
		b.WriteRune(c)
	}
	t.Kind, t.Text = String, strings.TrimSuffix(b.String(), tag)
	return t, nil
}

func (l *lexer) blockComment(t Token) error {
	start := Problem{t.Line, t.Column, "the comment that begins here has no closing */"}
	previous := rune(0)
	if _, err := l.read(); err != nil { // the star
		return err
	}
	for {
		c, err := l.read()
		if err != nil {
			return err
		}
		if c == noRune {
			return &start
		}
		if previous == '*' && c == '/' {
			return nil
		}
		previous = c
	}
}

// restOfLine reads to the end of the line and keeps at most max bytes of it; whole is false
// where the stream ends before the line does.
func (l *lexer) restOfLine() (text string, whole bool, err error) {
	var b strings.Builder
	for {
		c, err := l.read()
		if err != nil || c == noRune || c == '\n' {
			return strings.TrimSuffix(b.String(), "\r"), c == '\n', err
		}
		if b.Len() < l.max {
			b.WriteRune(c)
		}
	}
}

// rawLine reads a line of COPY data, as restOfLine does; one that is too long is an error.
func (l *lexer) rawLine() (text string, whole bool, err error) {
	line := l.line
	text, whole, err = l.restOfLine()
	if err == nil && len(text) >= l.max {
		err = l.tooLong(line, 1)
	}
	return text, whole, err
}

func (l *lexer) tooLong(line, column int) error {
	return &Problem{line, column, fmt.Sprintf("the text that begins here is longer than %d bytes", l.max)}
}
