// Package knowledge answers questions about the data platform itself from collections
// of documents. An answer is quoted from a passage with its document, section and link,
// or written by a model and held sentence by sentence against the passages it cites;
// what the documents do not say is told as that, with the nearest headings.
//
// service.go speaks gRPC; faq.go and expert.go are the use cases; collection.go and
// generation.go keep what is read of the documents; search.go finds, quote.go and
// conflict.go cut what was found, model.go lets a model write.
package knowledge

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/llm/prompt"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/retrieval/passage"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store/small"
)

// OwnDocs is the name of the collection of this project's own documents.
const OwnDocs = "dibrain"

// ownProduct is the product that they are about.
const ownProduct = "DI-Brain"

// Service answers from documents. It may be used concurrently.
type Service struct {
	config      Config
	deps        Deps
	words       *passage.Words
	collections []*collection
	sessions    *sessions
	followUp    followUps
	prompt      *prompt.Prompt

	end  context.CancelFunc
	work sync.WaitGroup
}

// New returns the service. The file of collections is read at once, the documents when
// they are first asked for.
func New(config Config, deps Deps) (*Service, error) {
	config, err := config.Complete()
	if err != nil {
		return nil, err
	}
	if deps.DataDir == "" {
		return nil, errors.New("knowledge needs a data directory")
	}
	s := &Service{config: config, deps: deps.complete()}
	var settings []Settings
	if config.CollectionsFile != "" {
		if settings, err = ReadSettings(config.CollectionsFile); err != nil {
			return nil, err
		}
	}
	if s.words, err = passage.NewWords(); err != nil {
		return nil, err
	}
	if s.followUp, err = readFollowUps(); err != nil {
		return nil, err
	}
	if s.prompt, err = readPrompt(); err != nil {
		return nil, fmt.Errorf("knowledge: %w", err)
	}
	kept := deps.Shared
	if kept == nil {
		kept = small.InFile(SessionsFile(deps.DataDir))
	}
	s.sessions = &sessions{tables: kept, most: config.MaxSessions, keep: config.KeepSessions, clock: s.deps.Clock}
	s.open(settings)
	return s, nil
}

// open makes the collections, without reading any.
func (s *Service) open(settings []Settings) {
	var life context.Context
	life, s.end = context.WithCancel(context.Background())
	r := reader{config: s.config, words: s.words, clock: s.deps.Clock}
	if s.deps.OwnDocs != nil && !s.config.HideOwnDocs {
		s.collections = append(s.collections, &collection{
			Settings: Settings{Name: OwnDocs, Product: ownProduct}, files: embedded(s.deps.OwnDocs), reader: r, log: s.deps.Log, life: life, work: &s.work,
		})
	}
	for _, set := range settings {
		s.collections = append(s.collections, &collection{Settings: set, files: openFolder(set.Path), reader: r, log: s.deps.Log, life: life, work: &s.work})
	}
}

// Register adds the service to a gRPC server.
func (s *Service) Register(r grpc.ServiceRegistrar) {
	knowledgev1.RegisterKnowledgeServiceServer(r, &server{service: s})
}

// Close ends readings that are under way.
func (s *Service) Close() error {
	s.end()
	s.work.Wait()
	return s.sessions.close()
}

// server implements knowledgev1.KnowledgeServiceServer.
type server struct {
	knowledgev1.UnimplementedKnowledgeServiceServer
	service *Service
}

// principal is who asks.
func principal(ctx context.Context) (run.Principal, error) {
	p := run.From(ctx).Principal
	if p.IsZero() {
		return p, fault.New(codes.Unauthenticated, "UNAUTHENTICATED", "nobody is signed in: give a token")
	}
	return p, nil
}

// AnswerFAQ implements the contract. The text comes in one piece: a model's words are
// shown when they have been checked, and a quotation is there at once.
func (s *server) AnswerFAQ(r *knowledgev1.AnswerFAQRequest, stream grpc.ServerStreamingServer[knowledgev1.AnswerFAQResponse]) error {
	a, err := s.faq(stream.Context(), r.GetQuery())
	if err != nil {
		return err
	}
	if err := stream.Send(&knowledgev1.AnswerFAQResponse{Event: &knowledgev1.AnswerFAQResponse_Text{Text: a.GetText()}}); err != nil {
		return err
	}
	return stream.Send(&knowledgev1.AnswerFAQResponse{Event: &knowledgev1.AnswerFAQResponse_Answer{Answer: a}})
}

// AnswerFAQUnary implements the contract.
func (s *server) AnswerFAQUnary(ctx context.Context, r *knowledgev1.AnswerFAQUnaryRequest) (*knowledgev1.AnswerFAQUnaryResponse, error) {
	a, err := s.faq(ctx, r.GetQuery())
	if err != nil {
		return nil, err
	}
	return &knowledgev1.AnswerFAQUnaryResponse{Answer: a}, nil
}

func (s *server) faq(ctx context.Context, q *knowledgev1.FAQQuery) (*knowledgev1.KnowledgeAnswer, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	ctx, step, recorder := begin(ctx, "knowledge.faq")
	a, err := s.service.AnswerFAQ(ctx, p, FAQ{
		Question: q.GetQuestion(), Language: languageOf(q.GetUserContext(), q.GetQuestion()), Collections: q.GetCollections(), Product: q.GetProductName(),
	})
	step.End(err)
	if err != nil {
		return nil, err
	}
	return concluded(ctx, a, recorder), nil
}

