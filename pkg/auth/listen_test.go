package auth

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestANameIsLoopbackWhenAllItsAddressesAre: a name with an address that other
// machines reach is no loopback, wherever in the list it stands.
func TestANameIsLoopbackWhenAllItsAddressesAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		addresses []string
		want      bool
	}{
		{nil, false},
		{[]string{"127.0.0.1"}, true},
		{[]string{"::1", "127.0.0.9"}, true},
		{[]string{"192.0.2.1"}, false},
		{[]string{"127.0.0.1", "192.0.2.1"}, false},
		{[]string{"192.0.2.1", "127.0.0.1"}, false},
		{[]string{"::1", "fe80::1"}, false},
	} {
		var addrs []net.IPAddr
		for _, a := range c.addresses {
			addrs = append(addrs, net.IPAddr{IP: net.ParseIP(a)})
		}
		require.Equal(t, c.want, allLoopback(addrs), c.addresses)
	}
}
