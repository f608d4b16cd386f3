package app

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"

	"google.golang.org/grpc"

	"github.com/dibrain/dibrain/docs"
	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/services/analysis"
	"github.com/dibrain/dibrain/services/analysis/agent"
	"github.com/dibrain/dibrain/services/analysis/deliver"
	analysisllm "github.com/dibrain/dibrain/services/analysis/llm"
	"github.com/dibrain/dibrain/services/analysis/workflow"
	"github.com/dibrain/dibrain/services/chatbi"
	"github.com/dibrain/dibrain/services/findata"
	"github.com/dibrain/dibrain/services/findata/memory"
	"github.com/dibrain/dibrain/services/fixsql"
	"github.com/dibrain/dibrain/services/knowledge"
	"github.com/dibrain/dibrain/services/logify"
	"github.com/dibrain/dibrain/services/router"
	"github.com/dibrain/dibrain/services/router/outside"
	"github.com/dibrain/dibrain/services/text2sql"
	"github.com/dibrain/dibrain/services/text2sql/examples"
)

// service is what every services/X.New returns.
type service interface {
	Register(grpc.ServiceRegistrar)
	Close() error
}

// hold registers a service and closes it with the process.
func (a *App) hold(name string, s service) {
	a.closers.add(name, s.Close)
	a.register(s.Register)
	if r, ok := s.(readier); ok {
		a.ready.add(name, r.Ready, served(s)...)
	}
}

// served are the names of the gRPC services that a service registers.
func served(s service) []string {
	var registered recorder
	s.Register(&registered)
	return registered.names
}

func startFindData(ctx context.Context, a *App) error {
	shared, err := a.openShared(ctx, memory.Tables)
	if err != nil {
		return err
	}
	s, err := findata.New(a.config.FindData.Config, findata.Deps{
		Sources: a.sources, Policy: a.policy, DataDir: a.config.DataDir, Shared: shared, Clock: a.options.Clock, Log: a.options.Logger,
		Model: a.model, ModelBudget: a.config.LLM.Config.Budget(), Meter: a.meter,
	})
	if err != nil {
		return errors.Join(err, closeShared(shared))
	}
	a.reload.find = s
	a.hold(FindData, s)
	a.watchShared(preferencesStore, shared, true, s)
	return nil
}

func startText2SQL(ctx context.Context, a *App) error {
	catalog, err := a.conn(FindData)
	if err != nil {
		return err
	}
	fix, err := a.conn(FixSQL)
	if err != nil {
		return err
	}
	bi, err := a.conn(ChatBI)
	if err != nil {
		return err
	}
	shared, err := a.openShared(ctx, examples.Tables)
	if err != nil {
		return err
	}
	s, err := text2sql.New(a.config.Text2SQL.Config, text2sql.Deps{
		Sources: a.sources, Catalog: findatav1.NewCatalogServiceClient(catalog), Policy: a.policy,
		FixSQL: fixsqlv1.NewFixSQLServiceClient(fix), ChatBI: chatbiv1.NewChatBIServiceClient(bi), Meter: a.meter,
		Model: a.model, ModelBudget: a.config.LLM.Config.Budget(), Log: a.options.Logger,
		DataDir: a.config.DataDir, Shared: shared, Clock: a.options.Clock,
	})
	if err != nil {
		return errors.Join(err, closeShared(shared))
	}
	a.hold(Text2SQL, s)
	a.watchShared(examplesStore, shared, false, s)
	return nil
}

func startFixSQL(_ context.Context, a *App) error {
	catalog, err := a.conn(FindData)
	if err != nil {
		return err
	}
	var bi chatbiv1.ChatBIServiceClient // an interface: nil where there is no chat BI
	if a.has(ChatBI) || a.config.Peer(ChatBI).Address != "" {
		conn, err := a.conn(ChatBI)
		if err != nil {
			return err
		}
		bi = chatbiv1.NewChatBIServiceClient(conn)
	}
	var layer text2sqlv1.Text2SQLServiceClient // nil where there is no text2sql
	if a.has(Text2SQL) || a.config.Peer(Text2SQL).Address != "" {
		conn, err := a.conn(Text2SQL)
		if err != nil {
			return err
		}
		layer = text2sqlv1.NewText2SQLServiceClient(conn)
	}
	s, err := fixsql.New(a.config.FixSQL.Config, fixsql.Deps{
		ChatBI: bi, Text2SQL: layer,
		Catalog: findatav1.NewCatalogServiceClient(catalog), Model: a.model, ModelBudget: a.config.LLM.Config.Budget(),
	})
	if err != nil {
		return err
	}
	a.hold(FixSQL, s)
	return nil
}

