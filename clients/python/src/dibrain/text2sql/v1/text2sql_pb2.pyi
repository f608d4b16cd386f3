import datetime

from buf.validate import validate_pb2 as _validate_pb2
from dibrain.common.v1 import change_pb2 as _change_pb2
from dibrain.common.v1 import context_pb2 as _context_pb2
from dibrain.common.v1 import run_pb2 as _run_pb2
from dibrain.common.v1 import sql_pb2 as _sql_pb2
from dibrain.common.v1 import study_pb2 as _study_pb2
from dibrain.common.v1 import table_pb2 as _table_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Execution(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXECUTION_UNSPECIFIED: _ClassVar[Execution]
    EXECUTION_NONE: _ClassVar[Execution]
    EXECUTION_VALIDATE: _ClassVar[Execution]
    EXECUTION_PROBE: _ClassVar[Execution]

class Strategy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STRATEGY_UNSPECIFIED: _ClassVar[Strategy]
    STRATEGY_RULES: _ClassVar[Strategy]
    STRATEGY_LLM: _ClassVar[Strategy]

class GenerateOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GENERATE_OUTCOME_UNSPECIFIED: _ClassVar[GenerateOutcome]
    GENERATE_OUTCOME_SQL: _ClassVar[GenerateOutcome]
    GENERATE_OUTCOME_ASK: _ClassVar[GenerateOutcome]
    GENERATE_OUTCOME_ABSTAIN: _ClassVar[GenerateOutcome]
EXECUTION_UNSPECIFIED: Execution
EXECUTION_NONE: Execution
EXECUTION_VALIDATE: Execution
EXECUTION_PROBE: Execution
STRATEGY_UNSPECIFIED: Strategy
STRATEGY_RULES: Strategy
STRATEGY_LLM: Strategy
GENERATE_OUTCOME_UNSPECIFIED: GenerateOutcome
GENERATE_OUTCOME_SQL: GenerateOutcome
GENERATE_OUTCOME_ASK: GenerateOutcome
GENERATE_OUTCOME_ABSTAIN: GenerateOutcome

class GenerateQuery(_message.Message):
    __slots__ = ("source", "user_question", "tables", "glossary_terms", "rules", "user_context", "execution", "previous_intent_json", "chosen_option_id", "max_candidates", "follow_up", "strategy", "show_basis", "offer_readings", "max_suggestions", "tried")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    USER_QUESTION_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    GLOSSARY_TERMS_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_INTENT_JSON_FIELD_NUMBER: _ClassVar[int]
    CHOSEN_OPTION_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_UP_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    SHOW_BASIS_FIELD_NUMBER: _ClassVar[int]
    OFFER_READINGS_FIELD_NUMBER: _ClassVar[int]
    MAX_SUGGESTIONS_FIELD_NUMBER: _ClassVar[int]
    TRIED_FIELD_NUMBER: _ClassVar[int]
    source: str
    user_question: str
    tables: _containers.RepeatedCompositeFieldContainer[_table_pb2.TableDetail]
    glossary_terms: _containers.RepeatedCompositeFieldContainer[_table_pb2.GlossaryTerm]
    rules: _containers.RepeatedCompositeFieldContainer[_table_pb2.BusinessRule]
    user_context: _context_pb2.UserContext
    execution: Execution
    previous_intent_json: str
    chosen_option_id: str
    max_candidates: int
    follow_up: str
    strategy: Strategy
    show_basis: bool
    offer_readings: bool
    max_suggestions: int
    tried: _containers.RepeatedCompositeFieldContainer[TriedStatement]
    def __init__(self, source: _Optional[str] = ..., user_question: _Optional[str] = ..., tables: _Optional[_Iterable[_Union[_table_pb2.TableDetail, _Mapping]]] = ..., glossary_terms: _Optional[_Iterable[_Union[_table_pb2.GlossaryTerm, _Mapping]]] = ..., rules: _Optional[_Iterable[_Union[_table_pb2.BusinessRule, _Mapping]]] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ..., execution: _Optional[_Union[Execution, str]] = ..., previous_intent_json: _Optional[str] = ..., chosen_option_id: _Optional[str] = ..., max_candidates: _Optional[int] = ..., follow_up: _Optional[str] = ..., strategy: _Optional[_Union[Strategy, str]] = ..., show_basis: bool = ..., offer_readings: bool = ..., max_suggestions: _Optional[int] = ..., tried: _Optional[_Iterable[_Union[TriedStatement, _Mapping]]] = ...) -> None: ...

class TriedStatement(_message.Message):
    __slots__ = ("sql", "reason")
    SQL_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    sql: str
    reason: str
    def __init__(self, sql: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class UnderstoodSpan(_message.Message):
    __slots__ = ("text", "kind", "meaning", "score")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    MEANING_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    text: str
    kind: str
    meaning: str
    score: float
    def __init__(self, text: _Optional[str] = ..., kind: _Optional[str] = ..., meaning: _Optional[str] = ..., score: _Optional[float] = ...) -> None: ...

class GenerateResult(_message.Message):
    __slots__ = ("outcome", "candidates", "intent_json", "understood", "not_understood", "confidence", "abstained_reason", "question", "metrics", "warnings", "restatement", "verified", "changes", "suggestions")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    INTENT_JSON_FIELD_NUMBER: _ClassVar[int]
    UNDERSTOOD_FIELD_NUMBER: _ClassVar[int]
    NOT_UNDERSTOOD_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    ABSTAINED_REASON_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    RESTATEMENT_FIELD_NUMBER: _ClassVar[int]
    VERIFIED_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    SUGGESTIONS_FIELD_NUMBER: _ClassVar[int]
    outcome: GenerateOutcome
    candidates: _containers.RepeatedCompositeFieldContainer[_sql_pb2.SqlStatement]
    intent_json: str
    understood: _containers.RepeatedCompositeFieldContainer[UnderstoodSpan]
    not_understood: _containers.RepeatedScalarFieldContainer[str]
    confidence: float
    abstained_reason: str
    question: _context_pb2.Question
    metrics: _containers.RepeatedScalarFieldContainer[str]
    warnings: _containers.RepeatedCompositeFieldContainer[_context_pb2.Warning]
    restatement: str
    verified: Verified
    changes: _containers.RepeatedScalarFieldContainer[str]
    suggestions: _containers.RepeatedCompositeFieldContainer[Suggestion]
    def __init__(self, outcome: _Optional[_Union[GenerateOutcome, str]] = ..., candidates: _Optional[_Iterable[_Union[_sql_pb2.SqlStatement, _Mapping]]] = ..., intent_json: _Optional[str] = ..., understood: _Optional[_Iterable[_Union[UnderstoodSpan, _Mapping]]] = ..., not_understood: _Optional[_Iterable[str]] = ..., confidence: _Optional[float] = ..., abstained_reason: _Optional[str] = ..., question: _Optional[_Union[_context_pb2.Question, _Mapping]] = ..., metrics: _Optional[_Iterable[str]] = ..., warnings: _Optional[_Iterable[_Union[_context_pb2.Warning, _Mapping]]] = ..., restatement: _Optional[str] = ..., verified: _Optional[_Union[Verified, _Mapping]] = ..., changes: _Optional[_Iterable[str]] = ..., suggestions: _Optional[_Iterable[_Union[Suggestion, _Mapping]]] = ...) -> None: ...

class Suggestion(_message.Message):
    __slots__ = ("follow_up", "sql")
    FOLLOW_UP_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    follow_up: str
    sql: str
    def __init__(self, follow_up: _Optional[str] = ..., sql: _Optional[str] = ...) -> None: ...

class Verified(_message.Message):
    __slots__ = ("example_id", "question", "approved_by", "approved_at", "origin", "exact", "replaced")
    EXAMPLE_ID_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    APPROVED_BY_FIELD_NUMBER: _ClassVar[int]
    APPROVED_AT_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    EXACT_FIELD_NUMBER: _ClassVar[int]
    REPLACED_FIELD_NUMBER: _ClassVar[int]
    example_id: str
    question: str
    approved_by: str
    approved_at: str
    origin: str
    exact: bool
    replaced: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, example_id: _Optional[str] = ..., question: _Optional[str] = ..., approved_by: _Optional[str] = ..., approved_at: _Optional[str] = ..., origin: _Optional[str] = ..., exact: bool = ..., replaced: _Optional[_Iterable[str]] = ...) -> None: ...

class GenerateSQLRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: GenerateQuery
    def __init__(self, query: _Optional[_Union[GenerateQuery, _Mapping]] = ...) -> None: ...

class GenerateSQLResponse(_message.Message):
    __slots__ = ("step", "result", "trace")
    STEP_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    step: TeamStep
    result: GenerateResult
    trace: _run_pb2.RunTrace
    def __init__(self, step: _Optional[_Union[TeamStep, _Mapping]] = ..., result: _Optional[_Union[GenerateResult, _Mapping]] = ..., trace: _Optional[_Union[_run_pb2.RunTrace, _Mapping]] = ...) -> None: ...

class TeamStep(_message.Message):
    __slots__ = ("member", "message", "milliseconds")
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    member: str
    message: str
    milliseconds: float
    def __init__(self, member: _Optional[str] = ..., message: _Optional[str] = ..., milliseconds: _Optional[float] = ...) -> None: ...

class GenerateSQLUnaryRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: GenerateQuery
    def __init__(self, query: _Optional[_Union[GenerateQuery, _Mapping]] = ...) -> None: ...

class GenerateSQLUnaryResponse(_message.Message):
    __slots__ = ("result", "trace")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    result: GenerateResult
    trace: _run_pb2.RunTrace
    def __init__(self, result: _Optional[_Union[GenerateResult, _Mapping]] = ..., trace: _Optional[_Union[_run_pb2.RunTrace, _Mapping]] = ...) -> None: ...

class ParseQuestionRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: GenerateQuery
    def __init__(self, query: _Optional[_Union[GenerateQuery, _Mapping]] = ...) -> None: ...

class ParseQuestionResponse(_message.Message):
    __slots__ = ("intent_json", "understood", "not_understood", "confidence")
    INTENT_JSON_FIELD_NUMBER: _ClassVar[int]
    UNDERSTOOD_FIELD_NUMBER: _ClassVar[int]
    NOT_UNDERSTOOD_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    intent_json: str
    understood: _containers.RepeatedCompositeFieldContainer[UnderstoodSpan]
    not_understood: _containers.RepeatedScalarFieldContainer[str]
    confidence: float
    def __init__(self, intent_json: _Optional[str] = ..., understood: _Optional[_Iterable[_Union[UnderstoodSpan, _Mapping]]] = ..., not_understood: _Optional[_Iterable[str]] = ..., confidence: _Optional[float] = ...) -> None: ...

class PlanChangeRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: GenerateQuery
    def __init__(self, query: _Optional[_Union[GenerateQuery, _Mapping]] = ...) -> None: ...

class PlanChangeResponse(_message.Message):
    __slots__ = ("outcome", "plan", "question", "abstained_reason", "not_understood", "intent_json")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    ABSTAINED_REASON_FIELD_NUMBER: _ClassVar[int]
    NOT_UNDERSTOOD_FIELD_NUMBER: _ClassVar[int]
    INTENT_JSON_FIELD_NUMBER: _ClassVar[int]
    outcome: GenerateOutcome
    plan: _change_pb2.ChangePlan
    question: _context_pb2.Question
    abstained_reason: str
    not_understood: _containers.RepeatedScalarFieldContainer[str]
    intent_json: str
    def __init__(self, outcome: _Optional[_Union[GenerateOutcome, str]] = ..., plan: _Optional[_Union[_change_pb2.ChangePlan, _Mapping]] = ..., question: _Optional[_Union[_context_pb2.Question, _Mapping]] = ..., abstained_reason: _Optional[str] = ..., not_understood: _Optional[_Iterable[str]] = ..., intent_json: _Optional[str] = ...) -> None: ...

class PlanStudyRequest(_message.Message):
    __slots__ = ("query", "kind")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    query: GenerateQuery
    kind: _study_pb2.StudyKind
    def __init__(self, query: _Optional[_Union[GenerateQuery, _Mapping]] = ..., kind: _Optional[_Union[_study_pb2.StudyKind, str]] = ...) -> None: ...

class PlanStudyResponse(_message.Message):
    __slots__ = ("outcome", "sql", "table", "labels", "assumptions", "abstained_reason")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    ASSUMPTIONS_FIELD_NUMBER: _ClassVar[int]
    ABSTAINED_REASON_FIELD_NUMBER: _ClassVar[int]
    outcome: GenerateOutcome
    sql: str
    table: str
    labels: _containers.RepeatedCompositeFieldContainer[_sql_pb2.ColumnLabel]
    assumptions: _containers.RepeatedScalarFieldContainer[str]
    abstained_reason: str
    def __init__(self, outcome: _Optional[_Union[GenerateOutcome, str]] = ..., sql: _Optional[str] = ..., table: _Optional[str] = ..., labels: _Optional[_Iterable[_Union[_sql_pb2.ColumnLabel, _Mapping]]] = ..., assumptions: _Optional[_Iterable[str]] = ..., abstained_reason: _Optional[str] = ...) -> None: ...

class ListMetricsRequest(_message.Message):
    __slots__ = ("source",)
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: str
    def __init__(self, source: _Optional[str] = ...) -> None: ...

class ListMetricsResponse(_message.Message):
    __slots__ = ("metrics",)
    METRICS_FIELD_NUMBER: _ClassVar[int]
    metrics: _containers.RepeatedCompositeFieldContainer[Metric]
    def __init__(self, metrics: _Optional[_Iterable[_Union[Metric, _Mapping]]] = ...) -> None: ...

class Metric(_message.Message):
    __slots__ = ("id", "name_en", "name_zh", "description", "unit", "mart", "synonyms")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_EN_FIELD_NUMBER: _ClassVar[int]
    NAME_ZH_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    MART_FIELD_NUMBER: _ClassVar[int]
    SYNONYMS_FIELD_NUMBER: _ClassVar[int]
    id: str
    name_en: str
    name_zh: str
    description: str
    unit: str
    mart: str
    synonyms: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, id: _Optional[str] = ..., name_en: _Optional[str] = ..., name_zh: _Optional[str] = ..., description: _Optional[str] = ..., unit: _Optional[str] = ..., mart: _Optional[str] = ..., synonyms: _Optional[_Iterable[str]] = ...) -> None: ...

