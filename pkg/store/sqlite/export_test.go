package sqlite

import "errors"

// Die ends a store as the death of its process does: nothing more is written, and the kernel
// gives the lock of its instance back.
func (s *Store) Die() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.ended.close()
	s.copier.done.Wait()
	s.packer.Close()
	return errors.Join(s.instance.lock.Unlock(), s.copier.db.Close(), s.read.Close(), s.write.Close())
}
