package outside_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"buf.build/go/protovalidate"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/router/outside"
	"github.com/dibrain/dibrain/services/router/tools"
)

// dial serves what register registers and returns a connection to it.
func dial(t *testing.T, register func(*grpc.Server)) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer()
	register(server)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///agent", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, conn.Close())
		server.Stop()
		require.NoError(t, <-served)
	})
	return conn
}

// reflected is a reflection server that answers as a test has it.
type reflected struct {
	reflectionv1.UnimplementedServerReflectionServer
	answer func(*reflectionv1.ServerReflectionRequest) (*reflectionv1.ServerReflectionResponse, error)
	asked  atomic.Int32
	ended  chan struct{} // is told the end of each talk, where there is one
}

func (r *reflected) ServerReflectionInfo(stream reflectionv1.ServerReflection_ServerReflectionInfoServer) error {
	for {
		request, err := stream.Recv()
		if err != nil {
			if r.ended != nil {
				r.ended <- struct{}{}
			}
			return nil // the client has hung up
		}
		r.asked.Add(1)
		answer, err := r.answer(request)
		if err != nil {
			return err
		}
		if err := stream.Send(answer); err != nil {
			return err
		}
	}
}

// described answers with files, one at a time, by their names.
func described(t *testing.T, service string, files ...string) *reflected {
	t.Helper()
	byName := map[string][]byte{}
	for _, text := range files {
		f := &descriptorpb.FileDescriptorProto{}
		require.NoError(t, prototext.Unmarshal([]byte(text), f))
		raw, err := proto.Marshal(f)
		require.NoError(t, err)
		byName[f.GetName()] = raw
		for _, s := range f.GetService() {
			byName[f.GetPackage()+"."+s.GetName()] = raw
		}
	}
	return &reflected{answer: func(r *reflectionv1.ServerReflectionRequest) (*reflectionv1.ServerReflectionResponse, error) {
		raw, ok := byName[r.GetFileByFilename()+r.GetFileContainingSymbol()]
		if !ok {
			return &reflectionv1.ServerReflectionResponse{MessageResponse: &reflectionv1.ServerReflectionResponse_ErrorResponse{
				ErrorResponse: &reflectionv1.ErrorResponse{ErrorCode: int32(codes.NotFound), ErrorMessage: "nothing of that name at " + service}}}, nil
		}
		return fileOf(raw), nil
	}}
}

func fileOf(raw ...[]byte) *reflectionv1.ServerReflectionResponse {
	return &reflectionv1.ServerReflectionResponse{MessageResponse: &reflectionv1.ServerReflectionResponse_FileDescriptorResponse{
		FileDescriptorResponse: &reflectionv1.FileDescriptorResponse{FileDescriptorProto: raw}}}
}

func toolOf(t *testing.T, method string, r *reflected, more ...func(*grpc.Server)) *outside.Tool {
	t.Helper()
	conn := dial(t, func(s *grpc.Server) {
		reflectionv1.RegisterServerReflectionServer(s, r)
		for _, register := range more {
			register(s)
		}
	})
	return outside.New(outside.Agent{Tool: "x", Name: "X", Method: method, Answer: "text"}, conn)
}

