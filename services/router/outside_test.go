package router_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/router"
	"github.com/dibrain/dibrain/services/router/outside"
	"github.com/dibrain/dibrain/services/router/tools"
)

// weatherFile is a contract that this module knows nothing of.
const weatherFile = `
name: "weather.proto" package: "weather.v1" syntax: "proto3"
message_type { name: "Place"
  field { name: "name" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL } }
message_type { name: "AskRequest"
  field { name: "text" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
  field { name: "days" number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL }
  field { name: "unit" number: 3 type: TYPE_ENUM type_name: ".weather.v1.Unit" label: LABEL_OPTIONAL }
  field { name: "places" number: 4 type: TYPE_MESSAGE type_name: ".weather.v1.Place" label: LABEL_REPEATED } }
message_type { name: "AskResponse"
  field { name: "summary" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
  field { name: "degrees" number: 2 type: TYPE_DOUBLE label: LABEL_OPTIONAL } }
enum_type { name: "Unit" value { name: "UNIT_UNSPECIFIED" number: 0 } value { name: "UNIT_CELSIUS" number: 1 } }
service { name: "Weather"
  method { name: "Ask" input_type: ".weather.v1.AskRequest" output_type: ".weather.v1.AskResponse" }
  method { name: "Follow" input_type: ".weather.v1.AskRequest" output_type: ".weather.v1.AskResponse" server_streaming: true }
  method { name: "Send" input_type: ".weather.v1.AskRequest" output_type: ".weather.v1.AskResponse" client_streaming: true } }
`

// weather is a server of another team.
type weather struct {
	t       *testing.T
	service protoreflect.ServiceDescriptor
	files   *protoregistry.Files
	refuse  bool
	seen    []metadata.MD
}

func newWeather(t *testing.T) *weather {
	t.Helper()
	file := &descriptorpb.FileDescriptorProto{}
	require.NoError(t, prototext.Unmarshal([]byte(weatherFile), file))
	files, err := protodesc.NewFiles(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{file}})
	require.NoError(t, err)
	d, err := files.FindDescriptorByName("weather.v1.Weather")
	require.NoError(t, err)
	return &weather{t: t, service: d.(protoreflect.ServiceDescriptor), files: files}
}

// answers reads a request and returns its answers.
func (w *weather) answers(ctx context.Context, stream grpc.ServerStream, n int) ([]*dynamicpb.Message, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	w.seen = append(w.seen, md)
	m := w.service.Methods().ByName("Ask")
	request := dynamicpb.NewMessage(m.Input())
	if err := stream.RecvMsg(request); err != nil {
		return nil, err
	}
	if w.refuse {
		return nil, status.Error(codes.InvalidArgument, "name a place")
	}
	fields := m.Output().Fields()
	var out []*dynamicpb.Message
	for i := range n {
		answer := dynamicpb.NewMessage(m.Output())
		text := request.Get(m.Input().Fields().ByName("text")).String()
		answer.Set(fields.ByName("summary"), protoreflect.ValueOfString(fmt.Sprintf("sun %d for: %s", i+1, text)))
		answer.Set(fields.ByName("degrees"), protoreflect.ValueOfFloat64(31.5))
		out = append(out, answer)
	}
	return out, nil
}

func (w *weather) register(r grpc.ServiceRegistrar) {
	serve := func(n int) grpc.StreamHandler {
		return func(_ any, stream grpc.ServerStream) error {
			answers, err := w.answers(stream.Context(), stream, n)
			if err != nil {
				return err
			}
			for _, a := range answers {
				if err := stream.SendMsg(a); err != nil {
					return err
				}
			}
			return nil
		}
	}
	r.RegisterService(&grpc.ServiceDesc{
		ServiceName: "weather.v1.Weather", HandlerType: (*any)(nil), Metadata: "weather.proto",
		Streams: []grpc.StreamDesc{
			{StreamName: "Ask", Handler: serve(1)},
			{StreamName: "Follow", Handler: serve(3), ServerStreams: true},
		},
	}, w)
}

func (w *weather) agent(t *testing.T, a outside.Agent) *outside.Tool {
	t.Helper()
	conn := pipe(t, func(r grpc.ServiceRegistrar) {
		w.register(r)
		reflectionv1.RegisterServerReflectionServer(r, reflection.NewServerV1(reflection.ServerOptions{
			Services: r.(reflection.ServiceInfoProvider), DescriptorResolver: w.files,
		}))
	})
	return outside.New(a, conn)
}

func forecast() outside.Agent {
	return outside.Agent{Tool: "forecast", Name: "Weather Agent", Description: "Tells the weather.", Target: "weather:1",
		Method: "weather.v1.Weather/Ask", Words: []string{"weather", "天气"}, Question: "text", Answer: "summary", Principal: true}
}

