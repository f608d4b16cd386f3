package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/history"
	"github.com/dibrain/dibrain/pkg/rpc"
)

func newHistoryCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "The query history: what people ran, as knowledge about tables",
		Long: `What people ran tells which tables count, how they are joined and what they are
called. Files of Trino's event listener are read with
dibrain ingest SOURCE --history PATH; this receives events from a running Trino, and
shows what is kept. No value that stands in a query is kept.`,
	}
	cmd.AddCommand(newHistoryStatusCommand(f), newHistoryShapesCommand(f), newHistoryReceiveCommand(f))
	return cmd
}

// historyOf returns the catalog of a source.
func historyOf(f *Factory, name string) (*catalog.Snapshot, error) {
	store, err := openStore(f)
	if err != nil {
		return nil, err
	}
	g, err := store.Current(name)
	if err != nil {
		return nil, err
	}
	return g.Snapshot()
}

func newHistoryStatusCommand(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "status SOURCE",
		Short:   "What is kept of the query history of a source",
		Example: "  dibrain history status wh",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			snapshot, err := historyOf(f, args[0])
			if err != nil {
				return err
			}
			return printHistoryStatus(f, args[0], snapshot)
		},
	}
}

func printHistoryStatus(f *Factory, name string, s *catalog.Snapshot) error {
	used, people, days := 0, make(map[string]bool), make(map[string]bool)
	shapes := make(map[string]bool)
	var reads, words, joins int64
	var until time.Time
	for i := range s.Tables {
		u := s.Tables[i].Usage
		if u == nil || len(u.Uses) == 0 {
			continue
		}
		used++
		reads += u.Since("")
		words += int64(len(u.Words))
		joins += int64(len(u.Joins))
		for _, use := range u.Uses {
			days[use.Day] = true
			if use.User != "" {
				people[use.User] = true
			}
		}
		for _, t := range u.Templates {
			shapes[t.SQL] = true
		}
		if u.Until.After(until) {
			until = u.Until
		}
	}
	if used == 0 {
		_, err := fmt.Fprintf(f.IO.Out, "source %s: no query history; read one with dibrain ingest %s --history PATH, or receive it with dibrain history receive %s\n", name, name, name)
		return err
	}
	var rows [][]string
	for _, line := range []struct {
		what string
		n    int64
	}{
		{"tables that were used", int64(used)},
		{"tables of the source", int64(len(s.Tables))},
		{"reads of tables by queries", reads},
		{"days with queries", int64(len(days))},
		{"persons", int64(len(people))},
		{"joins, counted at both tables", joins},
		{"shapes of queries", int64(len(shapes))},
		{"words", words},
	} {
		rows = append(rows, []string{line.what, fmt.Sprint(line.n)})
	}
	fmt.Fprint(f.IO.Out, term.Table([]term.Column{{Title: "kept"}, {Title: "number", Right: true}}, rows, f.IO.Width(), f.style()))
	_, err := fmt.Fprintf(f.IO.Out, "source %s: up to %s\n", name, until.UTC().Format("2006-01-02 15:04 MST"))
	return err
}

// defaultShapes is how many shapes are shown.
const defaultShapes = 20

func newHistoryShapesCommand(f *Factory) *cobra.Command {
	limit := defaultShapes
	cmd := &cobra.Command{
		Use:   "shapes SOURCE",
		Short: "The most frequent shapes of queries, with a question mark for each value",
		Long: `The most frequent shapes of queries, with a question mark for each value. What is asked
again and again is a candidate for a verified query: dibrain examples add QUESTION SQL.`,
		Example: "  dibrain history shapes wh --limit 10",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if limit < 1 {
				return badUsage("--limit is %d: give 1 or more", limit)
			}
			snapshot, err := historyOf(f, args[0])
			if err != nil {
				return err
			}
			return printShapes(f, args[0], snapshot, limit)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "how many are shown")
	return cmd
}

func printShapes(f *Factory, name string, s *catalog.Snapshot, limit int) error {
	var all []catalog.Template
	seen := make(map[string]bool) // a join's shape is kept at each of its tables
	for i := range s.Tables {
		if u := s.Tables[i].Usage; u != nil {
			for _, t := range u.Templates {
				key := t.SQL
				for _, r := range t.Reads {
					key += "\x00" + r.Table.Key()
				}
				if !seen[key] {
					seen[key] = true
					all = append(all, t)
				}
			}
		}
	}
	if len(all) == 0 {
		_, err := fmt.Fprintf(f.IO.Out, "source %s: no shapes of queries are kept; dibrain history status %s says what is\n", name, name)
		return err
	}
	u := catalog.Usage{Templates: all}
	u.Sort()
	for _, t := range u.Templates[:min(len(u.Templates), limit)] {
		if _, err := fmt.Fprintf(f.IO.Out, "%6d  %s  %s\n", t.Queries, t.LastDay, t.SQL); err != nil {
			return err
		}
	}
	return nil
}

