package auth

import (
	"container/list"
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/pkg/fault"
)

// SignInConfig bounds failed sign-ins.
type SignInConfig struct {
	// Failures are how many of one address may come at once, and Every is the time after
	// which one more may. Zero or less failures switch the limit off.
	Failures int
	Every    time.Duration
	// MaxAddresses bounds the memory, of addresses and of credentials that were good.
	MaxAddresses int
}

// SignIns limits failed sign-ins by the address that they come from. Whoever has failed too
// often there is refused without a look at the credential, but for credentials that were good
// from that address before: somebody who guesses behind the same proxy locks out nobody who is
// signed in. It is safe for concurrent use; a nil SignIns allows everything.
type SignIns struct {
	failed *Limiter

	mu     sync.Mutex
	most   int
	recent *list.List // of signIn, latest first
	good   map[signIn]*list.Element
}

// signIn is a credential from an address.
type signIn struct {
	address    string
	credential [sha256.Size]byte
}

// NewSignIns returns a limiter of failed sign-ins. A nil clock is the wall clock.
func NewSignIns(c SignInConfig, clock func() time.Time) *SignIns {
	return &SignIns{
		failed: NewLimiter(c.limit(), clock),
		most:   max(c.MaxAddresses, 1), recent: list.New(), good: make(map[signIn]*list.Element),
	}
}

// Set changes the limit while it is in use; failures that were counted count on.
func (s *SignIns) Set(c SignInConfig) {
	s.failed.Set(c.limit())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most = max(c.MaxAddresses, 1)
	for s.recent.Len() > s.most {
		s.forgetOldest()
	}
}

// limit is the rate of failures of one address.
func (c SignInConfig) limit() LimitConfig {
	if c.Failures <= 0 {
		return LimitConfig{MaxPrincipals: c.MaxAddresses}
	}
	return LimitConfig{PerSecond: 1 / max(c.Every, time.Millisecond).Seconds(), Burst: c.Failures, MaxPrincipals: c.MaxAddresses}
}

// Attempt returns what is to be done with a call from an address (host and port) with this
// metadata: a ResourceExhausted fault where there were too many failures, else done, which is
// told how the sign-in went.
func (s *SignIns) Attempt(address string, md metadata.MD) (done func(error), err error) {
	if s == nil {
		return func(error) {}, nil
	}
	try := signIn{address: network(address), credential: credentialOf(md)}
	if !s.wasGood(try) {
		if wait := s.failed.wait(try.address); wait > 0 {
			f := fault.New(codes.ResourceExhausted, "SIGN_INS_LIMITED",
				"Too many sign-ins from your address have failed. Check your token, wait, and try again.")
			f.RetryAfter = wait
			return nil, f
		}
	}
	return func(err error) {
		switch {
		case err == nil:
			s.remember(try)
		case fault.FromStatus(err).Code == codes.Unauthenticated && fault.ReasonOf(err) != ReasonTokenMissing: // who sends none guesses nothing
			s.forget(try)
			_ = s.failed.Allow(try.address)
		}
	}, nil
}

func (s *SignIns) wasGood(try signIn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.good[try]
	return ok
}

func (s *SignIns) remember(try signIn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.good[try]; ok {
		s.recent.MoveToFront(e)
		return
	}
	if s.recent.Len() >= s.most {
		s.forgetOldest()
	}
	s.good[try] = s.recent.PushFront(try)
}

func (s *SignIns) forgetOldest() {
	oldest := s.recent.Back()
	delete(s.good, oldest.Value.(signIn))
	s.recent.Remove(oldest)
}

func (s *SignIns) forget(try signIn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.good[try]; ok {
		delete(s.good, try)
		s.recent.Remove(e)
	}
}

// credentialOf is the hash of all that a call says of who makes it.
func credentialOf(md metadata.MD) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, key := range []string{KeyAuthorization, KeyHop} {
		for _, v := range md.Get(key) {
			h.Write([]byte(v))
			h.Write([]byte{0})
		}
	}
	h.Sum(sum[:0])
	return sum
}

// ipv6Network is the part of an IPv6 address that one customer has.
const ipv6Network = 64

// network is what an address counts as: itself without the port, and of IPv6 its network.
func network(address string) string {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return address
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is6() {
		if prefix, err := ip.Prefix(ipv6Network); err == nil {
			return prefix.String()
		}
	}
	return ip.String()
}
