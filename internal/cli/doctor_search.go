package cli

import (
	"context"
	"net"
	"net/url"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/retrieval/backend"
)

// checkSearch tries the servers that tables are searched on.
func checkSearch(ctx context.Context, cfg *config.Config) []finding {
	search := cfg.FindData.Config.Search
	var servers [][2]string // what it is, and its address
	if search.Lexical == backend.Elasticsearch {
		for _, address := range search.Elasticsearch.Addresses {
			servers = append(servers, [2]string{"Elasticsearch", address})
		}
	}
	if search.Vector == backend.Milvus {
		servers = append(servers, [2]string{"Milvus", search.Milvus.Address})
	}
	if search.Embedder == backend.Endpoint {
		servers = append(servers, [2]string{"embedding endpoint", search.Endpoint.BaseURL})
	}
	if len(servers) == 0 {
		return []finding{{good, "search", "in the process's own memory", ""}}
	}
	var found []finding
	for _, s := range servers {
		if err := reach(ctx, s[1]); err != nil {
			found = append(found, finding{bad, s[0], "nothing answers at " + s[1] + ": " + err.Error(), "start it, or mend findata.search; see docs/operations.md"})
			continue
		}
		found = append(found, finding{good, s[0], s[1] + " takes connections", ""})
	}
	return found
}

// reach opens a connection to "host:port" or a URL, and closes it.
func reach(ctx context.Context, address string) error {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		if address = u.Host; u.Port() == "" {
			address = net.JoinHostPort(u.Hostname(), u.Scheme) // a port by its service's name
		}
	}
	ctx, cancel := context.WithTimeout(ctx, engineDeadline)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}