func startChatBI(ctx context.Context, a *App) error {
	catalog, err := a.conn(FindData)
	if err != nil {
		return err
	}
	db, files, err := a.openResults(ctx)
	if err != nil {
		return err
	}
	s, err := chatbi.New(a.config.ChatBI.Config, chatbi.Deps{
		Sources: a.sources, Catalog: findatav1.NewCatalogServiceClient(catalog), Policy: a.policy,
		DataDir: a.config.DataDir, Clock: a.options.Clock, Launcher: a.options.launcher(), Memory: a.options.Memory, Log: a.options.Logger, Meter: a.meter,
		Model: a.model, ModelBudget: a.config.LLM.Config.Budget(),
		Database: db, Lease: a.config.Store.Grace, Files: files,
	})
	if err != nil {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
		return err
	}
	a.reload.chatbi = s
	a.hold(ChatBI, s)
	return nil
}

func startKnowledge(ctx context.Context, a *App) error {
	var catalog findatav1.FindDataServiceClient // an interface: nil where there is no find data
	if a.has(FindData) || a.config.Peer(FindData).Address != "" {
		conn, err := a.conn(FindData)
		if err != nil {
			return err
		}
		catalog = findatav1.NewFindDataServiceClient(conn)
	}
	shared, err := a.openShared(ctx, knowledge.SessionTables)
	if err != nil {
		return err
	}
	s, err := knowledge.New(a.config.Knowledge.Config, knowledge.Deps{
		FindData: catalog,
		OwnDocs:  docs.Files, DataDir: a.config.DataDir, Shared: shared, Model: a.model, ModelBudget: a.config.LLM.Config.Budget(),
		Clock: a.options.Clock, IDs: a.newID, Log: a.options.Logger,
	})
	if err != nil {
		return misconfigured(errors.Join(err, closeShared(shared)))
	}
	a.hold(Knowledge, s)
	a.watchShared(expertStore, shared, true, s)
	return nil
}

func startLogify(_ context.Context, a *App) error {
	s, err := logify.New(a.config.Logify.Config, logify.Deps{
		Model: a.model, ModelBudget: a.config.LLM.Config.Budget(), Clock: a.options.Clock, Log: a.options.Logger, Meter: a.meter,
	})
	if err != nil {
		return misconfigured(err)
	}
	a.hold(Logify, s)
	return nil
}

func startAnalysis(ctx context.Context, a *App) error {
	conns := make(map[string]*grpc.ClientConn)
	for _, name := range []string{FindData, Text2SQL, ChatBI} {
		c, err := a.conn(name)
		if err != nil {
			return err
		}
		conns[name] = c
	}
	store, err := a.openAnalyses(ctx)
	if err != nil {
		return err
	}
	python, err := a.python(ctx)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	var planner workflow.PlanMaker // an interface: nil where there is no model
	if a.model != nil {
		if planner, err = analysisllm.NewPlanner(a.model, a.config.LLM.Config.Budget()); err != nil {
			return errors.Join(err, store.Close())
		}
	}
	c, err := a.config.Analysis.Config.Complete()
	if err != nil {
		return misconfigured(errors.Join(err, store.Close()))
	}
	targets, err := deliver.Open(c.WatchTargetsFile, c.WatchTimeout, a.options.Clock, a.options.Logger)
	if err != nil {
		return misconfigured(errors.Join(err, store.Close()))
	}
	agents, err := agent.Open(c.AgentsFile)
	if err != nil {
		return misconfigured(errors.Join(err, store.Close()))
	}
	s, err := analysis.New(a.config.Analysis.Config, analysis.Deps{
		Targets: targets, Agents: agents,
		Python: python.runner, Coder: python.coder, Interpreter: python.interpreter, Planner: planner,
		FindData: findatav1.NewFindDataServiceClient(conns[FindData]),
		Text2SQL: text2sqlv1.NewText2SQLServiceClient(conns[Text2SQL]),
		ChatBI:   chatbiv1.NewChatBIServiceClient(conns[ChatBI]),
		Store:    measuredAnalyses{store, a.meter, a.storeKind()}, Clock: a.options.Clock, IDs: a.newID, Log: a.options.Logger, Audit: a.auditLog,
	})
	if err != nil {
		return misconfigured(errors.Join(err, store.Close()))
	}
	a.hold(Analysis, s)
	if !a.headless { // a command that is over in a moment watches nothing
		a.tasks = append(a.tasks, s.Watch)
	}
	if r, ok := store.(readier); ok {
		a.ready.add(analysisStore, r.Ready, served(s)...)
	}
	return nil
}