class Example(_message.Message):
    __slots__ = ("example_id", "source", "mart", "question", "sql", "status", "origin", "added_by", "added_at", "approved_by", "approved_at", "tables", "run_id")
    EXAMPLE_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    MART_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    ADDED_BY_FIELD_NUMBER: _ClassVar[int]
    ADDED_AT_FIELD_NUMBER: _ClassVar[int]
    APPROVED_BY_FIELD_NUMBER: _ClassVar[int]
    APPROVED_AT_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    example_id: str
    source: str
    mart: str
    question: str
    sql: str
    status: str
    origin: str
    added_by: str
    added_at: str
    approved_by: str
    approved_at: str
    tables: _containers.RepeatedScalarFieldContainer[str]
    run_id: str
    def __init__(self, example_id: _Optional[str] = ..., source: _Optional[str] = ..., mart: _Optional[str] = ..., question: _Optional[str] = ..., sql: _Optional[str] = ..., status: _Optional[str] = ..., origin: _Optional[str] = ..., added_by: _Optional[str] = ..., added_at: _Optional[str] = ..., approved_by: _Optional[str] = ..., approved_at: _Optional[str] = ..., tables: _Optional[_Iterable[str]] = ..., run_id: _Optional[str] = ...) -> None: ...

class AddExampleRequest(_message.Message):
    __slots__ = ("source", "mart", "question", "sql", "run_id", "propose_only")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    MART_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    PROPOSE_ONLY_FIELD_NUMBER: _ClassVar[int]
    source: str
    mart: str
    question: str
    sql: str
    run_id: str
    propose_only: bool
    def __init__(self, source: _Optional[str] = ..., mart: _Optional[str] = ..., question: _Optional[str] = ..., sql: _Optional[str] = ..., run_id: _Optional[str] = ..., propose_only: bool = ...) -> None: ...

