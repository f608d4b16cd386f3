package rpc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// The parts of gRPC's service config that are used here.
type (
	serviceConfig struct {
		LoadBalancing []map[string]struct{} `json:"loadBalancingConfig"`
		Methods       []methodConfig        `json:"methodConfig,omitempty"`
		Throttling    retryThrottling       `json:"retryThrottling"`
	}
	methodConfig struct {
		Names []methodName `json:"name"`
		Retry retryPolicy  `json:"retryPolicy"`
	}
	methodName struct {
		Service string `json:"service"`
		Method  string `json:"method"`
	}
	retryPolicy struct {
		MaxAttempts       int      `json:"maxAttempts"`
		InitialBackoff    string   `json:"initialBackoff"`
		MaxBackoff        string   `json:"maxBackoff"`
		BackoffMultiplier float64  `json:"backoffMultiplier"`
		RetryableCodes    []string `json:"retryableStatusCodes"`
	}
	// retryThrottling stops retries when more than half of the calls fail, so
	// that a service that is going down is not pushed further.
	retryThrottling struct {
		MaxTokens  float64 `json:"maxTokens"`
		TokenRatio float64 `json:"tokenRatio"`
	}
)

func retryServiceConfig(c ClientConfig) (string, error) {
	config := serviceConfig{
		LoadBalancing: []map[string]struct{}{{"round_robin": {}}},
		Throttling:    retryThrottling{MaxTokens: 10, TokenRatio: 0.1},
	}
	names := idempotentMethods(protoregistry.GlobalFiles)
	for _, full := range c.Idempotent {
		service, method, ok := strings.Cut(strings.TrimPrefix(full, "/"), "/")
		if !ok {
			return "", fmt.Errorf("idempotent method %q: want \"/package.Service/Method\"", full)
		}
		if name := (methodName{Service: service, Method: method}); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 && c.RetryAttempts > 1 {
		config.Methods = []methodConfig{{Names: names, Retry: retryPolicy{
			MaxAttempts: c.RetryAttempts, InitialBackoff: "0.1s", MaxBackoff: "1s", BackoffMultiplier: 2,
			RetryableCodes: []string{"UNAVAILABLE"},
		}}}
	}
	text, err := json.Marshal(config)
	if err != nil {
		return "", fmt.Errorf("write the service config: %w", err)
	}
	return string(text), nil
}

// idempotentMethods returns the methods of DI-Brain's services that their proto
// declares to be free of side effects or idempotent.
func idempotentMethods(files *protoregistry.Files) []methodName {
	var names []methodName
	files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		if !strings.HasPrefix(string(f.Package()), "dibrain.") {
			return true
		}
		for i := range f.Services().Len() {
			service := f.Services().Get(i)
			for j := range service.Methods().Len() {
				method := service.Methods().Get(j)
				options, _ := method.Options().(*descriptorpb.MethodOptions)
				if options.GetIdempotencyLevel() != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN {
					names = append(names, methodName{Service: string(service.FullName()), Method: string(method.Name())})
				}
			}
		}
		return true
	})
	slices.SortFunc(names, func(a, b methodName) int {
		return strings.Compare(a.Service+"/"+a.Method, b.Service+"/"+b.Method)
	})
	return names
}