func startRouter(ctx context.Context, a *App) error {
	conns := make(map[string]*grpc.ClientConn)
	for _, name := range []string{FindData, Text2SQL, FixSQL, ChatBI, Knowledge} {
		c, err := a.conn(name)
		if err != nil {
			return err
		}
		conns[name] = c
	}
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	a.closers.add("session store", store.Close)
	c := a.config.Router.Config
	if c.Secret, err = a.derivedKey(Router, "mid_state"); err != nil {
		return err
	}
	others, err := a.outsideAgents(c.AgentsFile)
	if err != nil {
		return err
	}
	var logs logifyv1.LogifyServiceClient // an interface: nil where there is no logify
	if a.has(Logify) || a.config.Peer(Logify).Address != "" {
		conn, err := a.conn(Logify)
		if err != nil {
			return err
		}
		logs = logifyv1.NewLogifyServiceClient(conn)
	}
	var long analysisv1.AnalysisServiceClient // nil where there is no analysis
	if a.has(Analysis) || a.config.Peer(Analysis).Address != "" {
		conn, err := a.conn(Analysis)
		if err != nil {
			return err
		}
		long = analysisv1.NewAnalysisServiceClient(conn)
	}
	people, err := a.people()
	if err != nil {
		return err
	}
	s, err := router.New(c, router.Deps{
		Store: measuredStore{store, a.meter, a.storeKind()}, Meter: a.meter,
		FindData:  findatav1.NewFindDataServiceClient(conns[FindData]),
		Catalog:   findatav1.NewCatalogServiceClient(conns[FindData]),
		Text2SQL:  text2sqlv1.NewText2SQLServiceClient(conns[Text2SQL]),
		FixSQL:    fixsqlv1.NewFixSQLServiceClient(conns[FixSQL]),
		ChatBI:    chatbiv1.NewChatBIServiceClient(conns[ChatBI]),
		Knowledge: knowledgev1.NewKnowledgeServiceClient(conns[Knowledge]),
		Logify:    logs,
		Analysis:  long,
		Outside:   others,
		People:    people,
		Model:     a.model, ModelBudget: a.config.LLM.Config.Budget(), ModelCurrency: a.config.LLM.Config.Currency,
		Clock: a.options.Clock, IDs: a.callIDs(), Log: a.options.Logger,
	})
	if err != nil {
		return err
	}
	a.hold(Router, s)
	a.reload.router = s
	if r, ok := store.(readier); ok {
		a.ready.add(sessionStore, r.Ready, served(s)...)
	}
	return nil
}

// outsideAgents reads the agents that are added to the router. A call to them
// carries the run, and no proof of who asks that our own services would take.
func (a *App) outsideAgents(path string) ([]*outside.Tool, error) {
	if path == "" {
		return nil, nil
	}
	agents, err := readAgents(path)
	if err != nil {
		return nil, misconfigured(err)
	}
	found := make([]*outside.Tool, 0, len(agents))
	for _, agent := range agents {
		conn, err := a.dial(dialTarget(agent.Target), rpc.ClientDeps{})
		if err != nil {
			return nil, misconfigured(fmt.Errorf("router.agents_file %s: agent %q: %w", path, agent.Tool, err))
		}
		found = append(found, outside.New(agent, conn))
	}
	return found, nil
}

func readAgents(path string) ([]outside.Agent, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("router.agents_file: %w", err)
	}
	defer file.Close() //nolint:errcheck // opened for reading
	agents, err := outside.Read(file)
	if err != nil {
		return nil, fmt.Errorf("router.agents_file %s: %w", path, err)
	}
	return agents, nil
}

// derivedKey returns a key of a service for another purpose than hop tokens, so that
// one secret is enough to be kept.
func (a *App) derivedKey(service, purpose string) ([]byte, error) {
	key, err := a.hops.Audience(service)
	if err != nil {
		return nil, misconfigured(err)
	}
	return hkdf.Key(sha256.New, key, nil, "dibrain "+service+" "+purpose, sha256.Size)
}
