// Package outside adds agents of other teams to the router by configuration: a
// tool is a method of any gRPC server that has reflection. What the tool takes is
// read from that server, so that no schema is written twice, and what it answers
// is kept as JSON. Unary methods and streams of answers can be called.
package outside

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/router/tools"
)

// Agent is an agent as the configuration describes it.
type Agent struct {
	// Tool is the tool's name: small letters, digits and underscores.
	Tool string `yaml:"tool"`
	// Name is the agent's name, as answers show it and as requests may ask for it.
	Name string `yaml:"agent"`
	// Description says what the tool is for: the model decides by it.
	Description string `yaml:"description"`
	// Target is the server: "host:port" or "dns:///name:port".
	Target string `yaml:"target"`
	// Method is "package.Service/Method".
	Method string `yaml:"method"`
	// Words are those by which the rules know that a message is for this agent.
	Words []string `yaml:"words"`
	// Question is the field of the request that the message goes into where no
	// model fills the arguments in. Default "question".
	Question string `yaml:"question"`
	// Answer is the field of the response that holds the text to show; empty: the
	// response is shown as JSON.
	Answer string `yaml:"answer"`
	// Principal sends who asks, in the metadata KeyPrincipal. The server has to
	// trust this process to say it.
	Principal bool `yaml:"principal"`
	// GoesOn says that the turn may go on after the answer, towards its goal.
	GoesOn bool `yaml:"goes_on"`
}

// KeyPrincipal is the metadata key of who asks.
const KeyPrincipal = "x-dibrain-principal"

// Limits of the configuration and of answers.
const (
	maxFileBytes   = 1 << 20
	maxAgents      = 64
	maxAnswerBytes = 1 << 20
	maxWords       = 64
)

var (
	toolName   = regexp.MustCompile(`^[a-z][a-z0-9_]{1,62}$`)
	methodName = regexp.MustCompile(`^[A-Za-z_][\w.]*/[A-Za-z_]\w*$`)
)

// Read reads agents from YAML: a list under "agents". An error says what is wrong
// with which entry.
func Read(r io.Reader) ([]Agent, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read agents: %w", err)
	}
	if len(raw) > maxFileBytes {
		return nil, fmt.Errorf("the agents take more than %d bytes", maxFileBytes)
	}
	var file struct {
		Agents []Agent `yaml:"agents"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read agents: %w", err)
	}
	if len(file.Agents) > maxAgents {
		return nil, fmt.Errorf("%d agents: at most %d can be added", len(file.Agents), maxAgents)
	}
	for i := range file.Agents {
		a := &file.Agents[i]
		if a.Question == "" {
			a.Question = "question"
		}
		if problem := a.check(); problem != "" {
			return nil, fmt.Errorf("agent %d (%q): %s", i+1, a.Tool, problem)
		}
	}
	return file.Agents, nil
}

func (a Agent) check() string {
	switch {
	case !toolName.MatchString(a.Tool):
		return "tool needs a name of 2 to 63 small letters, digits and underscores"
	case a.Name == "" || a.Description == "":
		return "agent and description are needed"
	case a.Target == "":
		return "target is needed: host:port of the server"
	case !methodName.MatchString(a.Method):
		return `method needs the form "package.Service/Method"`
	case len(a.Words) > maxWords || slices.ContainsFunc(a.Words, func(w string) bool { return strings.TrimSpace(w) == "" }):
		return fmt.Sprintf("words: at most %d, and none empty", maxWords)
	}
	return ""
}

// Tool is an agent that can be called. It may be used concurrently.
type Tool struct {
	Agent
	conn   grpc.ClientConnInterface
	method lazyMethod
}

// New returns the agent's tool over a connection to its target. Nothing is asked
// before the first use, so that a server that is down now can be there later.
func New(a Agent, conn grpc.ClientConnInterface) *Tool {
	return &Tool{Agent: a, conn: conn}
}

// Definition is the tool as the router lists it.
func (t *Tool) Definition() tools.Definition {
	return tools.Definition{
		Name: t.Tool, Agent: t.Name, Description: t.Description, Direct: true, Ends: !t.GoesOn, Arguments: t,
	}
}

// Answer is what an agent answered.
type Answer struct {
	Output *structpb.Struct // the response as JSON, the last one of a stream
	Text   string           // what to show
}

// Call calls the method with a request that Parse read. progress is told the text
// of each answer of a stream but the last; nil: nobody listens.
func (t *Tool) Call(ctx context.Context, request *dynamicpb.Message, progress func(text string) error) (Answer, error) {
	m, err := t.method.of(ctx, t.conn, t.Method)
	if err != nil {
		return Answer{}, err
	}
	if t.Principal {
		ctx = metadata.AppendToOutgoingContext(ctx, KeyPrincipal, run.From(ctx).Principal.ID)
	}
	if !m.IsStreamingServer() {
		out := dynamicpb.NewMessage(m.Output())
		if err := t.conn.Invoke(ctx, "/"+t.Method, request, out); err != nil {
			return Answer{}, err
		}
		return t.answer(out)
	}
	stream, err := t.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/"+t.Method)
	if err != nil {
		return Answer{}, err
	}
	if err := errors.Join(stream.SendMsg(request), stream.CloseSend()); err != nil {
		return Answer{}, err
	}
	return t.last(stream, m, progress)
}

// last reads a stream of answers to its end.
func (t *Tool) last(stream grpc.ClientStream, m protoreflect.MethodDescriptor, progress func(string) error) (Answer, error) {
	var newest *Answer
	for {
		out := dynamicpb.NewMessage(m.Output())
		err := stream.RecvMsg(out)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Answer{}, err
		}
		if newest != nil && progress != nil {
			if err := progress(newest.Text); err != nil {
				return Answer{}, err
			}
		}
		a, err := t.answer(out)
		if err != nil {
			return Answer{}, err
		}
		newest = &a
	}
	if newest == nil {
		return Answer{}, fmt.Errorf("%s ended its stream without an answer", t.Name)
	}
	return *newest, nil
}

func (t *Tool) answer(out *dynamicpb.Message) (Answer, error) {
	raw, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(out)
	if err != nil {
		return Answer{}, fmt.Errorf("the answer of %s cannot be written as JSON: %w", t.Name, err)
	}
	if len(raw) > maxAnswerBytes {
		return Answer{}, fmt.Errorf("the answer of %s has %d bytes, at most %d are taken", t.Name, len(raw), maxAnswerBytes)
	}
	a := Answer{Output: &structpb.Struct{}}
	if err := protojson.Unmarshal(raw, a.Output); err != nil {
		return Answer{}, fmt.Errorf("the answer of %s is no JSON object: %w", t.Name, err)
	}
	a.Text = t.TextOf(a.Output)
	return a, nil
}

// TextOf returns what to show of an output.
func (t *Tool) TextOf(output *structpb.Struct) string {
	if text := output.GetFields()[t.Agent.Answer].GetStringValue(); text != "" {
		return prose.Safe(text)
	}
	raw, err := protojson.MarshalOptions{Multiline: true}.Marshal(output)
	if err != nil {
		return ""
	}
	return prose.Safe(string(raw))
}
