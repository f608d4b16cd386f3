package e2e

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// grpcurlCall is a call as grpcurl makes it: the request as JSON, and SERVICE/METHOD.
var grpcurlCall = regexp.MustCompile(`grpcurl -plaintext (?:-d '([^']*)' +)?localhost:7070 (\S+)(?: (\S+))?`)

// TestGrpcurlOfTheDocuments makes the calls that docs/grpcurl.md shows, in their
// order, on a server with the demo.
func TestGrpcurlOfTheDocuments(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(pagesDir, "grpcurl.md"))
	require.NoError(t, err)
	conn := dial(t, monolith(t, freshDemo(t)).router)
	printed, called := "", 0
	for _, b := range blocks(string(text)) {
		if b.options["needs"] != "grpcurl" {
			continue
		}
		for line := range strings.SplitSeq(strings.TrimSpace(strings.ReplaceAll(b.text, "\\\n ", "")), "\n") {
			m := grpcurlCall.FindStringSubmatch(line)
			require.NotNil(t, m, line)
			if name := protoreflect.FullName(m[3]); m[2] == "describe" {
				_, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
				require.NoError(t, err, line)
				continue
			}
			if m[2] == "list" {
				continue // TestReflection
			}
			printed += callByName(t, conn, m[2], filled(m[1], printed))
			called++
		}
	}
	require.Greater(t, called, 10)
}

// callByName calls a method that is named as SERVICE/METHOD with a request as JSON,
// and returns the responses as JSON.
func callByName(t *testing.T, conn *grpc.ClientConn, name, request string) string {
	t.Helper()
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(strings.ReplaceAll(name, "/", ".")))
	require.NoError(t, err, name)
	method, ok := found.(protoreflect.MethodDescriptor)
	require.True(t, ok, name)
	in := dynamicpb.NewMessage(method.Input())
	if request != "" {
		require.NoError(t, protojson.Unmarshal([]byte(request), in), "%s %s", name, request)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/"+name, grpc.WaitForReady(true))
	require.NoError(t, err)
	require.NoError(t, stream.SendMsg(in))
	require.NoError(t, stream.CloseSend())
	var printed strings.Builder
	for {
		out := dynamicpb.NewMessage(method.Output())
		err := stream.RecvMsg(out)
		if errors.Is(err, io.EOF) {
			return printed.String()
		}
		require.NoError(t, err, "%s %s", name, request)
		printed.WriteString(protojson.Format(out) + "\n")
	}
}