// Two files of a contract that nobody here knows: the second has what the first one
// imports.
const (
	fileA = `name: "a.proto" package: "a.v1" syntax: "proto3" dependency: "b.proto" dependency: "google/protobuf/wrappers.proto" dependency: "google/protobuf/struct.proto"
		dependency: "google/protobuf/timestamp.proto" dependency: "google/protobuf/duration.proto"
		message_type { name: "Request"
			field { name: "yes" number: 1 type: TYPE_BOOL label: LABEL_OPTIONAL }
			field { name: "count" number: 2 type: TYPE_SINT64 label: LABEL_OPTIONAL }
			field { name: "share" number: 3 type: TYPE_FLOAT label: LABEL_OPTIONAL }
			field { name: "raw" number: 4 type: TYPE_BYTES label: LABEL_OPTIONAL }
			field { name: "words" number: 5 type: TYPE_STRING label: LABEL_REPEATED }
			field { name: "by_name" number: 6 type: TYPE_MESSAGE type_name: ".a.v1.Request.ByNameEntry" label: LABEL_REPEATED }
			field { name: "inner" number: 7 type: TYPE_MESSAGE type_name: ".b.v1.Inner" label: LABEL_OPTIONAL }
			field { name: "kind" number: 8 type: TYPE_ENUM type_name: ".b.v1.Kind" label: LABEL_OPTIONAL }
			field { name: "at" number: 9 type: TYPE_MESSAGE type_name: ".google.protobuf.Timestamp" label: LABEL_OPTIONAL }
			field { name: "takes" number: 10 type: TYPE_MESSAGE type_name: ".google.protobuf.Duration" label: LABEL_OPTIONAL }
			field { name: "any" number: 11 type: TYPE_MESSAGE type_name: ".google.protobuf.Struct" label: LABEL_OPTIONAL }
			field { name: "list" number: 12 type: TYPE_MESSAGE type_name: ".google.protobuf.ListValue" label: LABEL_OPTIONAL }
			field { name: "value" number: 13 type: TYPE_MESSAGE type_name: ".google.protobuf.Value" label: LABEL_OPTIONAL }
			field { name: "maybe" number: 14 type: TYPE_MESSAGE type_name: ".google.protobuf.BoolValue" label: LABEL_OPTIONAL }
			field { name: "number" number: 15 type: TYPE_MESSAGE type_name: ".google.protobuf.Int64Value" label: LABEL_OPTIONAL }
			field { name: "real" number: 16 type: TYPE_MESSAGE type_name: ".google.protobuf.DoubleValue" label: LABEL_OPTIONAL }
			field { name: "word" number: 17 type: TYPE_MESSAGE type_name: ".google.protobuf.StringValue" label: LABEL_OPTIONAL }
			nested_type { name: "ByNameEntry" options { map_entry: true }
				field { name: "key" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
				field { name: "value" number: 2 type: TYPE_FIXED32 label: LABEL_OPTIONAL } } }
		message_type { name: "Answer"
			field { name: "text" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
			field { name: "long_name" number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL } }
		service { name: "S"
			method { name: "One" input_type: ".a.v1.Request" output_type: ".a.v1.Answer" }
			method { name: "Stream" input_type: ".a.v1.Request" output_type: ".a.v1.Answer" server_streaming: true } }`
	fileB = `name: "b.proto" package: "b.v1" syntax: "proto3"
		enum_type { name: "Kind" value { name: "KIND_UNSPECIFIED" number: 0 } value { name: "KIND_ONE" number: 1 } }
		message_type { name: "Inner" field { name: "inner" number: 1 type: TYPE_MESSAGE type_name: ".b.v1.Inner" label: LABEL_OPTIONAL } }`
)

// known are the files of protobuf's own that a contract imports, as a server shows them.
func known(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, name := range []protoreflect.FullName{"google.protobuf.BoolValue", "google.protobuf.Struct", "google.protobuf.Timestamp", "google.protobuf.Duration"} {
		d, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
		require.NoError(t, err)
		out = append(out, prototext.Format(protodesc.ToFileDescriptorProto(d.ParentFile())))
	}
	return out
}

func TestSchemaOfAnUnknownContract(t *testing.T) {
	t.Parallel()
	r := described(t, "a.v1.S", append(known(t), fileA, fileB)...)
	tool := toolOf(t, "a.v1.S/One", r)
	got, err := tool.Schema(t.Context())
	require.NoError(t, err)
	raw, err := json.Marshal(got)
	require.NoError(t, err)
	object := func(properties string) string {
		return `{"type":"object","additionalProperties":false,"properties":{` + properties + `}}`
	}
	inner := `{"type":"object"}` // below the depth anything goes
	for range 5 {
		inner = object(`"inner":` + inner)
	}
	require.JSONEq(t, object(`"yes":{"type":"boolean"},"count":{"type":"integer"},"share":{"type":"number"},"raw":{"type":"string","contentEncoding":"base64"},
		"words":{"type":"array","items":{"type":"string"}},"by_name":{"type":"object","additionalProperties":{"type":"integer"}},
		"inner":`+inner+`,"kind":{"type":"string","enum":["KIND_UNSPECIFIED","KIND_ONE"]},"at":{"type":"string","format":"date-time"},"takes":{"type":"string"},
		"any":{"type":"object"},"list":{"type":"array"},"value":{},"maybe":{"type":"boolean"},"number":{"type":"integer"},"real":{"type":"number"},"word":{"type":"string"}`), string(raw))

	asked := r.asked.Load()
	require.EqualValues(t, 6, asked, "each file is asked for once")
	_, err = tool.Parse(t.Context(), "x", []byte(`{"count":1}`))
	require.NoError(t, err)
	require.Equal(t, asked, r.asked.Load(), "what was found is kept")
}