// AskExpert implements the contract.
func (s *server) AskExpert(r *knowledgev1.AskExpertRequest, stream grpc.ServerStreamingServer[knowledgev1.AskExpertResponse]) error {
	a, err := s.expert(stream.Context(), r.GetQuery())
	if err != nil {
		return err
	}
	if err := stream.Send(&knowledgev1.AskExpertResponse{Event: &knowledgev1.AskExpertResponse_Text{Text: a.GetAnswer().GetText()}}); err != nil {
		return err
	}
	return stream.Send(&knowledgev1.AskExpertResponse{Event: &knowledgev1.AskExpertResponse_Answer{Answer: a}})
}

// AskExpertUnary implements the contract.
func (s *server) AskExpertUnary(ctx context.Context, r *knowledgev1.AskExpertUnaryRequest) (*knowledgev1.AskExpertUnaryResponse, error) {
	a, err := s.expert(ctx, r.GetQuery())
	if err != nil {
		return nil, err
	}
	return &knowledgev1.AskExpertUnaryResponse{Answer: a}, nil
}

func (s *server) expert(ctx context.Context, q *knowledgev1.ExpertQuery) (*knowledgev1.ExpertAnswer, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	ctx, step, recorder := begin(ctx, "knowledge.expert")
	t, err := s.service.AskExpert(ctx, p, Turn{
		Question: q.GetUserQuestion(), Language: languageOf(q.GetUserContext(), q.GetUserQuestion()), Product: q.GetProductName(), SessionID: q.GetSessionId(),
	})
	step.End(err)
	if err != nil {
		return nil, err
	}
	return &knowledgev1.ExpertAnswer{Answer: concluded(ctx, t.Answer, recorder), SessionId: t.SessionID, ProductName: t.Product}, nil
}

// IngestDocuments implements the contract.
func (s *server) IngestDocuments(r *knowledgev1.IngestDocumentsRequest, stream grpc.ServerStreamingServer[knowledgev1.IngestDocumentsResponse]) error {
	ctx := stream.Context()
	p, err := principal(ctx)
	if err != nil {
		return err
	}
	type ended struct {
		Ingested
		err error
	}
	done := make(chan ended, 1)
	steps := make(chan *knowledgev1.IngestDocumentsResponse, 1)
	go func() {
		in, err := s.service.Ingest(ctx, p, r.GetCollection(), func(n, total int, message string) {
			select { // a caller who is slow misses steps
			case steps <- &knowledgev1.IngestDocumentsResponse{Done: int32(n), Total: int32(total), Message: prose.Safe(message)}:
			default:
			}
		})
		done <- ended{in, err}
	}()
	for {
		select {
		case m := <-steps:
			if err := stream.Send(m); err != nil {
				return err
			}
		case e := <-done:
			if e.err != nil {
				return e.err
			}
			return stream.Send(&knowledgev1.IngestDocumentsResponse{
				Done: int32(e.Documents), Total: int32(e.Documents), Message: "done", Unreadable: int32(e.Unreadable), Passages: int32(e.Passages),
			})
		}
	}
}

// ListProducts implements the contract.
func (s *server) ListProducts(ctx context.Context, _ *knowledgev1.ListProductsRequest) (*knowledgev1.ListProductsResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	products, err := s.service.Products(ctx, p)
	if err != nil {
		return nil, err
	}
	out := &knowledgev1.ListProductsResponse{}
	for _, known := range products {
		out.Products = append(out.Products, &knowledgev1.Product{Name: prose.Safe(known.Name), Documents: int32(known.Documents), Collections: known.Collections})
	}
	return out, nil
}

// defaultPage is the size of a page that a request leaves open.
const defaultPage = 100

// ListDocuments implements the contract.
func (s *server) ListDocuments(ctx context.Context, r *knowledgev1.ListDocumentsRequest) (*knowledgev1.ListDocumentsResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	size := int(r.GetPageSize())
	if size == 0 {
		size = defaultPage
	}
	documents, next, err := s.service.Documents(ctx, p, Listing{Collection: r.GetCollection(), Product: r.GetProductName(), Size: size, Token: r.GetPageToken()})
	if err != nil {
		return nil, err
	}
	out := &knowledgev1.ListDocumentsResponse{NextPageToken: next}
	for _, d := range documents {
		out.Documents = append(out.Documents, &knowledgev1.Document{
			Collection: d.Collection, Name: prose.Safe(d.Name), Title: prose.Safe(d.Title), Product: prose.Safe(d.Product),
			ChangedAt: fromTime(d.Changed), Passages: int32(d.Passages), Problem: prose.Safe(d.Problem),
		})
	}
	return out, nil
}

func begin(ctx context.Context, name string) (context.Context, *run.Step, *run.Recorder) {
	recorder := run.NewRecorder(run.DefaultTraceBytes)
	ctx, step := run.Start(run.WithRecorder(ctx, recorder), name)
	return ctx, step, recorder
}

// languageOf is the language that the asker chose, else that of the question.
func languageOf(u *commonv1.UserContext, question string) lang.Language {
	switch u.GetLanguage() {
	case commonv1.Language_LANGUAGE_EN:
		return lang.English
	case commonv1.Language_LANGUAGE_ZH:
		return lang.Chinese
	}
	return lang.Detect(question)
}
