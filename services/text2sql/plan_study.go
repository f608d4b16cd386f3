package text2sql

import (
	"cmp"
	"context"
	"errors"
	"strings"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/study"
)

// kindsOfStudies are the contract's.
var kindsOfStudies = map[commonv1.StudyKind]study.Kind{
	commonv1.StudyKind_STUDY_KIND_ROWS: study.Rows, commonv1.StudyKind_STUDY_KIND_NULLS: study.Nulls,
	commonv1.StudyKind_STUDY_KIND_RANGES: study.Ranges, commonv1.StudyKind_STUDY_KIND_DATES: study.Dates,
	commonv1.StudyKind_STUDY_KIND_FRESHNESS: study.Freshness, commonv1.StudyKind_STUDY_KIND_VALUES: study.Values,
	commonv1.StudyKind_STUDY_KIND_COHORT: study.Cohort, commonv1.StudyKind_STUDY_KIND_FUNNEL: study.Funnel,
}

// PlanStudy implements the rpc.
func (s *Service) PlanStudy(ctx context.Context, req *text2sqlv1.PlanStudyRequest) (*text2sqlv1.PlanStudyResponse, error) {
	plan, err := s.planStudy(ctx, fromQuery(req.GetQuery()), kindsOfStudies[req.GetKind()])
	if cannot := (*study.CannotError)(nil); errors.As(err, &cannot) {
		run.Conclude(ctx, run.OutcomeAbstained)
		return &text2sqlv1.PlanStudyResponse{
			Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ABSTAIN, AbstainedReason: prose.Safe(cannot.Reason),
		}, nil
	}
	if err != nil {
		return nil, err
	}
	resp := &text2sqlv1.PlanStudyResponse{
		Outcome: text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_SQL, Sql: printer.Format(plan.Statement), Table: plan.Table.String(),
	}
	for _, l := range plan.Labels {
		resp.Labels = append(resp.Labels, &commonv1.ColumnLabel{Column: l.Column, Label: l.Label, Unit: l.Unit})
	}
	for _, text := range plan.Taken {
		resp.Assumptions = append(resp.Assumptions, prose.Safe(text))
	}
	return resp, nil
}

// planStudy looks the table up as the asker sees it. Of a source with more tables than are
// listed at once, those that the question names in full are described beside them.
func (s *Service) planStudy(ctx context.Context, in In, kind study.Kind) (study.Plan, error) {
	if strings.TrimSpace(in.Question) == "" {
		return study.Plan{}, fault.Invalid("user_question", "QUESTION_EMPTY", "the question is empty: name a table")
	}
	in.Source, in.Language = cmp.Or(in.Source, s.config.DefaultSource), cmp.Or(in.Language, lang.Detect(in.Question))
	tables := in.Tables
	if len(tables) == 0 {
		var err error
		if tables, err = s.listTables(ctx, in.Source); err != nil {
			return study.Plan{}, err
		}
		if names := namesIn(in.Question); len(names) > 0 {
			described, err := s.describe(ctx, in.Source, names)
			if err != nil {
				return study.Plan{}, err
			}
			tables = append(tables, lacking(tables, described)...)
		}
	}
	return s.studies.Make(study.Input{
		Kind: kind, Question: in.Question, Tables: tables, Now: run.Now(ctx), Language: in.Language, MaxColumns: s.config.MaxStudyColumns,
	})
}

// maxNamesInQuestion bounds the names of a question that are looked up.
const maxNamesInQuestion = 5

// namesIn are the words of a question that are written as names of tables are, with
// points or low lines.
func namesIn(question string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(question, func(r rune) bool {
		return r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		word = strings.Trim(word, ".")
		name, err := catalog.ParseName(word)
		if err == nil && name.Table != "" && strings.ContainsAny(word, "._") && len(out) < maxNamesInQuestion {
			out = append(out, word)
		}
	}
	return out
}
