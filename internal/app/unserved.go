package app

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/emptypb"

	analysisv1alpha1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1alpha1"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
)

// startUnserved registers the services that the contract defines and nothing
// serves yet, so that reflection shows them and calls are told why.
func startUnserved(_ context.Context, a *App) error {
	for _, desc := range []grpc.ServiceDesc{
		analysisv1alpha1.AnalysisService_ServiceDesc,
	} {
		stub := unservedDesc(desc)
		for _, server := range a.servers() {
			server.RegisterUnserved(stub)
		}
	}
	return nil
}

// unservedDesc returns the service with every method answering UNIMPLEMENTED.
func unservedDesc(desc grpc.ServiceDesc) *grpc.ServiceDesc {
	name := auth.Audience("/" + desc.ServiceName + "/")
	refusal := fault.New(codes.Unimplemented, "NOT_SERVED_YET", name+
		" is defined but not served yet; this version serves router, findata, text2sql, fixsql, chatbi, knowledge and logify. "+
		"`dibrain version` prints the version, CHANGELOG.md what each brings.", "service", name)
	stub := grpc.ServiceDesc{ServiceName: desc.ServiceName, Metadata: desc.Metadata}
	for _, m := range desc.Methods {
		info := &grpc.UnaryServerInfo{FullMethod: "/" + desc.ServiceName + "/" + m.MethodName}
		stub.Methods = append(stub.Methods, grpc.MethodDesc{
			MethodName: m.MethodName,
			// The request is not read: whatever it says, the answer is the same.
			Handler: func(_ any, ctx context.Context, _ func(any) error, chain grpc.UnaryServerInterceptor) (any, error) {
				refuse := func(context.Context, any) (any, error) { return nil, refusal }
				if chain == nil {
					return refuse(ctx, nil)
				}
				return chain(ctx, &emptypb.Empty{}, info, refuse)
			},
		})
	}
	for _, s := range desc.Streams {
		s.Handler = func(any, grpc.ServerStream) error { return refusal }
		stub.Streams = append(stub.Streams, s)
	}
	return &stub
}