type receiveOptions struct {
	listen    string
	tokenFile string
	certFile  string
	keyFile   string
}

func newHistoryReceiveCommand(f *Factory) *cobra.Command {
	o := receiveOptions{listen: "127.0.0.1:7075"}
	cmd := &cobra.Command{
		Use:   "receive SOURCE",
		Short: "Take events from a running Trino until interrupted",
		Long: `Take query-completed events that Trino's HTTP event listener posts, until interrupted.
On the server, etc/http-event-listener.properties says where to:

  event-listener.name=http
  http-event-listener.log-completed=true
  http-event-listener.connect-ingest-uri=http://127.0.0.1:7075/
  http-event-listener.connect-retry-count=5

Events wait in memory, and nowhere else, until they are counted (history.flush_every),
and what waits is counted at the end. The configuration's section history says what is
kept. Another address than one of this machine needs --token-file, --cert-file and
--key-file, for events hold the texts of queries.`,
		Example: "  dibrain history receive wh --listen 127.0.0.1:7075",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return runReceive(cmd.Context(), f, o, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.listen, "listen", o.listen, "address to take events on, HOST:PORT")
	flags.StringVar(&o.tokenFile, "token-file", "", "file with the token that Trino has to send as Authorization: Bearer TOKEN")
	flags.StringVar(&o.certFile, "cert-file", "", "PEM file with the certificate, for https")
	flags.StringVar(&o.keyFile, "key-file", "", "PEM file with its key")
	return cmd
}

// check finds an address at which texts of queries would be open to others.
func (o receiveOptions) check(ctx context.Context) error {
	switch {
	case (o.certFile == "") != (o.keyFile == ""):
		return badUsage("--cert-file and --key-file go together: give both or none")
	case auth.IsLoopback(ctx, o.listen):
		return nil
	case o.tokenFile == "":
		return badUsage("--listen %s is reached by other machines: give --token-file, so that nobody else adds to the history", o.listen)
	case o.certFile == "":
		return badUsage("--listen %s is reached by other machines, and events hold the texts of queries: give --cert-file and --key-file", o.listen)
	}
	return nil
}

// receiveTimeout bounds the reading of one event.
const receiveTimeout = 30 * time.Second

func runReceive(ctx context.Context, f *Factory, o receiveOptions, name string) (err error) {
	if err := o.check(ctx); err != nil {
		return err
	}
	cfg, err := f.Config()
	if err != nil {
		return err
	}
	store, err := openStore(f)
	if err != nil {
		return err
	}
	if _, err := store.Current(name); err != nil {
		return err
	}
	options := history.ReceiverOptions{
		Options: cfg.History.Options(), FlushEvery: cfg.History.FlushEvery, MaxPending: cfg.History.MaxPending,
		Flushed: func(r history.Report, err error) {
			switch {
			case err != nil:
				fmt.Fprintf(f.IO.Err, "the events wait on: %v\n", err)
			case r.Queries > 0:
				_ = printHistoryReport(f, name, r) // a terminal that is gone is no reason to stop
			}
		},
	}
	if o.tokenFile != "" {
		raw, err := os.ReadFile(o.tokenFile)
		if err != nil {
			return badUsage("--token-file: %w", err)
		}
		if options.Token = strings.TrimSpace(string(raw)); options.Token == "" {
			return badUsage("--token-file %s is empty: write a token into it", o.tokenFile)
		}
	}
	server := &http.Server{ReadHeaderTimeout: receiveTimeout, ReadTimeout: receiveTimeout, WriteTimeout: receiveTimeout}
	if o.certFile != "" {
		pair, err := tls.LoadX509KeyPair(o.certFile, o.keyFile)
		if err != nil {
			return badUsage("--cert-file, --key-file: %w", err)
		}
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	receiver := history.NewReceiver(store, name, options)
	server.Handler = receiver
	listener, err := rpc.Listen(ctx, o.listen, "--listen")
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	running, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop()
		if server.TLSConfig != nil {
			served <- server.ServeTLS(listener, "", "")
		} else {
			served <- server.Serve(listener)
		}
	}()
	stopped := context.AfterFunc(running, func() {
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), receiveTimeout)
		defer cancel()
		_ = server.Shutdown(wait) // what is on its way is taken
	})
	defer stopped()
	fmt.Fprintf(f.IO.Err, "taking events for source %s on %s; interrupt to stop\n", name, listener.Addr())
	if err := receiver.Run(running); err != nil {
		return err
	}
	if err := <-served; err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("take events: %w", err)
	}
	// What came in while the last ones were counted.
	report, err := receiver.Flush(context.WithoutCancel(ctx))
	options.Flushed(report, err)
	return err
}
