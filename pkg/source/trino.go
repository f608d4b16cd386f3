package source

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/fault"
)

// TrinoConnection says how the Trino server of a source is reached. It names the
// files with passwords and tokens, never what is in them.
type TrinoConnection struct {
	// URL is the server's: "https://trino.example.com:8443". No user, password or path.
	URL string `json:"url"`
	// User is the service's own: it signs in, and runs what the product asks for
	// itself. With Impersonate, other statements run as whoever asks.
	User string `json:"user"`
	// PasswordFile holds the password of User, read at use and again when it
	// changes. It needs https.
	PasswordFile string `json:"password_file,omitempty"`
	// TokenFile holds a token (JWT) of User instead, read likewise.
	TokenFile string `json:"token_file,omitempty"`
	// TokenExchange lets statements of people run with tokens of their own; nil: with
	// the service's, under the person's name.
	TokenExchange *TokenExchange `json:"token_exchange,omitempty"`
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
	// Clusters are further servers that have some of the regions, by names of ClusterName's
	// form. Whatever is not said of a cluster is as for the source's own server.
	Clusters map[string]TrinoCluster `json:"clusters,omitempty"`
	// Regions maps an idc_region to where its tables are in Trino.
	Regions map[string]TrinoPlace `json:"regions"`
	// Session properties of all statements, such as "iceberg.query_partition_filter_required".
	Session map[string]string `json:"session,omitempty"`
}

// TokenExchange is where the sign-in of whoever asks is exchanged for a token that Trino
// takes (RFC 8693).
type TokenExchange struct {
	// URL is the issuer's token endpoint, https.
	URL string `json:"url"`
	// ClientID and ClientSecretFile are how the product signs in there; the file is read at
	// use and again when it changes, and a public client has none.
	ClientID         string `json:"client_id"`
	ClientSecretFile string `json:"client_secret_file,omitempty"`
	// Audience is what Trino's tokens are made for. Scopes are what more is asked of the
	// issuer; usually nothing.
	Audience string   `json:"audience"`
	Scopes   []string `json:"scopes,omitempty"`
	// SignIn is what people sign in with: one of SignInKinds; empty: id_token.
	SignIn string `json:"sign_in,omitempty"`
	// CAFile holds the authorities in PEM that sign the issuer's certificate; empty: those
	// of the system.
	CAFile string `json:"ca_file,omitempty"`
}

// SignInKinds are the kinds of token (RFC 8693, section 3) that people sign in with.
var SignInKinds = []string{"id_token", "access_token", "jwt"}

// check says what is wrong with an exchange.
func (x *TokenExchange) check() error {
	bad := func(field, format string, args ...any) error {
		return fault.Invalid("token_exchange."+field, ReasonTrinoConnection, format, args...)
	}
	u, err := url.Parse(x.URL)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u)):
		return bad("url", "the issuer's token endpoint has to be an https address, such as https://login.example.com/realms/company/protocol/openid-connect/token")
	case x.ClientID == "":
		return bad("client_id", "the client id, by which the issuer knows who exchanges tokens, is missing")
	case x.Audience == "":
		return bad("audience", "the audience is missing: what the issuer has to make Trino's tokens for")
	case x.SignIn != "" && !slices.Contains(SignInKinds, x.SignIn):
		return bad("sign_in", "people sign in with one of %s", strings.Join(SignInKinds, ", "))
	case x.CAFile != "" && u.Scheme != "https":
		return bad("ca_file", "a plain HTTP address has no certificate to check: use the issuer's https address")
	}
	return nil
}

// TrinoPlace is where the tables of a region are: region.schema.table is
// Catalog.SchemaPrefix+schema.table in Trino.
type TrinoPlace struct {
	Catalog string `json:"catalog"`
	// SchemaPrefix lets several regions share a catalog. Usually empty.
	SchemaPrefix string `json:"schema_prefix,omitempty"`
	// Cluster is one of TrinoConnection.Clusters; empty: the source's own server.
	Cluster string `json:"cluster,omitempty"`
}

// TrinoCluster is how another server of a source is reached. User is the source's where it
// is empty; the files are the cluster's own.
type TrinoCluster struct {
	URL          string `json:"url"`
	User         string `json:"user,omitempty"`
	PasswordFile string `json:"password_file,omitempty"`
	TokenFile    string `json:"token_file,omitempty"`
	CAFile       string `json:"ca_file,omitempty"`
}

