package app_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
)

// methods are all that the services of the product have.
func methods() []protoreflect.MethodDescriptor {
	var all []protoreflect.MethodDescriptor
	protoregistry.GlobalFiles.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			s := f.Services().Get(i)
			for j := range s.Methods().Len() {
				if strings.HasPrefix(string(s.FullName()), "dibrain.") {
					all = append(all, s.Methods().Get(j))
				}
			}
		}
		return true
	})
	return all
}

// call makes a call with an empty request and waits for its first answer, or its error.
func call(ctx context.Context, conn *grpc.ClientConn, m protoreflect.MethodDescriptor) error {
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: m.IsStreamingServer(), ClientStreams: m.IsStreamingClient()}, nameOf(m))
	if err != nil {
		return err
	}
	if err := s.SendMsg(dynamicpb.NewMessage(m.Input())); err != nil {
		return err
	}
	if err := s.CloseSend(); err != nil {
		return err
	}
	return s.RecvMsg(dynamicpb.NewMessage(m.Output()))
}

func nameOf(m protoreflect.MethodDescriptor) string {
	return "/" + string(m.Parent().FullName()) + "/" + string(m.Name())
}

// ofAdministrators are the calls that nobody else may make.
var ofAdministrators = []string{
	"/dibrain.findata.v1.CatalogService/Ingest", "/dibrain.findata.v1.CatalogService/GetIndexStatus",
	"/dibrain.findata.v1.FindDataService/ListReview", "/dibrain.findata.v1.FindDataService/ResolveReview", "/dibrain.findata.v1.FindDataService/GetUseStats",
	"/dibrain.knowledge.v1.KnowledgeService/IngestDocuments", "/dibrain.text2sql.v1.Text2SQLService/GetSemanticLayerStatus",
}

// TestWhoMayMakeWhichCall makes every call of every service as nobody, as somebody and as an
// administrator, and reads the audit log afterwards.
func TestWhoMayMakeWhichCall(t *testing.T) {
	t.Parallel()
	token := func(entry string) (token, line string) {
		token, hash, err := auth.NewToken(nil)
		require.NoError(t, err)
		return token, `{hash: "` + hash + `", ` + entry + `}`
	}
	member, one := token("principal: ann, groups: [sales]")
	admin, two := token("principal: root, admin: true")
	c := testConfig(t)
	c.Auth.Mode, c.Auth.TokenFile, c.Auth.AuditFile = string(auth.ModeToken), filepath.Join(t.TempDir(), "tokens.yaml"), filepath.Join(t.TempDir(), "audit.jsonl")
	c.Limits.RequestBurst = 1000
	require.NoError(t, os.WriteFile(c.Auth.TokenFile, []byte("tokens: ["+one+", "+two+"]"), 0o600))
	r := start(t, c, app.All)
	conn := r.dial()
	as := func(token string) context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		t.Cleanup(cancel)
		if token == "" {
			return ctx
		}
		return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token,
			"x-dibrain-principal", "root", "x-dibrain-admin", "true") // smuggled: nobody reads it
	}
	all := methods()
	require.Greater(t, len(all), 70)
	refused := slices.Clone(ofAdministrators) // to a member; services refuse more, such as what curators do
	for _, m := range all {
		name := nameOf(m)
		err := call(as(""), conn, m)
		require.Equal(t, codes.Unauthenticated, fault.FromStatus(err).Code, "%s as nobody: %v", name, err)
		reason := ""
		if err := call(as(member), conn, m); err != nil {
			reason = fault.ReasonOf(err)
			if fault.FromStatus(err).Code == codes.PermissionDenied {
				refused = append(refused, name)
			}
		}
		if slices.Contains(ofAdministrators, name) {
			require.Equal(t, "ADMIN_ONLY", reason, "%s as a member", name)
		} else {
			require.NotContains(t, []string{"ADMIN_ONLY", "METHOD_NOT_ALLOWED", "UNAUTHENTICATED"}, reason, "%s as a member", name)
		}
		if err := call(as(admin), conn, m); err != nil {
			require.NotContains(t, []string{"ADMIN_ONLY", "METHOD_NOT_ALLOWED", "UNAUTHENTICATED"}, fault.ReasonOf(err), "%s as an administrator", name)
		}
	}
	r.end()

	raw, err := os.ReadFile(c.Auth.AuditFile)
	require.NoError(t, err)
	require.NotContains(t, string(raw), member)
	info, err := os.Stat(c.Auth.AuditFile)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	type line struct{ Principal, From, Method, Decision, Code, Reason string }
	told := make(map[line]int)
	for text := range strings.Lines(string(raw)) {
		var l line
		require.NoError(t, json.Unmarshal([]byte(text), &l), text)
		host, _, err := net.SplitHostPort(l.From)
		require.NoError(t, err)
		require.Equal(t, "127.0.0.1", host)
		told[line{Principal: l.Principal, Method: l.Method, Decision: l.Decision}]++
	}
	for _, m := range all {
		name := strings.TrimPrefix(nameOf(m), "/")
		decision := "allowed"
		if slices.Contains(refused, nameOf(m)) {
			decision = "refused"
		}
		require.Equal(t, 1, told[line{Method: name, Decision: "refused"}], "%s as nobody", name)
		require.Equal(t, 1, told[line{Principal: "ann", Method: name, Decision: decision}], "%s as a member", name)
		require.Equal(t, 1, told[line{Principal: "root", Method: name, Decision: "allowed"}], "%s as an administrator", name)
	}
}
