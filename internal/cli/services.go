package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"

	"github.com/dibrain/dibrain/internal/answer"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/source"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

// remoteFlags say which server a command talks to; none: the services run inside
// the command's own process.
type remoteFlags struct {
	server    string
	tokenFile string
	caFile    string
	certFile  string
	keyFile   string
}

func (r *remoteFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&r.server, "server", "", "HOST:PORT of a running server (default: everything inside this process)")
	flags.StringVar(&r.tokenFile, "token-file", "", "file with the API token for --server (default: environment variable "+config.EnvToken+")")
	flags.StringVar(&r.caFile, "ca-file", "", "PEM file of the authorities of --server; empty: plain text, unless a certificate is given")
	flags.StringVar(&r.certFile, "cert-file", "", "PEM file of the certificate to show to --server (default: configuration key tls.cert_file)")
	flags.StringVar(&r.keyFile, "key-file", "", "PEM file of its private key (default: configuration key tls.key_file)")
}

// check refuses what says no server, or says things of none.
func (r *remoteFlags) check() error {
	switch {
	case strings.Contains(r.server, "://"):
		return badUsage("--server: %q is a URL: give HOST:PORT, such as 127.0.0.1:7070", r.server)
	case r.server == "" && r.tokenFile != "":
		return badUsage("--token-file is for a server: give --server too")
	case r.server == "" && r.caFile != "":
		return badUsage("--ca-file is for a server: give --server too")
	case r.server == "" && (r.certFile != "" || r.keyFile != ""):
		return badUsage("--cert-file and --key-file are for a server: give --server too")
	case (r.certFile == "") != (r.keyFile == ""):
		return badUsage("--cert-file and --key-file go together: give both or none")
	}
	return nil
}