// ClusterName is what a cluster may be called.
var ClusterName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// MainCluster is what the source's own server is called where there are others.
const MainCluster = "main"

// ClusterNames are the names of all servers: the source's own, which is "", and the others in
// order.
func (c TrinoConnection) ClusterNames() []string {
	return append([]string{""}, slices.Sorted(maps.Keys(c.Clusters))...)
}

// At is the connection to one server, with the regions that are there.
func (c TrinoConnection) At(cluster string) TrinoConnection {
	if own, ok := c.Clusters[cluster]; ok {
		c.URL, c.PasswordFile, c.TokenFile, c.CAFile = own.URL, own.PasswordFile, own.TokenFile, own.CAFile
		c.User = cmp.Or(own.User, c.User)
	}
	regions := make(map[string]TrinoPlace, len(c.Regions))
	for region, place := range c.Regions {
		if place.Cluster == cluster {
			place.Cluster = ""
			regions[region] = place
		}
	}
	c.Clusters, c.Regions = nil, regions
	return c
}

// checkClusters says what is wrong with a connection to several servers.
func (c TrinoConnection) checkClusters() error {
	bad := func(format string, args ...any) error {
		return fault.Invalid("clusters", ReasonTrinoConnection, format, args...)
	}
	for region, place := range c.Regions {
		if _, known := c.Clusters[place.Cluster]; place.Cluster != "" && !known {
			return bad("the region %q is on the cluster %q, which the source does not name", region, place.Cluster)
		}
	}
	for _, name := range c.ClusterNames() {
		called := cmp.Or(name, MainCluster)
		if name != "" && (!ClusterName.MatchString(name) || name == MainCluster) {
			return bad("a cluster is called by lower-case letters, digits, - and _, and not %q", name)
		}
		at := c.At(name)
		if len(at.Regions) == 0 {
			return bad("no region is on the cluster %s", called)
		}
		if err := at.Check(); err != nil {
			f := fault.FromStatus(err)
			return fault.Invalid(f.Field, ReasonTrinoConnection, "the cluster %s: %s", called, f.Message)
		}
	}
	return nil
}

// ReasonTrinoConnection is the reason of errors about a TrinoConnection.
const ReasonTrinoConnection = "TRINO_CONNECTION_INVALID"

// Check says what is wrong with a connection, in words for whoever wrote it. It
// opens nothing.
func (c TrinoConnection) Check() error {
	if len(c.Clusters) > 0 {
		return c.checkClusters()
	}
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
	case c.TokenFile != "" && u.Scheme != "https":
		return bad("token_file", "a token is not sent over plain HTTP: use the server's https address")
	case c.TokenFile != "" && c.PasswordFile != "":
		return bad("token_file", "the service signs in with a password or with a token: name one of the two files")
	case c.CAFile != "" && u.Scheme != "https":
		return bad("ca_file", "a plain HTTP address has no certificate to check: use the server's https address")
	case c.TokenExchange != nil && (!c.Impersonate || !c.SignsIn()):
		return bad("token_exchange", "statements run with the tokens of their askers where the source impersonates, and the service needs a token or a password of its own for what it asks itself")
	case c.Impersonate && !c.SignsIn() && !c.TrustUserHeader && !loopback(u):
		return bad("impersonate", "impersonation needs https and the service's password or token: without them anybody who reaches the server can be anybody; say trust_user_header to accept that")
	case len(c.Regions) == 0:
		return bad("regions", "the source maps no region to a Trino catalog")
	}
	if c.TokenExchange != nil {
		if err := c.TokenExchange.check(); err != nil {
			return err
		}
	}
	for region, place := range c.Regions {
		if region == "" || place.Catalog == "" {
			return bad("regions", "the region %q is mapped to the catalog %q: both need a name", region, place.Catalog)
		}
		if place.Cluster != "" {
			return bad("regions", "the region %q is on the cluster %q, which the source does not name", region, place.Cluster)
		}
	}
	for name, value := range c.Session {
		if name == "" || strings.ContainsAny(name, "=, ") || !HeaderSafe(name) || !HeaderSafe(value) || value == "" {
			return bad("session", "the session property %q is not name=value in printable ASCII", name+"="+value)
		}
	}
	return nil
}

// SignsIn reports whether the service proves to the server who it is.
func (c TrinoConnection) SignsIn() bool { return c.PasswordFile != "" || c.TokenFile != "" }

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
