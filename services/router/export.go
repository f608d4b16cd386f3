package router

import (
	"context"
	"slices"

	"google.golang.org/grpc"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/run/runpb"
	"github.com/dibrain/dibrain/pkg/store"
)

// exportPage is how many messages are read at a time.
const exportPage = 500

// ExportSession implements the contract.
func (s *Service) ExportSession(r *routerv1.ExportSessionRequest, stream grpc.ServerStreamingServer[routerv1.ExportSessionResponse]) error {
	ctx := stream.Context()
	ses, err := s.deps.Store.Session(ctx, principal(ctx), r.GetSessionId())
	if err != nil {
		return err
	}
	if err := stream.Send(&routerv1.ExportSessionResponse{Part: &routerv1.ExportSessionResponse_Session{Session: toProtoSession(ses)}}); err != nil {
		return err
	}
	pages, err := s.pageTokens(ctx, ses.ID)
	if err != nil {
		return err
	}
	for _, token := range slices.Backward(pages) { // the store gives the newest page first
		messages, _, err := s.deps.Store.Messages(ctx, principal(ctx), ses.ID, "", store.Page{Size: exportPage, Token: token})
		if err != nil {
			return err
		}
		for _, m := range messages {
			if err := s.exportMessage(ctx, m, stream.Send); err != nil {
				return err
			}
		}
	}
	return nil
}

// pageTokens returns the tokens of all pages of a session's messages, newest page
// first; it keeps no message.
func (s *Service) pageTokens(ctx context.Context, session string) ([]string, error) {
	tokens := []string{""}
	for {
		_, next, err := s.deps.Store.Messages(ctx, principal(ctx), session, "", store.Page{Size: exportPage, Token: tokens[len(tokens)-1]})
		if err != nil || next == "" {
			return tokens, err
		}
		tokens = append(tokens, next)
	}
}

// exportMessage sends an answer's run and calls, then the message itself.
func (s *Service) exportMessage(ctx context.Context, m store.Message, send func(*routerv1.ExportSessionResponse) error) error {
	if m.Role == store.RoleAssistant {
		u, records, err := s.deps.Store.Run(ctx, principal(ctx), m.RunID)
		gone := fault.ReasonOf(err) == store.ReasonRunUnknown // runs are kept for a shorter time than what was said
		if err != nil && !gone {
			return err
		}
		out := &routerv1.ExportedRun{Question: u.Question}
		for _, rec := range treeOf(u, records) {
			out.Records = append(out.Records, runpb.FromRecord(rec))
		}
		if gone {
			out.Records = append(out.Records, runpb.FromRecord(run.Record{RunID: m.RunID, StartedAt: m.CreatedAt, Error: err.Error()}))
		}
		if err := send(&routerv1.ExportSessionResponse{Part: &routerv1.ExportSessionResponse_Run{Run: out}}); err != nil {
			return err
		}
	}
	for _, id := range m.ToolCallIDs {
		c, err := s.deps.Store.ToolCall(ctx, principal(ctx), id)
		if fault.ReasonOf(err) == store.ReasonToolCallUnknown {
			continue // dropped, as one that its tool did not accept
		}
		if err != nil {
			return err
		}
		output, err := unpack(c)
		if fault.ReasonOf(err) == store.ReasonOutputRemoved { // the rest of the call is there
			c.Error, c.ErrorReason = err.Error(), store.ReasonOutputRemoved
		} else if err != nil {
			return err
		}
		if err := send(&routerv1.ExportSessionResponse{Part: &routerv1.ExportSessionResponse_ToolCall{ToolCall: toProtoCall(&c, output)}}); err != nil {
			return err
		}
	}
	return send(&routerv1.ExportSessionResponse{Part: &routerv1.ExportSessionResponse_Message{Message: toProtoMessage(m)}})
}
