package sandbox

// childArgument is the hidden argument of a process of this program that becomes Python.
const childArgument = "python-sandbox-child"

// IsChild reports whether the arguments of a program ask it to become a sandboxed Python.
// The program then does nothing but to exit with what ChildMain returns.
func IsChild(args []string) bool { return len(args) == 2 && args[1] == childArgument }

// shownPath is a file or folder of this machine that a program sees, read-only.
type shownPath struct {
	Path string `json:"path"`
	Dir  bool   `json:"dir"`
}

// spec is what a child is told before the code and the input files follow.
type spec struct {
	Shown []shownPath       `json:"shown"`
	Links map[string]string `json:"links"`
	// Run are the files that may be started: the interpreter and its loader.
	Run []string `json:"run"`
	// Program is the interpreter's file, Called the name that it goes by.
	Program string   `json:"program"`
	Called  string   `json:"called"`
	Limits  Limits   `json:"limits"`
	Code    int64    `json:"code"` // bytes that follow
	Files   []inFile `json:"files"`
	// Namespaces are the parent's, by kind: the child has others, or does not start.
	Namespaces map[string]string `json:"namespaces"`
}

// inFile is an input file whose bytes follow.
type inFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// refusal is why a child does not start, by the wall that does not hold.
type refusal struct {
	Wall string `json:"wall"`
	Text string `json:"text"`
}

// Names of the walls.
const (
	wallNamespaces = "namespaces"
	wallRoot       = "read-only root"
	wallRights     = "no rights"
	wallLimits     = "limits"
	wallLandlock   = "landlock"
	wallSeccomp    = "seccomp"
)

// Marks of what a child says to its parent.
const (
	markReady  = 'R' // with the scratch folder as a descriptor; it waits for markGo
	markFailed = 'E' // a refusal follows
	markGo     = 'G'
)