// token reads the API token; "" when there is none.
func (r *remoteFlags) token(getenv func(string) string) (string, error) {
	if r.tokenFile == "" {
		return getenv(config.EnvToken), nil
	}
	text, err := os.ReadFile(r.tokenFile)
	if err != nil {
		return "", fault.Invalid("--token-file", "TOKEN_FILE_UNREADABLE", "The token file cannot be read: %v.", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// services are clients of the services that a command needs, in this process or
// behind --server.
type services struct {
	Router    routerv1.RouterServiceClient
	FindData  findatav1.FindDataServiceClient
	Catalog   findatav1.CatalogServiceClient
	FixSQL    fixsqlv1.FixSQLServiceClient
	Text2SQL  text2sqlv1.Text2SQLServiceClient
	ChatBI    chatbiv1.ChatBIServiceClient
	closers   []func() error
	Knowledge knowledgev1.KnowledgeServiceClient
	Logify    logifyv1.LogifyServiceClient
	Analysis  analysisv1.AnalysisServiceClient

	sources *source.Store // of this process; nil: a server has them
}

// Close ends what openServices began, last first.
func (s *services) Close() {
	var all error
	for i := len(s.closers) - 1; i >= 0; i-- {
		all = errors.Join(all, s.closers[i]())
	}
	_ = all // the command has its answer; what closes badly was only read
}

func clientsOf(conn grpc.ClientConnInterface, closers ...func() error) *services {
	return &services{
		Router:    routerv1.NewRouterServiceClient(conn),
		FindData:  findatav1.NewFindDataServiceClient(conn),
		Catalog:   findatav1.NewCatalogServiceClient(conn),
		FixSQL:    fixsqlv1.NewFixSQLServiceClient(conn),
		Text2SQL:  text2sqlv1.NewText2SQLServiceClient(conn),
		ChatBI:    chatbiv1.NewChatBIServiceClient(conn),
		closers:   closers,
		Knowledge: knowledgev1.NewKnowledgeServiceClient(conn),
		Logify:    logifyv1.NewLogifyServiceClient(conn),
		Analysis:  analysisv1.NewAnalysisServiceClient(conn),
	}
}

// noSource says that a command asks no source, so that no demo is made for it.
const noSource = "-"

// openServices connects to --server, or starts all services in this process. In
// the process, the demo is made when the source that will be asked is the demo.
func openServices(ctx context.Context, f *Factory, remote remoteFlags, sourceName string) (*services, error) {
	cfg, err := f.Config()
	if err != nil {
		return nil, err
	}
	if err := remote.check(); err != nil {
		return nil, err
	}
	if remote.server != "" {
		return dialServices(f, cfg, remote)
	}
	local, err := f.InProcess(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if sourceName == "" {
		sourceName = cfg.Source
	}
	if sourceName == demo.Name {
		if err := ensureDemo(ctx, f, local); err != nil {
			return nil, errors.Join(err, local.Close())
		}
	}
	s := clientsOf(local.Conn(), local.Close)
	s.sources = local.Sources()
	return s, nil
}

// maxOthers is how many other sources are named.
const maxOthers = 5

// tellSource says which source is asked where nobody said so and there are others: an answer
// from the demo looks like any other.
func tellSource(f *Factory, s *services, asked string) {
	if s.sources == nil {
		return
	}
	names, err := s.sources.Names()
	if err != nil { // whoever reads the source says what is wrong with it
		return
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == asked })
	if len(names) == 0 {
		return
	}
	more := ""
	if len(names) > maxOthers {
		names, more = names[:maxOthers], ", ..."
	}
	f.sayAside(f.style().Warn, fmt.Sprintf(
		"! The source %q is asked. There is also %s%s: --source NAME asks another, and DIBRAIN_SOURCE=NAME, or the config key source, makes it the default.", asked, strings.Join(names, ", "), more))
}

// tellDefault says which source is looked at where none was given (tellSource).
func tellDefault(f *Factory, s *services, given string) {
	if given != "" {
		return
	}
	if cfg, err := f.Config(); err == nil { // openServices has read it
		tellSource(f, s, cfg.Source)
	}
}

func ensureDemo(ctx context.Context, f *Factory, local *app.Local) error {
	bar := newBar(f)
	defer bar.end()
	said := false
	return local.EnsureDemo(ctx, func(done, total int, what string) {
		if !said { // elsewhere too: a script that waits ten seconds should say for what
			f.sayAside(f.style().Dim, "Making a demo warehouse up to today, to ask about until you bring your own data (dibrain ingest); about ten seconds.")
		}
		said = true
		bar.step(done, total, what)
	})
}

func dialServices(f *Factory, cfg *config.Config, remote remoteFlags) (*services, error) {
	token, err := remote.token(f.Getenv)
	if err != nil {
		return nil, err
	}
	deps := rpc.ClientDeps{Token: token}
	if remote.caFile == "" {
		remote.caFile = cfg.TLS.CAFile
	}
	if remote.certFile == "" {
		remote.certFile, remote.keyFile = cfg.TLS.CertFile, cfg.TLS.KeyFile
	}
	if remote.caFile != "" || remote.certFile != "" {
		files := rpc.TLSFiles{CertFile: remote.certFile, KeyFile: remote.keyFile, CAFile: remote.caFile}
		if deps.TLS, err = files.Client(cfg.TLS.ServerName); err != nil {
			return nil, fault.Invalid("--ca-file", "TLS_FILES_UNREADABLE", "The files for TLS with the server cannot be used: %v.", err)
		}
	}
	conn, err := rpc.Dial(remote.server, rpc.ClientConfig{
		ReadyTimeout: cfg.Client.ReadyTimeout, MaxBackoff: cfg.Client.MaxBackoff, CallTimeout: cfg.Client.CallTimeout,
		MaxResponseBytes: cfg.Limits.MaxResponseBytes, RetryAttempts: cfg.Client.RetryAttempts,
	}, deps)
	if err != nil {
		return nil, err
	}
	return clientsOf(conn, conn.Close), nil
}

// openStore opens the sources of the data directory.
func openStore(f *Factory) (*source.Store, error) {
	cfg, err := f.Config()
	if err != nil {
		return nil, err
	}
	return source.Open(cfg.DataDir)
}

// style paints for a person at a terminal, unless NO_COLOR is set.
func (f *Factory) style() term.Style {
	return term.Style{Color: f.IO.IsTTY && f.Getenv("NO_COLOR") == ""}
}

// answerOptions say how answers are printed.
func (f *Factory) answerOptions(limit int, verbose, wide bool) answer.Options {
	return answer.Options{Width: f.IO.Width(), TableWidth: f.tableWidth(wide), MaxRows: max(limit, 1), Verbose: verbose, Wrap: f.IO.IsTTY, Style: f.style()}
}