// TestArgumentsHoldTheRulesOfTheServer: the rules of protovalidate in another server's
// contract are told to the model, each of them, in the words of its own validation.
func TestArgumentsHoldTheRulesOfTheServer(t *testing.T) {
	t.Parallel()
	conn := dial(t, func(s *grpc.Server) {
		fixsqlv1.RegisterFixSQLServiceServer(s, fixsqlv1.UnimplementedFixSQLServiceServer{})
		reflection.Register(s)
	})
	tool := outside.New(outside.Agent{Method: strings.TrimPrefix(fixsqlv1.FixSQLService_FixSQL_FullMethodName, "/")}, conn)
	request := &fixsqlv1.FixSQLRequest{Source: strings.Repeat("s", 65), SqlDialect: strings.Repeat("d", 65)} // and no sql
	var invalid *protovalidate.ValidationError
	require.ErrorAs(t, protovalidate.Validate(request), &invalid)
	var want []string
	for _, v := range invalid.Violations {
		want = append(want, v.String())
	}
	require.Len(t, want, 3)
	raw, err := protojson.Marshal(request)
	require.NoError(t, err)
	_, err = tool.Parse(t.Context(), "repair", raw)
	var wrong *tools.ArgumentError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "repair", wrong.Tool)
	require.Equal(t, want, wrong.Problems)

	parsed, err := tool.Parse(t.Context(), "repair", []byte(`{"sql":"SELECT 1"}`))
	require.NoError(t, err)
	got, ok := parsed.(*dynamicpb.Message)
	require.True(t, ok)
	require.Equal(t, "SELECT 1", got.Get(got.Descriptor().Fields().ByName("sql")).String())
}

// TestServersThatCannotBeRead: what another server's reflection does wrong is an
// error, and it is asked again at the next use.
func TestServersThatCannotBeRead(t *testing.T) {
	t.Parallel()
	marshal := func(text string) []byte {
		f := &descriptorpb.FileDescriptorProto{}
		require.NoError(t, prototext.Unmarshal([]byte(text), f))
		raw, err := proto.Marshal(f)
		require.NoError(t, err)
		return raw
	}
	type request = reflectionv1.ServerReflectionRequest
	type response = reflectionv1.ServerReflectionResponse
	for want, answer := range map[string]func(*request) (*response, error){
		"no reflection today": func(*request) (*response, error) { return nil, status.Error(codes.Unavailable, "no reflection today") },
		"cannot be read":      func(*request) (*response, error) { return fileOf([]byte{0xff, 0xff}), nil },
		"does not show its file b.proto": func(*request) (*response, error) {
			return fileOf(marshal(`name: "a.proto" package: "a.v1" syntax: "proto3" dependency: "c.proto" dependency: "b.proto" service { name: "S" }`)), nil
		},
		"do not fit together": func(*request) (*response, error) {
			return fileOf(marshal(`name: "a.proto" package: "a.v1" syntax: "proto3" service { name: "S" method { name: "One" input_type: ".x.Y" output_type: ".x.Y" } }`)), nil
		},
		"more than 256 descriptor files": func(r *request) (*response, error) {
			name := r.GetFileByFilename()
			if name == "" {
				name = "1"
			}
			return fileOf(marshal(fmt.Sprintf(`name: %q syntax: "proto3" dependency: "%s1"`, name, name))), nil
		},
		"nothing like it": func(*request) (*response, error) {
			return &response{MessageResponse: &reflectionv1.ServerReflectionResponse_ErrorResponse{ErrorResponse: &reflectionv1.ErrorResponse{ErrorMessage: "nothing like it"}}}, nil
		},
		"the service has no such method": func(*request) (*response, error) {
			return fileOf(marshal(`name: "a.proto" package: "a.v1" syntax: "proto3" service { name: "S" }`)), nil
		},
		"offers no method a.v1.S/One": func(*request) (*response, error) {
			return fileOf(marshal(`name: "a.proto" package: "other.v1" syntax: "proto3" service { name: "S" }`)), nil
		},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			good := described(t, "a.v1.S", append(known(t), fileA, fileB)...)
			broken := &reflected{answer: answer}
			tool := toolOf(t, "a.v1.S/One", broken)
			_, err := tool.Schema(t.Context())
			require.ErrorContains(t, err, want)
			_, err = tool.Parse(t.Context(), "x", []byte(`{}`))
			require.ErrorContains(t, err, want)
			_, err = tool.Call(t.Context(), nil, nil)
			require.ErrorContains(t, err, want)
			if strings.Contains(want, "method") || want == "nothing like it" {
				require.Equal(t, outside.ReasonMethodUnknown, fault.ReasonOf(err))
			}
			broken.answer = good.answer
			_, err = tool.Schema(t.Context())
			require.NoError(t, err, "it is asked again")
		})
	}
}

