// Command rootfs makes the files of the image: the program, the shared libraries that it
// needs, authorities, time zones and a list of all that. The Dockerfile runs it in its build
// stage, and tests run it on a Debian machine where no container engine is, so that what is
// tested is what is shipped.
//
//	go run ./deploy/docker/rootfs -binary dibrain -root DIR
//
// The files come from installed Debian packages. The same packages and the same program make
// the same files, with the time of SOURCE_DATE_EPOCH (0).
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/internal/notices"
)

// user is the user that the image runs as, "nobody in particular".
const user = 65532

func main() {
	binary := flag.String("binary", "", "the program, built for this machine")
	root := flag.String("root", "", "folder to make; it must not exist or be empty")
	flag.Parse()
	if *binary == "" || *root == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*binary, *root); err != nil {
		fmt.Fprintln(os.Stderr, "rootfs:", err)
		os.Exit(1)
	}
}

func run(binary, root string) error {
	when := time.Unix(0, 0)
	if s := os.Getenv("SOURCE_DATE_EPOCH"); s != "" {
		seconds, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
		}
		when = time.Unix(seconds, 0)
	}
	if entries, err := os.ReadDir(root); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty", root)
	}
	i := image{root: root, packages: map[string]string{}}
	i.copy(binary, "/usr/local/bin/dibrain", 0o755)
	i.libraries(binary)
	i.copy("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/certs/ca-certificates.crt", 0o644)
	i.of("/usr/share/ca-certificates")
	i.tree("/usr/share/zoneinfo")
	i.write("/etc/passwd", fmt.Sprintf("root:x:0:0:root:/:/sbin/nologin\ndibrain:x:%d:%d:dibrain:/var/lib/dibrain:/sbin/nologin\n", user, user))
	i.write("/etc/group", fmt.Sprintf("root:x:0:\ndibrain:x:%d:\n", user))
	i.write("/etc/nsswitch.conf", "hosts: files dns\n")
	i.folder("/tmp", 0o777|fs.ModeSticky)
	i.folder("/var/lib/dibrain", 0o750)
	i.contents()
	if i.err == nil && os.Geteuid() == 0 {
		i.err = os.Chown(filepath.Join(root, "var/lib/dibrain"), user, user)
	}
	if i.err != nil {
		return i.err
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		return os.Chtimes(path, when, when)
	})
}

// image is what has been made so far. After the first error nothing more is done.
type image struct {
	root     string
	packages map[string]string // name of a Debian package to its version
	err      error
}

func (i *image) at(path string) string { return filepath.Join(i.root, path) }

func (i *image) folder(path string, mode fs.FileMode) {
	if i.err == nil {
		i.err = os.MkdirAll(i.at(path), 0o755)
	}
	if i.err == nil {
		i.err = os.Chmod(i.at(path), mode)
	}
}

func (i *image) write(path, text string) {
	if i.err == nil {
		i.err = os.MkdirAll(filepath.Dir(i.at(path)), 0o755)
	}
	if i.err == nil {
		i.err = os.WriteFile(i.at(path), []byte(text), 0o644) //nolint:gosec // everybody may read the image
	}
}

func (i *image) copy(from, to string, mode fs.FileMode) {
	if i.err != nil {
		return
	}
	i.err = func() (err error) {
		in, err := os.Open(from)
		if err != nil {
			return err
		}
		defer in.Close() //nolint:errcheck // opened for reading
		if err := os.MkdirAll(filepath.Dir(i.at(to)), 0o755); err != nil {
			return err
		}
		out, err := os.OpenFile(i.at(to), os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, in)
		return errors.Join(err, out.Close(), os.Chmod(i.at(to), mode))
	}()
}

// tree copies a folder of a package; links within it stay links.
func (i *image) tree(dir string) {
	if i.err != nil {
		return
	}
	i.of(dir + "/UTC")
	i.err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || i.err != nil {
			return errors.Join(err, i.err)
		}
		switch {
		case d.IsDir():
			return os.MkdirAll(i.at(path), 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			if filepath.IsAbs(to) { // such as localtime, which is the machine's
				return nil
			}
			return os.Symlink(to, i.at(path))
		}
		i.copy(path, path, 0o644)
		return i.err
	})
}

// libraries copies the shared libraries of the program, by the names that it asks for.
func (i *image) libraries(binary string) {
	if i.err != nil {
		return
	}
	out, err := exec.Command("ldd", binary).Output() //nolint:gosec // the operator's own program
	if err != nil {
		i.err = fmt.Errorf("ldd %s: %w", binary, err)
		return
	}
	for line := range strings.Lines(string(out)) {
		for _, field := range strings.Fields(line) {
			if !filepath.IsAbs(field) {
				continue
			}
			file, err := filepath.EvalSymlinks(field)
			if err != nil {
				i.err = err
				return
			}
			i.copy(file, field, 0o755)
			i.of(file)
		}
	}
}

// of notes the package that a file comes from, with its licence.
func (i *image) of(file string) {
	if i.err != nil {
		return
	}
	name, err := owner(file)
	if err != nil {
		i.err = err
		return
	}
	if i.packages[name] != "" {
		return
	}
	version, err := exec.Command("dpkg-query", "-W", "-f", "${Version}", name).Output() //nolint:gosec // the name is dpkg's own
	if err != nil {
		i.err = fmt.Errorf("dpkg-query -W %s: %w", name, err)
		return
	}
	i.packages[name] = string(version)
	bare, _, _ := strings.Cut(name, ":")
	i.copy("/usr/share/doc/"+bare+"/copyright", "/usr/share/doc/"+bare+"/copyright", 0o644)
}

// owner asks for the package of a file, by the names that it may have: /lib is /usr/lib.
func owner(file string) (string, error) {
	tries := []string{file, strings.TrimPrefix(file, "/usr"), "/usr" + file}
	for _, path := range tries {
		out, err := exec.Command("dpkg-query", "-S", path).Output() //nolint:gosec // a path of this machine
		if err == nil {
			name, _, _ := strings.Cut(string(out), ": ")
			name, _, _ = strings.Cut(name, ",")
			return strings.TrimSpace(name), nil
		}
	}
	return "", fmt.Errorf("%s is of no Debian package", file)
}

// contents writes the list of all parts, in CycloneDX's form: the program's own, and the
// packages.
func (i *image) contents() {
	if i.err != nil {
		return
	}
	var bom map[string]any
	if i.err = json.Unmarshal([]byte(notices.SBOM), &bom); i.err != nil {
		return
	}
	parts, _ := bom["components"].([]any)
	var names []string
	for name := range i.packages {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		bare, _, _ := strings.Cut(name, ":")
		purl := "pkg:deb/debian/" + bare + "@" + i.packages[name]
		parts = append(parts, map[string]any{"type": "library", "bom-ref": purl, "name": bare, "version": i.packages[name], "purl": purl})
	}
	bom["components"] = parts
	text, err := json.MarshalIndent(bom, "", " ")
	if err != nil {
		i.err = err
		return
	}
	i.write("/usr/share/doc/dibrain/sbom.cdx.json", string(text)+"\n")
	i.write("/usr/share/doc/dibrain/THIRD_PARTY_NOTICES.txt", notices.Text)
}
