package knowledge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/run"
)

// maxSettingsBytes bounds the file of collections.
const maxSettingsBytes = 1 << 20

// Settings say what a collection is, as the file of collections does.
type Settings struct {
	Name string `yaml:"name"`
	// Path of the folder, or of a git checkout; relative to the file of collections.
	Path string `yaml:"path"`
	// Product that documents are about which name none themselves.
	Product string `yaml:"product"`
	// URL that links begin with; "{path}" and "{anchor}" in it are filled in, and
	// without them path and anchor are put behind it. Empty: no links.
	URL string `yaml:"url"`
	// Owner is told where the documents have no answer: whom to ask.
	Owner string `yaml:"owner"`
	// Groups and Users may read it; both empty: everybody who is signed in.
	Groups []string `yaml:"groups"`
	Users  []string `yaml:"users"`
}

// names of collections are printed, put into requests and logged.
var collectionName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// ReadSettings reads a file of collections. An error says what to change in it.
func ReadSettings(path string) (list []Settings, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("knowledge.collections_file: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	raw, err := io.ReadAll(io.LimitReader(file, maxSettingsBytes+1))
	if err != nil {
		return nil, fmt.Errorf("knowledge.collections_file: %w", err)
	}
	if len(raw) > maxSettingsBytes {
		return nil, fmt.Errorf("knowledge.collections_file %s has more than %d bytes", path, maxSettingsBytes)
	}
	var content struct {
		Collections []Settings `yaml:"collections"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	if err := dec.Decode(&content); err != nil {
		return nil, fmt.Errorf("knowledge.collections_file %s: %w", path, err)
	}
	for i := range content.Collections {
		s := &content.Collections[i]
		if !filepath.IsAbs(s.Path) && s.Path != "" {
			s.Path = filepath.Join(filepath.Dir(path), s.Path)
		}
		if wrong := s.check(content.Collections[:i]); wrong != "" {
			return nil, fmt.Errorf("knowledge.collections_file %s: collection %d (%q): %s", path, i+1, s.Name, wrong)
		}
	}
	return content.Collections, nil
}

func (s Settings) check(before []Settings) string {
	switch {
	case !collectionName.MatchString(s.Name):
		return "name has to be of lower-case letters, digits, - and _, at most 64"
	case s.Name == OwnDocs:
		return "the name " + OwnDocs + " is that of the project's own documents: take another one"
	case slices.ContainsFunc(before, func(o Settings) bool { return o.Name == s.Name }):
		return "there is one of that name already"
	case s.Path == "":
		return "path is missing: name the folder"
	}
	if link, err := url.Parse(strings.NewReplacer("{path}", "", "{anchor}", "").Replace(s.URL)); s.URL != "" && (err != nil || link.Scheme != "http" && link.Scheme != "https") {
		return "url has to begin with http:// or https://"
	}
	return ""
}

// mayRead reports whether somebody may know of the collection.
func (s Settings) mayRead(p run.Principal) bool {
	if len(s.Groups) == 0 && len(s.Users) == 0 {
		return true
	}
	return slices.Contains(s.Users, p.ID) || p.InAny(s.Groups)
}

// link is the address of a section; "": there is none.
func (s Settings) link(name, anchor string) string {
	if s.URL == "" {
		return ""
	}
	escaped := (&url.URL{Path: name}).EscapedPath()
	fragment := (&url.URL{Fragment: anchor}).EscapedFragment()
	if strings.Contains(s.URL, "{path}") {
		return strings.NewReplacer("{path}", escaped, "{anchor}", fragment).Replace(s.URL)
	}
	link := strings.TrimSuffix(s.URL, "/") + "/" + escaped
	if fragment != "" {
		link += "#" + fragment
	}
	return link
}