class AddExampleResponse(_message.Message):
    __slots__ = ("example",)
    EXAMPLE_FIELD_NUMBER: _ClassVar[int]
    example: Example
    def __init__(self, example: _Optional[_Union[Example, _Mapping]] = ...) -> None: ...

class ListExamplesRequest(_message.Message):
    __slots__ = ("source", "status", "page_size", "page_token")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    source: str
    status: str
    page_size: int
    page_token: str
    def __init__(self, source: _Optional[str] = ..., status: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListExamplesResponse(_message.Message):
    __slots__ = ("examples", "next_page_token")
    EXAMPLES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    examples: _containers.RepeatedCompositeFieldContainer[Example]
    next_page_token: str
    def __init__(self, examples: _Optional[_Iterable[_Union[Example, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ApproveExampleRequest(_message.Message):
    __slots__ = ("example_id",)
    EXAMPLE_ID_FIELD_NUMBER: _ClassVar[int]
    example_id: str
    def __init__(self, example_id: _Optional[str] = ...) -> None: ...

class ApproveExampleResponse(_message.Message):
    __slots__ = ("example",)
    EXAMPLE_FIELD_NUMBER: _ClassVar[int]
    example: Example
    def __init__(self, example: _Optional[_Union[Example, _Mapping]] = ...) -> None: ...

class RemoveExampleRequest(_message.Message):
    __slots__ = ("example_id",)
    EXAMPLE_ID_FIELD_NUMBER: _ClassVar[int]
    example_id: str
    def __init__(self, example_id: _Optional[str] = ...) -> None: ...

class RemoveExampleResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CheckExamplesRequest(_message.Message):
    __slots__ = ("source",)
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: str
    def __init__(self, source: _Optional[str] = ...) -> None: ...

class CheckExamplesResponse(_message.Message):
    __slots__ = ("checked", "stale")
    CHECKED_FIELD_NUMBER: _ClassVar[int]
    STALE_FIELD_NUMBER: _ClassVar[int]
    checked: int
    stale: _containers.RepeatedCompositeFieldContainer[StaleExample]
    def __init__(self, checked: _Optional[int] = ..., stale: _Optional[_Iterable[_Union[StaleExample, _Mapping]]] = ...) -> None: ...

class StaleExample(_message.Message):
    __slots__ = ("example", "reason")
    EXAMPLE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    example: Example
    reason: str
    def __init__(self, example: _Optional[_Union[Example, _Mapping]] = ..., reason: _Optional[str] = ...) -> None: ...

class DescribeTermsRequest(_message.Message):
    __slots__ = ("source", "tables")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    source: str
    tables: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, source: _Optional[str] = ..., tables: _Optional[_Iterable[str]] = ...) -> None: ...

class DescribeTermsResponse(_message.Message):
    __slots__ = ("terms",)
    TERMS_FIELD_NUMBER: _ClassVar[int]
    terms: _containers.RepeatedCompositeFieldContainer[LayerTerm]
    def __init__(self, terms: _Optional[_Iterable[_Union[LayerTerm, _Mapping]]] = ...) -> None: ...

class LayerTerm(_message.Message):
    __slots__ = ("id", "name_en", "name_zh", "synonyms", "table", "expr", "metric", "default_filters")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_EN_FIELD_NUMBER: _ClassVar[int]
    NAME_ZH_FIELD_NUMBER: _ClassVar[int]
    SYNONYMS_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    EXPR_FIELD_NUMBER: _ClassVar[int]
    METRIC_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_FILTERS_FIELD_NUMBER: _ClassVar[int]
    id: str
    name_en: str
    name_zh: str
    synonyms: _containers.RepeatedScalarFieldContainer[str]
    table: str
    expr: str
    metric: bool
    default_filters: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, id: _Optional[str] = ..., name_en: _Optional[str] = ..., name_zh: _Optional[str] = ..., synonyms: _Optional[_Iterable[str]] = ..., table: _Optional[str] = ..., expr: _Optional[str] = ..., metric: bool = ..., default_filters: _Optional[_Iterable[str]] = ...) -> None: ...

class GetSemanticLayerStatusRequest(_message.Message):
    __slots__ = ("source",)
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: str
    def __init__(self, source: _Optional[str] = ...) -> None: ...

class LayerProblem(_message.Message):
    __slots__ = ("file", "line", "message", "warning")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    WARNING_FIELD_NUMBER: _ClassVar[int]
    file: str
    line: int
    message: str
    warning: bool
    def __init__(self, file: _Optional[str] = ..., line: _Optional[int] = ..., message: _Optional[str] = ..., warning: bool = ...) -> None: ...

class GetSemanticLayerStatusResponse(_message.Message):
    __slots__ = ("source", "loaded", "stale", "read_at", "metrics", "dimensions", "problems")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    LOADED_FIELD_NUMBER: _ClassVar[int]
    STALE_FIELD_NUMBER: _ClassVar[int]
    READ_AT_FIELD_NUMBER: _ClassVar[int]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    PROBLEMS_FIELD_NUMBER: _ClassVar[int]
    source: str
    loaded: bool
    stale: bool
    read_at: _timestamp_pb2.Timestamp
    metrics: int
    dimensions: int
    problems: _containers.RepeatedCompositeFieldContainer[LayerProblem]
    def __init__(self, source: _Optional[str] = ..., loaded: bool = ..., stale: bool = ..., read_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., metrics: _Optional[int] = ..., dimensions: _Optional[int] = ..., problems: _Optional[_Iterable[_Union[LayerProblem, _Mapping]]] = ...) -> None: ...
