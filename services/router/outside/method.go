package outside

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/dibrain/dibrain/pkg/fault"
)

// reflectTimeout bounds asking a server what it offers.
const reflectTimeout = 5 * time.Second

// maxFiles bounds the descriptor files that a server may bring.
const maxFiles = 256

// ReasonMethodUnknown says that a server does not offer the configured method.
const ReasonMethodUnknown = "AGENT_METHOD_UNKNOWN"

// lazyMethod is a method's descriptor, asked for at the first use and again after
// a failure.
type lazyMethod struct {
	mu    sync.Mutex
	found protoreflect.MethodDescriptor
}

func (l *lazyMethod) of(ctx context.Context, conn grpc.ClientConnInterface, name string) (protoreflect.MethodDescriptor, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.found != nil {
		return l.found, nil
	}
	service, method, _ := strings.Cut(name, "/")
	files, err := reflectFiles(ctx, conn, service)
	if err != nil {
		return nil, err
	}
	d, err := files.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		return nil, unknownMethod(name, err)
	}
	s, ok := d.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil, unknownMethod(name, errors.New("it is no service"))
	}
	m := s.Methods().ByName(protoreflect.Name(method))
	switch {
	case m == nil:
		return nil, unknownMethod(name, errors.New("the service has no such method"))
	case m.IsStreamingClient():
		return nil, unknownMethod(name, errors.New("it takes a stream of requests"))
	}
	l.found = m
	return m, nil
}

func unknownMethod(name string, err error) error {
	return fault.New(codes.FailedPrecondition, ReasonMethodUnknown,
		fmt.Sprintf("the agent's server offers no method %s that can be called: %v", name, err)).Because(err)
}

// reflectFiles asks a server for the file that declares a service and for all
// that it imports.
func reflectFiles(ctx context.Context, conn grpc.ClientConnInterface, service string) (*protoregistry.Files, error) {
	ctx, cancel := context.WithTimeout(ctx, reflectTimeout)
	defer cancel() // ends the stream
	stream, err := reflectionv1.NewServerReflectionClient(conn).ServerReflectionInfo(ctx)
	if err != nil {
		return nil, err
	}
	have := map[string]*descriptorpb.FileDescriptorProto{}
	ask := func(r *reflectionv1.ServerReflectionRequest) error {
		if err := stream.Send(r); err != nil && !errors.Is(err, io.EOF) { // why a stream has ended, Recv says
			return err
		}
		answer, err := stream.Recv()
		if err != nil {
			return err
		}
		if e := answer.GetErrorResponse(); e != nil {
			return unknownMethod(service, errors.New(e.GetErrorMessage()))
		}
		for _, raw := range answer.GetFileDescriptorResponse().GetFileDescriptorProto() {
			f := &descriptorpb.FileDescriptorProto{}
			if err := proto.Unmarshal(raw, f); err != nil {
				return fmt.Errorf("a descriptor of %s cannot be read: %w", service, err)
			}
			have[f.GetName()] = f
		}
		return nil
	}
	if err := ask(&reflectionv1.ServerReflectionRequest{
		MessageRequest: &reflectionv1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: service},
	}); err != nil {
		return nil, err
	}
	for missing := firstMissing(have); missing != ""; missing = firstMissing(have) {
		if len(have) >= maxFiles {
			return nil, fmt.Errorf("the service %s needs more than %d descriptor files", service, maxFiles)
		}
		if err := ask(&reflectionv1.ServerReflectionRequest{
			MessageRequest: &reflectionv1.ServerReflectionRequest_FileByFilename{FileByFilename: missing},
		}); err != nil {
			return nil, err
		}
		if have[missing] == nil {
			return nil, fmt.Errorf("the server of %s does not show its file %s", service, missing)
		}
	}
	set := &descriptorpb.FileDescriptorSet{}
	for _, f := range have {
		set.File = append(set.File, f)
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return nil, fmt.Errorf("the descriptors of %s do not fit together: %w", service, err)
	}
	return files, nil
}

// firstMissing returns an import that no file is there for, the first by name;
// empty when all are there.
func firstMissing(have map[string]*descriptorpb.FileDescriptorProto) string {
	missing := ""
	for _, f := range have {
		for _, name := range f.GetDependency() {
			if have[name] == nil && (missing == "" || name < missing) {
				missing = name
			}
		}
	}
	return missing
}