// answerType is the type of the contract's answers.
func answerType(t *testing.T) protoreflect.MessageDescriptor {
	t.Helper()
	files := &descriptorpb.FileDescriptorSet{}
	for _, text := range append(known(t), fileB, fileA) {
		f := &descriptorpb.FileDescriptorProto{}
		require.NoError(t, prototext.Unmarshal([]byte(text), f))
		files.File = append(files.File, f)
	}
	set, err := protodesc.NewFiles(files)
	require.NoError(t, err)
	d, err := set.FindDescriptorByName("a.v1.Answer")
	require.NoError(t, err)
	return d.(protoreflect.MessageDescriptor)
}

// calls serves the contract's two methods.
type calls struct {
	answers []*dynamicpb.Message
	err     error
	seen    metadata.MD
}

func (c *calls) register() func(*grpc.Server) {
	handler := func(_ any, stream grpc.ServerStream) error {
		c.seen, _ = metadata.FromIncomingContext(stream.Context())
		if err := stream.RecvMsg(dynamicpb.NewMessage(c.answers[0].Descriptor())); err != nil {
			return err
		}
		for _, a := range c.answers[1:] {
			if err := stream.SendMsg(a); err != nil {
				return err
			}
		}
		return c.err
	}
	return func(s *grpc.Server) {
		s.RegisterService(&grpc.ServiceDesc{ServiceName: "a.v1.S", HandlerType: (*any)(nil), Streams: []grpc.StreamDesc{
			{StreamName: "One", Handler: handler}, {StreamName: "Stream", Handler: handler, ServerStreams: true}}}, c)
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	refused, stop := status.Error(codes.ResourceExhausted, "no more today"), errors.New("nobody listens any more")
	for name, test := range map[string]struct {
		method    string
		answers   []string
		err       error
		principal bool
		progress  error
		want      string // of the answer
		told      []string
		wrong     string
	}{
		"unary":                   {method: "One", answers: []string{"hello"}, want: "hello"},
		"unary, by name":          {method: "One", answers: []string{"hello"}, principal: true, want: "hello"},
		"unary, without text":     {method: "One", answers: []string{""}, want: `"long_name"`},
		"unary, refused":          {method: "One", err: refused, wrong: "no more today"},
		"a stream":                {method: "Stream", answers: []string{"one", "two", "three"}, want: "three", told: []string{"one", "two"}},
		"a stream, by name":       {method: "Stream", answers: []string{"one"}, principal: true, want: "one"},
		"a stream of none":        {method: "Stream", wrong: "ended its stream without an answer"},
		"a stream, broken":        {method: "Stream", answers: []string{"one", "two"}, err: refused, told: []string{"one"}, wrong: "no more today"},
		"a stream nobody follows": {method: "Stream", answers: []string{"one", "two", "three"}, progress: stop, told: []string{"one"}, wrong: stop.Error()},
		"a large answer":          {method: "One", answers: []string{strings.Repeat("x", 1<<20)}, wrong: "at most 1048576 are taken"},
		"a large one of a stream": {method: "Stream", answers: []string{strings.Repeat("x", 1<<20)}, wrong: "at most 1048576 are taken"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := described(t, "a.v1.S", append(known(t), fileA, fileB)...)
			answer := answerType(t)
			c := &calls{err: test.err, answers: []*dynamicpb.Message{dynamicpb.NewMessage(answer)}}
			for _, text := range test.answers {
				m := dynamicpb.NewMessage(answer)
				m.Set(answer.Fields().ByName("text"), protoreflect.ValueOfString(text))
				m.Set(answer.Fields().ByName("long_name"), protoreflect.ValueOfInt32(7))
				c.answers = append(c.answers, m)
			}
			tool := toolOf(t, "a.v1.S/"+test.method, r, c.register())
			tool.Principal = test.principal
			request, err := tool.Parse(t.Context(), "x", []byte(`{"count":"2"}`))
			require.NoError(t, err)
			var told []string
			ctx := run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}})
			got, err := tool.Call(ctx, request.(*dynamicpb.Message), func(text string) error {
				told = append(told, text)
				return test.progress
			})
			require.Equal(t, test.told, told)
			if test.wrong != "" {
				require.ErrorContains(t, err, test.wrong)
				require.Zero(t, got)
				return
			}
			require.NoError(t, err)
			require.Contains(t, got.Text, test.want)
			require.InDelta(t, 7, got.Output.GetFields()["long_name"].GetNumberValue(), 0)
			who := []string(nil)
			if test.principal {
				who = []string{"alice"}
			}
			require.Equal(t, who, c.seen.Get(outside.KeyPrincipal), "who asks is told where the configuration says so")

			again, err := tool.Call(ctx, request.(*dynamicpb.Message), nil)
			require.NoError(t, err, "nobody needs to listen")
			require.Equal(t, got.Text, again.Text)
		})
	}
}

