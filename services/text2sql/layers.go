package text2sql

import (
	"context"
	"fmt"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

// layers keeps the semantic layer of each source ready for questions.
type layers struct {
	store    *source.Store
	pipeline *pipeline.Pipeline
	files    *semantic.Layers

	mu   sync.Mutex
	held map[string]heldLayer // by source
}

// heldLayer is a layer in force; the zero value stands for none.
type heldLayer struct {
	layer   *pipeline.Layer
	written *semantic.Layer // with the things that its roles make
	read    *semantic.Layer // as it was read
}

func newLayers(deps Deps, p *pipeline.Pipeline) *layers {
	return &layers{
		store: deps.Sources, pipeline: p, files: semantic.NewLayers(deps.DataDir, deps.Clock, deps.Log), held: map[string]heldLayer{},
	}
}

// regions are the data centres of a source, sorted.
func (l *layers) regions(name string) ([]string, error) {
	g, err := l.store.Current(name)
	if err != nil {
		return nil, err
	}
	return g.Regions(), nil
}

// get returns the layer of a source that is in force; none where it has none.
func (l *layers) get(name string) (heldLayer, error) {
	h, state, err := l.look(name)
	if err != nil {
		return heldLayer{}, err
	}
	if h.written == nil && state.Stale() {
		return heldLayer{}, fault.New(codes.FailedPrecondition, "SEMANTIC_LAYER_INVALID",
			fmt.Sprintf("the semantic layer of source %q has mistakes; an administrator has to correct them", name), "source", name).
			ForOperator("%v", state.Problems.Errors())
	}
	return h, nil
}

// look brings what is held of a source up to date.
func (l *layers) look(name string) (heldLayer, semantic.State, error) {
	g, err := l.store.Current(name)
	if err != nil {
		return heldLayer{}, semantic.State{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	state, _ := l.files.Of(name, g.SemanticDir())
	if state.Layer == nil {
		delete(l.held, name)
		return heldLayer{}, state, nil
	}
	h := l.held[name]
	if state.Layer != h.read {
		h = heldLayer{read: state.Layer, written: state.Layer, layer: l.pipeline.PrepareLayer(state.Layer)}
		if h.layer != nil {
			h.written = h.layer.Written()
		}
		l.held[name] = h
	}
	return h, state, nil
}

// maxProblems bounds the mistakes that a status lists.
const maxProblems = 200

// GetSemanticLayerStatus implements the rpc.
func (s *Service) GetSemanticLayerStatus(ctx context.Context, req *text2sqlv1.GetSemanticLayerStatusRequest) (*text2sqlv1.GetSemanticLayerStatusResponse, error) {
	if !run.From(ctx).Principal.Admin {
		return nil, fault.New(codes.PermissionDenied, "ADMIN_ONLY",
			"only an administrator may see the state of a semantic layer: ask one, or use a token with the admin right")
	}
	name := req.GetSource()
	if name == "" {
		name = s.config.DefaultSource
	}
	_, state, err := s.layers.look(name)
	if err != nil {
		return nil, err
	}
	resp := &text2sqlv1.GetSemanticLayerStatusResponse{Source: name, Loaded: state.Layer != nil, Stale: state.Stale()}
	if state.Layer != nil {
		resp.ReadAt = timestamppb.New(state.ReadAt)
		resp.Metrics, resp.Dimensions = int32(len(state.Layer.Metrics)), int32(len(state.Layer.Dimensions)) //nolint:gosec // files of a layer are bounded
	}
	for _, p := range state.Problems[:min(len(state.Problems), maxProblems)] {
		resp.Problems = append(resp.Problems, &text2sqlv1.LayerProblem{File: p.File, Line: int32(p.Line), Message: p.Message, Warning: p.Warning}) //nolint:gosec // a line of a bounded file
	}
	return resp, nil
}
