package auth

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

const resolveTimeout = 2 * time.Second

// CheckListen refuses an address beyond loopback in mode local, where whoever
// reaches the port acts as the operating system's user. setting names where the
// address comes from, such as "--listen".
func CheckListen(ctx context.Context, mode Mode, address, setting string) error {
	if mode != ModeLocal {
		return nil
	}
	loopback, err := isLoopback(ctx, address)
	if err != nil {
		return fault.Invalid(setting, "ADDRESS_INVALID", "The address %q of %s cannot be read: %v.", address, setting, err)
	}
	if loopback {
		return nil
	}
	return fault.New(codes.FailedPrecondition, "LISTEN_BEYOND_LOOPBACK", fmt.Sprintf(
		"%s is %q, which other machines can reach, and auth.mode is local, where every caller acts as you. "+
			"Listen on loopback, such as 127.0.0.1, or set auth.mode to token and auth.token_file.", setting, address),
		"address", address)
}

// CheckPlaintext refuses to serve without TLS on an address that other machines
// reach, where tokens could be read on their way. allowed is the operator's word that
// something else keeps them, such as a proxy or a mesh that speaks TLS.
func CheckPlaintext(ctx context.Context, address, setting string, tls, allowed bool) error {
	if tls || allowed {
		return nil
	}
	loopback, err := isLoopback(ctx, address)
	if err != nil {
		return fault.Invalid(setting, "ADDRESS_INVALID", "The address %q of %s cannot be read: %v.", address, setting, err)
	}
	if loopback {
		return nil
	}
	return fault.New(codes.FailedPrecondition, "LISTEN_WITHOUT_TLS", fmt.Sprintf(
		"%s is %q, which other machines can reach, and tokens would cross the network in plain text. "+
			"Set tls.cert_file and tls.key_file, listen on loopback, or set auth.insecure_plaintext to true "+
			"(--insecure-plaintext) when a proxy or mesh before it speaks TLS.", setting, address),
		"address", address)
}

// IsLoopback reports whether only this machine can reach the address
// "host:port". A name counts when all that it resolves to does.
func IsLoopback(ctx context.Context, address string) bool {
	loopback, err := isLoopback(ctx, address)
	return err == nil && loopback
}

func isLoopback(ctx context.Context, address string) (bool, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false, fmt.Errorf("want host:port: %w", err)
	}
	if host == "" { // all interfaces
		return false, nil
	}
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback(), nil
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return false, fmt.Errorf("look up %s: %w", host, err)
	}
	return allLoopback(addrs), nil
}

// allLoopback reports whether a name's addresses are all of this machine; one of no
// addresses is not.
func allLoopback(addrs []net.IPAddr) bool {
	return len(addrs) > 0 && !slices.ContainsFunc(addrs, func(a net.IPAddr) bool { return !a.IP.IsLoopback() })
}