// TestMethodsThatCannotBeCalled: a method that is not there, or that wants a stream of
// requests, is refused before anything is sent, each time that it is tried.
func TestMethodsThatCannotBeCalled(t *testing.T) {
	t.Parallel()
	conn := dial(t, func(s *grpc.Server) { reflection.Register(s) })
	for method, why := range map[string]string{
		"grpc.reflection.v1.ServerReflection/ServerReflectionInfo": "it takes a stream of requests",
		"grpc.reflection.v1.ServerReflection/Other":                "the service has no such method",
		"grpc.reflection.v1.ServerReflectionRequest/Any":           "it is no service",
		"no.such.Service/Any":                                      "",
	} {
		tool := outside.New(outside.Agent{Tool: "x", Name: "X", Method: method}, conn)
		for range 2 {
			_, err := tool.Schema(t.Context())
			require.Equal(t, outside.ReasonMethodUnknown, fault.ReasonOf(err), "%s: %v", method, err)
			require.ErrorContains(t, err, why)
			_, err = tool.Parse(t.Context(), "x", []byte(`{}`))
			require.Equal(t, outside.ReasonMethodUnknown, fault.ReasonOf(err), "%s: %v", method, err)
		}
	}
}

// TestTheTalkWithAServerEnds: once its contract is known, and where it cannot be known;
// a connection that is closed gives an error.
func TestTheTalkWithAServerEnds(t *testing.T) {
	t.Parallel()
	r := described(t, "a.v1.S", append(known(t), fileA, fileB)...)
	r.ended = make(chan struct{}, 1)
	end := func() {
		select {
		case <-r.ended:
		case <-time.After(20 * time.Second):
			require.Fail(t, "the server still waits for questions")
		}
	}
	conn := dial(t, func(s *grpc.Server) { reflectionv1.RegisterServerReflectionServer(s, r) })
	tool := outside.New(outside.Agent{Tool: "x", Name: "X", Method: "a.v1.S/Stream"}, conn)
	request, err := tool.Parse(t.Context(), "x", []byte(`{}`))
	require.NoError(t, err)
	end()
	_, err = outside.New(outside.Agent{Tool: "x", Name: "X", Method: "no.such.Service/One"}, conn).Schema(t.Context())
	require.Error(t, err)
	end()

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = tool.Call(gone, request.(*dynamicpb.Message), nil)
	require.Equal(t, codes.Canceled, status.Code(err))
}
