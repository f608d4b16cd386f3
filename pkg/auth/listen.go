package auth

import (
	"context"
	"fmt"
	"net"
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
	for _, a := range addrs {
		if !a.IP.IsLoopback() {
			return false, nil
		}
	}
	return len(addrs) > 0, nil
}