func TestOutsideAgent(t *testing.T) {
	t.Parallel()
	server := newWeather(t)
	tool := server.agent(t, forecast())
	w := newWorld(t, func(_ *routerConfig, d *routerDeps) { d.Outside = []*outside.Tool{tool} })

	for question, turn := range map[string]*routerv1.Turn{
		"how is the weather in Singapore?": {},
		"新加坡天气怎么样？":                        {},
		"anything":                         {AgentName: "Weather Agent"},
	} {
		turn.Question = question
		a := w.ask(t, turn)
		require.Equal(t, []string{"forecast"}, called(a), question)
		require.Equal(t, "sun 1 for: "+question, a.GetText())
		require.Equal(t, "Weather Agent", a.GetResponseAgent())
		out := a.GetToolCalls()[0].GetOutside().GetFields()
		require.InDelta(t, 31.5, out["degrees"].GetNumberValue(), 0)
		md := server.seen[len(server.seen)-1]
		require.Equal(t, []string{a.GetToolCalls()[0].GetToolCallId()}, md.Get(run.KeyToolCallID), "it gets the run's context")
		require.Equal(t, []string{"alice"}, md.Get(outside.KeyPrincipal))
		stored, err := w.client.GetToolCall(as(t.Context(), "alice"), &routerv1.GetToolCallRequest{ToolCallId: a.GetToolCalls()[0].GetToolCallId()})
		require.NoError(t, err)
		require.NotEmpty(t, stored.GetToolCall().GetOutside().GetFields()["summary"])
	}
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	require.Equal(t, tools.Execute, called(a)[2], "other questions go their way")

	listed, err := w.client.ListTools(as(t.Context(), "alice"), &routerv1.ListToolsRequest{})
	require.NoError(t, err)
	last := listed.GetTools()[len(listed.GetTools())-1]
	require.Equal(t, "forecast", last.GetName())
	require.True(t, last.GetServed())
	properties := last.GetArgumentsSchema().GetFields()["properties"].GetStructValue().GetFields()
	require.Equal(t, "integer", properties["days"].GetStructValue().GetFields()["type"].GetStringValue())
	require.Len(t, properties["unit"].GetStructValue().GetFields()["enum"].GetListValue().GetValues(), 2)
	require.Equal(t, "object", properties["places"].GetStructValue().GetFields()["items"].GetStructValue().GetFields()["type"].GetStringValue())
}

func TestOutsideStream(t *testing.T) {
	t.Parallel()
	agent := forecast()
	agent.Method = "weather.v1.Weather/Follow"
	tool := newWeather(t).agent(t, agent)
	w := newWorld(t, func(_ *routerConfig, d *routerDeps) { d.Outside = []*outside.Tool{tool} })
	stream, err := w.client.Chat(as(t.Context(), "alice"), &routerv1.ChatRequest{Turn: &routerv1.Turn{Question: "weather"}})
	require.NoError(t, err)
	var progress []string
	for {
		event, err := stream.Recv()
		require.NoError(t, err)
		if p := event.GetToolProgress(); p != nil {
			progress = append(progress, p.GetMessage())
		}
		if a := event.GetAnswer(); a != nil {
			require.Equal(t, "sun 3 for: weather", a.GetText())
			break
		}
	}
	require.Equal(t, []string{"sun 1 for: weather", "sun 2 for: weather"}, progress)
}

// TestOutsideArguments: what a model gets back for wrong arguments, and what
// people see when the other server refuses, is down, or has no such method.
func TestOutsideArguments(t *testing.T) {
	t.Parallel()
	server := newWeather(t)
	tool := server.agent(t, forecast())
	for args, want := range map[string]string{
		`{"text":`:          "not the JSON",
		`{"city":"x"}`:      `unknown field "city"`,
		`{"days":"many"}`:   "invalid value for int32",
		`{"unit":"KELVIN"}`: "invalid value for enum",
	} {
		_, err := tool.Parse(t.Context(), "forecast", []byte(args))
		var wrong *tools.ArgumentError
		require.ErrorAs(t, err, &wrong, args)
		require.ErrorContains(t, err, want, args)
	}
	server.refuse = true
	w := newWorld(t, func(_ *routerConfig, d *routerDeps) { d.Outside = []*outside.Tool{tool} })
	require.Contains(t, w.ask(t, &routerv1.Turn{Question: "weather"}).GetText(), "name a place")

	for method, want := range map[string]string{
		"weather.v1.Weather/Guess": "no method weather.v1.Weather/Guess",
		"weather.v1.Weather/Send":  "a stream of requests",
		"other.v1.Other/Ask":       "no method other.v1.Other",
		"weather.v1.Place/Ask":     "no service",
	} {
		agent := forecast()
		agent.Method = method
		w := newWorld(t, func(_ *routerConfig, d *routerDeps) { d.Outside = []*outside.Tool{server.agent(t, agent)} })
		require.Contains(t, w.ask(t, &routerv1.Turn{Question: "weather"}).GetText(), want)
		listed, err := w.client.ListTools(as(t.Context(), "alice"), &routerv1.ListToolsRequest{})
		require.NoError(t, err)
		require.False(t, listed.GetTools()[12].GetServed(), "the list is there all the same")
	}
}

func TestOutsideNamesAreUnique(t *testing.T) {
	t.Parallel()
	agent := forecast()
	agent.Tool = tools.Execute
	w := newWorld(t)
	_, err := router.New(router.Config{}, router.Deps{Store: w.store, FindData: w.deps.FindData, Text2SQL: w.deps.Text2SQL,
		FixSQL: w.deps.FixSQL, ChatBI: w.deps.ChatBI, Outside: []*outside.Tool{outside.New(agent, nil)}})
	require.ErrorContains(t, err, tools.Execute)
}
