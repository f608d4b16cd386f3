package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/shorttest"
	"github.com/dibrain/dibrain/services/text2sql/chinese"
	"github.com/dibrain/dibrain/services/text2sql/rank"
)

// trainingData writes two databases of one table each, and questions about them.
func trainingData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var questions strings.Builder
	for i, noun := range []string{"boat", "horse"} {
		db := fmt.Sprint("db", i)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "databases", db, "data"), 0o700))
		schema := fmt.Sprintf("CREATE TABLE %q (%q INTEGER PRIMARY KEY, \"name\" VARCHAR, \"age\" INTEGER);\n", noun, noun+"_id")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "databases", db, "schema.sql"), []byte(schema), 0o600))
		rows := fmt.Sprintf("%s_id,name,age\n1,Ann,3\n2,Bo,5\n3,Cy,9\n", noun)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "databases", db, "data", noun+".csv"), []byte(rows), 0o600))
		for q := range 30 {
			_, _ = fmt.Fprintf(&questions, `{"id": "%d-%d", "db": %q, "question": "Show the name of %ss older than %d.", "sql": "SELECT \"name\" FROM %s WHERE \"age\" > %d"}`+"\n", i, q, db, noun, q, noun, q)
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "train.jsonl"), []byte(questions.String()), 0o600))
	return dir
}

func TestText2SQLTrain(t *testing.T) {
	shorttest.Rules(t, "a training, which is one thing after another")
	t.Parallel()
	dir := trainingData(t)
	out, labels := filepath.Join(dir, "model.json"), filepath.Join(dir, "labels.json")
	r := execute(t, nil, "text2sql", "train", "--data", dir, "--out", out, "--labels", labels, "--folds", "2")
	require.Equal(t, 0, r.code, r.err)
	require.Contains(t, r.out, "unseen databases, 2 folds")
	file, err := os.Open(out)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	m, err := rank.Read(file)
	require.NoError(t, err)
	require.Equal(t, "2026-01-01", m.Training.Date)
	require.Equal(t, 60, m.Training.Data[0].Questions)
	require.Equal(t, 2, m.Training.Data[0].Databases)
	require.Positive(t, m.Training.Data[0].Cut)
	require.Len(t, m.Training.Data[0].SHA256, 64)
	kept, err := os.ReadFile(labels)
	require.NoError(t, err)
	require.Contains(t, string(kept), "right")
}

func TestText2SQLTrainSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for says, args := range map[string][]string{
		"--data is missing":   {},
		"--out is missing":    {"--data", "x"},
		"--folds is 1":        {"--data", "x", "--json", "--folds", "1"},
		"--aim is 1":          {"--data", "x", "--json", "--aim", "1"},
		"--cut-every is -1":   {"--data", "x", "--json", "--cut-every", "-1"},
		"nowhere/train.jsonl": {"--data", "nowhere", "--json"},
	} {
		r := execute(t, nil, append([]string{"text2sql", "train"}, args...)...)
		require.Equal(t, 2, r.code, r.err)
		require.Contains(t, r.err, says)
	}
}

func TestText2SQLChinese(t *testing.T) {
	shorttest.Rules(t, "what is measured of Chinese questions")
	t.Parallel()
	dir := trainingData(t)
	var questions strings.Builder
	for i, noun := range []string{"船", "马"} {
		for q := range 20 {
			table, asked := []string{"boat", "horse"}[i], "年龄大于%d的%s的名字"
			if q%4 == 3 {
				asked = "哪个%[2]s的年龄不比%[1]d小？" // most of these are read wrongly
			}
			_, _ = fmt.Fprintf(&questions, `{"id": "zh%d-%d", "db": "db%d", "question_zh": %q, "sql": "SELECT \"name\" FROM %s WHERE \"age\" > %d"}`+"\n", i, q, i, fmt.Sprintf(asked, q, noun), table, q)
		}
	}
	worked, fresh, out := filepath.Join(dir, "worked.jsonl"), filepath.Join(dir, "fresh.jsonl"), filepath.Join(dir, "confidence.yaml")
	require.NoError(t, os.WriteFile(worked, []byte(questions.String()), 0o600))
	require.NoError(t, os.WriteFile(fresh, []byte(strings.ReplaceAll(questions.String(), `"id": "zh`, `"id": "fresh`)), 0o600))
	r := execute(t, nil, "text2sql", "chinese", "--data", dir, "--worked", worked, "--fresh", fresh, "--out", out, "--folds", "2")
	require.Equal(t, 0, r.code, r.err)
	require.Contains(t, r.out, "unseen: answered rightly")
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	c, err := chinese.ReadConfidence(text)
	require.NoError(t, err)
	require.Equal(t, "2026-01-01", c.Training.Date)
	require.Equal(t, 80, c.Training.Questions)
	require.Equal(t, 2, c.Training.Databases)
	now, err := chinese.LoadConfidence()
	require.NoError(t, err)
	require.Equal(t, now.Names(), c.Names(), "what has a weight gets a new one")
}

func TestText2SQLChineseSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for says, args := range map[string][]string{
		"--data is missing":                {},
		"--worked and --fresh are missing": {"--data", "x", "--out", "y"},
		"--out is missing":                 {"--data", "x", "--worked", "w"},
		"--folds is 1":                     {"--data", "x", "--out", "y", "--worked", "w", "--folds", "1"},
		"--aim is 1":                       {"--data", "x", "--out", "y", "--worked", "w", "--aim", "1"},
		"nowhere/train.jsonl":              {"--data", "nowhere", "--out", "y", "--worked", "w"},
	} {
		r := execute(t, nil, append([]string{"text2sql", "chinese"}, args...)...)
		require.Equal(t, 2, r.code, r.err)
		require.Contains(t, r.err, says)
	}
}
