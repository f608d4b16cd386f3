package source

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/dibrain/dibrain/pkg/fault"
)

// TrinoConnection says how the Trino server of a source is reached. It names the
// file with the password, never the password.
type TrinoConnection struct {
	// URL is the server's: "https://trino.example.com:8443". No user, password or path.
	URL string `json:"url"`
	// User is the service's own: it signs in, and runs what the product asks for
	// itself. With Impersonate, other statements run as whoever asks.
	User string `json:"user"`
	// PasswordFile holds the password of User, read at use and again when it
	// changes. It needs https.
	PasswordFile string `json:"password_file,omitempty"`
	// CAFile holds the authorities in PEM that sign the server's certificate; empty:
	// those of the system.
	CAFile string `json:"ca_file,omitempty"`
	// Impersonate runs statements under the principal's id as Trino's user, so that
	// Trino's own rights, row filters and masks hold. Without it all of them run as
	// User, and only the guard's policy tells people apart.
	Impersonate bool `json:"impersonate,omitempty"`
	// TrustUserHeader allows impersonation where the server checks no password:
	// whoever reaches that server can be anybody. On loopback it is not needed.
	TrustUserHeader bool `json:"trust_user_header,omitempty"`
	// Regions maps an idc_region to where its tables are in Trino.
	Regions map[string]TrinoPlace `json:"regions"`
	// Session properties of all statements, such as "iceberg.query_partition_filter_required".
	Session map[string]string `json:"session,omitempty"`
}

// TrinoPlace is where the tables of a region are: region.schema.table is
// Catalog.SchemaPrefix+schema.table in Trino.
type TrinoPlace struct {
	Catalog string `json:"catalog"`
	// SchemaPrefix lets several regions share a catalog. Usually empty.
	SchemaPrefix string `json:"schema_prefix,omitempty"`
}

// ReasonTrinoConnection is the reason of errors about a TrinoConnection.
const ReasonTrinoConnection = "TRINO_CONNECTION_INVALID"

// Check says what is wrong with a connection, in words for whoever wrote it. It
// opens nothing.
func (c TrinoConnection) Check() error {
	bad := func(field, format string, args ...any) error {
		return fault.Invalid(field, ReasonTrinoConnection, format, args...)
	}
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return bad("url", "the address of the Trino server has to be like https://trino.example.com:8443") // what was written may hold a password
	case u.User != nil:
		return bad("url", "the address of the Trino server must not have a user or a password in it: give the user by itself, and the password in a file")
	case (u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "":
		return bad("url", "the address of the Trino server must end after its port: catalogs and schemas are named elsewhere")
	case c.User == "":
		return bad("user", "the Trino user of the service is missing")
	case !HeaderSafe(c.User):
		return bad("user", "the Trino user %q has characters that Trino does not read in a user's name: use printable ASCII", c.User)
	case c.PasswordFile != "" && u.Scheme != "https":
		return bad("password_file", "a password is not sent over plain HTTP: use the server's https address")
	case c.CAFile != "" && u.Scheme != "https":
		return bad("ca_file", "a plain HTTP address has no certificate to check: use the server's https address")
	case c.Impersonate && c.PasswordFile == "" && !c.TrustUserHeader && !loopback(u):
		return bad("impersonate", "impersonation needs https and the service's password: without them anybody who reaches the server can be anybody; say trust_user_header to accept that")
	case len(c.Regions) == 0:
		return bad("regions", "the source maps no region to a Trino catalog")
	}
	for region, place := range c.Regions {
		if region == "" || place.Catalog == "" {
			return bad("regions", "the region %q is mapped to the catalog %q: both need a name", region, place.Catalog)
		}
	}
	for name, value := range c.Session {
		if name == "" || strings.ContainsAny(name, "=, ") || !HeaderSafe(name) || !HeaderSafe(value) || value == "" {
			return bad("session", "the session property %q is not name=value in printable ASCII", name+"="+value)
		}
	}
	return nil
}

// String names the server and the service's user, for messages.
func (c TrinoConnection) String() string { return fmt.Sprintf("%s as %s", c.URL, c.User) }

// HeaderSafe reports whether a text reaches Trino in a header as it is.
func HeaderSafe(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

func loopback(u *url.URL) bool {
	host := u.Hostname()
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
