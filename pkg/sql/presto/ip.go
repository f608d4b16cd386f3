package presto

import (
	"net/netip"
	"strings"
)

// textIP reads an address and writes it in its canonical form.
func textIP(text string) (string, error) {
	ip, err := netip.ParseAddr(text)
	if err != nil || ip.Zone() != "" {
		return "", uncastable(text, "ipaddress")
	}
	return ip.Unmap().String(), nil
}

// ipIn tells whether an address is in a network, such as 10.0.0.0/8.
func ipIn(network, address string) (bool, error) {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return false, uncastable(address, "ipaddress")
	}
	prefix, err := netip.ParsePrefix(network)
	if err != nil || strings.Contains(network, "%") {
		return false, invalid("'%s' is not a network", Short(network))
	}
	if prefix.Addr().Is4() != ip.Unmap().Is4() {
		return false, nil
	}
	return prefix.Contains(ip.Unmap()), nil
}
