import datetime

from buf.validate import validate_pb2 as _validate_pb2
from dibrain.common.v1 import change_pb2 as _change_pb2
from dibrain.common.v1 import context_pb2 as _context_pb2
from dibrain.common.v1 import result_pb2 as _result_pb2
from dibrain.common.v1 import run_pb2 as _run_pb2
from dibrain.common.v1 import sql_pb2 as _sql_pb2
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

class ExecuteOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXECUTE_OUTCOME_UNSPECIFIED: _ClassVar[ExecuteOutcome]
    EXECUTE_OUTCOME_DONE: _ClassVar[ExecuteOutcome]
    EXECUTE_OUTCOME_ASK: _ClassVar[ExecuteOutcome]
    EXECUTE_OUTCOME_REFUSED: _ClassVar[ExecuteOutcome]
    EXECUTE_OUTCOME_FAILED: _ClassVar[ExecuteOutcome]

class ChangeOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHANGE_OUTCOME_UNSPECIFIED: _ClassVar[ChangeOutcome]
    CHANGE_OUTCOME_ONE_CAUSE: _ClassVar[ChangeOutcome]
    CHANGE_OUTCOME_SEVERAL_CAUSES: _ClassVar[ChangeOutcome]
    CHANGE_OUTCOME_EVENLY_SPREAD: _ClassVar[ChangeOutcome]
    CHANGE_OUTCOME_OFFSETTING: _ClassVar[ChangeOutcome]
    CHANGE_OUTCOME_NOT_DECOMPOSABLE: _ClassVar[ChangeOutcome]
    CHANGE_OUTCOME_NOTHING_UNUSUAL: _ClassVar[ChangeOutcome]
    CHANGE_OUTCOME_NO_CHANGE: _ClassVar[ChangeOutcome]
    CHANGE_OUTCOME_DATA_MISSING: _ClassVar[ChangeOutcome]
EXECUTE_OUTCOME_UNSPECIFIED: ExecuteOutcome
EXECUTE_OUTCOME_DONE: ExecuteOutcome
EXECUTE_OUTCOME_ASK: ExecuteOutcome
EXECUTE_OUTCOME_REFUSED: ExecuteOutcome
EXECUTE_OUTCOME_FAILED: ExecuteOutcome
CHANGE_OUTCOME_UNSPECIFIED: ChangeOutcome
CHANGE_OUTCOME_ONE_CAUSE: ChangeOutcome
CHANGE_OUTCOME_SEVERAL_CAUSES: ChangeOutcome
CHANGE_OUTCOME_EVENLY_SPREAD: ChangeOutcome
CHANGE_OUTCOME_OFFSETTING: ChangeOutcome
CHANGE_OUTCOME_NOT_DECOMPOSABLE: ChangeOutcome
CHANGE_OUTCOME_NOTHING_UNUSUAL: ChangeOutcome
CHANGE_OUTCOME_NO_CHANGE: ChangeOutcome
CHANGE_OUTCOME_DATA_MISSING: ChangeOutcome

class AdviseChartRequest(_message.Message):
    __slots__ = ("page", "chart_kind", "user_context")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    CHART_KIND_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    page: _result_pb2.ResultPage
    chart_kind: _result_pb2.ChartKind
    user_context: _context_pb2.UserContext
    def __init__(self, page: _Optional[_Union[_result_pb2.ResultPage, _Mapping]] = ..., chart_kind: _Optional[_Union[_result_pb2.ChartKind, str]] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ...) -> None: ...

class AdviseChartResponse(_message.Message):
    __slots__ = ("chart",)
    CHART_FIELD_NUMBER: _ClassVar[int]
    chart: _result_pb2.Chart
    def __init__(self, chart: _Optional[_Union[_result_pb2.Chart, _Mapping]] = ...) -> None: ...

class ExecuteQuery(_message.Message):
    __slots__ = ("source", "sql", "user_question", "tables", "metrics", "assumptions", "confidence", "user_context", "page_size", "chart_kind", "cost_confirmed", "labels", "fresh")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    USER_QUESTION_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    ASSUMPTIONS_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    CHART_KIND_FIELD_NUMBER: _ClassVar[int]
    COST_CONFIRMED_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    FRESH_FIELD_NUMBER: _ClassVar[int]
    source: str
    sql: str
    user_question: str
    tables: _containers.RepeatedCompositeFieldContainer[_table_pb2.TableDetail]
    metrics: _containers.RepeatedScalarFieldContainer[str]
    assumptions: _containers.RepeatedScalarFieldContainer[str]
    confidence: float
    user_context: _context_pb2.UserContext
    page_size: int
    chart_kind: _result_pb2.ChartKind
    cost_confirmed: bool
    labels: _containers.RepeatedCompositeFieldContainer[_sql_pb2.ColumnLabel]
    fresh: bool
    def __init__(self, source: _Optional[str] = ..., sql: _Optional[str] = ..., user_question: _Optional[str] = ..., tables: _Optional[_Iterable[_Union[_table_pb2.TableDetail, _Mapping]]] = ..., metrics: _Optional[_Iterable[str]] = ..., assumptions: _Optional[_Iterable[str]] = ..., confidence: _Optional[float] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ..., page_size: _Optional[int] = ..., chart_kind: _Optional[_Union[_result_pb2.ChartKind, str]] = ..., cost_confirmed: bool = ..., labels: _Optional[_Iterable[_Union[_sql_pb2.ColumnLabel, _Mapping]]] = ..., fresh: bool = ...) -> None: ...

class ExecuteResult(_message.Message):
    __slots__ = ("outcome", "answer", "page", "findings", "chart", "certificate", "executed_sql", "guard_changes", "warnings", "question", "error", "follow_up_questions", "engine_milliseconds", "read_at")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    CHART_FIELD_NUMBER: _ClassVar[int]
    CERTIFICATE_FIELD_NUMBER: _ClassVar[int]
    EXECUTED_SQL_FIELD_NUMBER: _ClassVar[int]
    GUARD_CHANGES_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_UP_QUESTIONS_FIELD_NUMBER: _ClassVar[int]
    ENGINE_MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    READ_AT_FIELD_NUMBER: _ClassVar[int]
    outcome: ExecuteOutcome
    answer: str
    page: _result_pb2.ResultPage
    findings: _containers.RepeatedCompositeFieldContainer[_result_pb2.Finding]
    chart: _result_pb2.Chart
    certificate: _result_pb2.Certificate
    executed_sql: str
    guard_changes: _containers.RepeatedCompositeFieldContainer[_sql_pb2.GuardChange]
    warnings: _containers.RepeatedCompositeFieldContainer[_context_pb2.Warning]
    question: _context_pb2.Question
    error: _sql_pb2.SqlDiagnostic
    follow_up_questions: _containers.RepeatedScalarFieldContainer[str]
    engine_milliseconds: float
    read_at: _timestamp_pb2.Timestamp
    def __init__(self, outcome: _Optional[_Union[ExecuteOutcome, str]] = ..., answer: _Optional[str] = ..., page: _Optional[_Union[_result_pb2.ResultPage, _Mapping]] = ..., findings: _Optional[_Iterable[_Union[_result_pb2.Finding, _Mapping]]] = ..., chart: _Optional[_Union[_result_pb2.Chart, _Mapping]] = ..., certificate: _Optional[_Union[_result_pb2.Certificate, _Mapping]] = ..., executed_sql: _Optional[str] = ..., guard_changes: _Optional[_Iterable[_Union[_sql_pb2.GuardChange, _Mapping]]] = ..., warnings: _Optional[_Iterable[_Union[_context_pb2.Warning, _Mapping]]] = ..., question: _Optional[_Union[_context_pb2.Question, _Mapping]] = ..., error: _Optional[_Union[_sql_pb2.SqlDiagnostic, _Mapping]] = ..., follow_up_questions: _Optional[_Iterable[str]] = ..., engine_milliseconds: _Optional[float] = ..., read_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ExecuteAndAnalyzeRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: ExecuteQuery
    def __init__(self, query: _Optional[_Union[ExecuteQuery, _Mapping]] = ...) -> None: ...

class ExecuteAndAnalyzeResponse(_message.Message):
    __slots__ = ("progress", "result", "trace")
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    progress: ExecuteProgress
    result: ExecuteResult
    trace: _run_pb2.RunTrace
    def __init__(self, progress: _Optional[_Union[ExecuteProgress, _Mapping]] = ..., result: _Optional[_Union[ExecuteResult, _Mapping]] = ..., trace: _Optional[_Union[_run_pb2.RunTrace, _Mapping]] = ...) -> None: ...

class ExecuteProgress(_message.Message):
    __slots__ = ("phase", "fraction", "rows", "first_page")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    FRACTION_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    FIRST_PAGE_FIELD_NUMBER: _ClassVar[int]
    phase: str
    fraction: float
    rows: int
    first_page: _result_pb2.ResultPage
    def __init__(self, phase: _Optional[str] = ..., fraction: _Optional[float] = ..., rows: _Optional[int] = ..., first_page: _Optional[_Union[_result_pb2.ResultPage, _Mapping]] = ...) -> None: ...

class ExecuteAndAnalyzeUnaryRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: ExecuteQuery
    def __init__(self, query: _Optional[_Union[ExecuteQuery, _Mapping]] = ...) -> None: ...

class ExecuteAndAnalyzeUnaryResponse(_message.Message):
    __slots__ = ("result", "trace")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    result: ExecuteResult
    trace: _run_pb2.RunTrace
    def __init__(self, result: _Optional[_Union[ExecuteResult, _Mapping]] = ..., trace: _Optional[_Union[_run_pb2.RunTrace, _Mapping]] = ...) -> None: ...

class ExplainQuery(_message.Message):
    __slots__ = ("source", "plan", "user_question", "user_context", "cost_confirmed")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    USER_QUESTION_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    COST_CONFIRMED_FIELD_NUMBER: _ClassVar[int]
    source: str
    plan: _change_pb2.ChangePlan
    user_question: str
    user_context: _context_pb2.UserContext
    cost_confirmed: bool
    def __init__(self, source: _Optional[str] = ..., plan: _Optional[_Union[_change_pb2.ChangePlan, _Mapping]] = ..., user_question: _Optional[str] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ..., cost_confirmed: bool = ...) -> None: ...

class ChangePair(_message.Message):
    __slots__ = ("before", "after")
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    before: float
    after: float
    def __init__(self, before: _Optional[float] = ..., after: _Optional[float] = ...) -> None: ...

class ChangePart(_message.Message):
    __slots__ = ("id", "name", "figures", "accounts", "share")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FIGURES_FIELD_NUMBER: _ClassVar[int]
    ACCOUNTS_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    figures: ChangePair
    accounts: float
    share: float
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., figures: _Optional[_Union[ChangePair, _Mapping]] = ..., accounts: _Optional[float] = ..., share: _Optional[float] = ...) -> None: ...

class ChangePlace(_message.Message):
    __slots__ = ("dimension", "value")
    DIMENSION_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    dimension: str
    value: str
    def __init__(self, dimension: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class ChangeElement(_message.Message):
    __slots__ = ("places", "figures", "expected", "accounts", "share", "cause", "name")
    PLACES_FIELD_NUMBER: _ClassVar[int]
    FIGURES_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    ACCOUNTS_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    places: _containers.RepeatedCompositeFieldContainer[ChangePlace]
    figures: ChangePair
    expected: float
    accounts: float
    share: float
    cause: bool
    name: str
    def __init__(self, places: _Optional[_Iterable[_Union[ChangePlace, _Mapping]]] = ..., figures: _Optional[_Union[ChangePair, _Mapping]] = ..., expected: _Optional[float] = ..., accounts: _Optional[float] = ..., share: _Optional[float] = ..., cause: bool = ..., name: _Optional[str] = ...) -> None: ...

class ChangeOnset(_message.Message):
    __slots__ = ("date", "level", "ended")
    DATE_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    date: str
    level: ChangePair
    ended: str
    def __init__(self, date: _Optional[str] = ..., level: _Optional[_Union[ChangePair, _Mapping]] = ..., ended: _Optional[str] = ...) -> None: ...

class ChangeRun(_message.Message):
    __slots__ = ("role", "executed_sql", "guard_changes", "rows", "engine_milliseconds")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    EXECUTED_SQL_FIELD_NUMBER: _ClassVar[int]
    GUARD_CHANGES_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    ENGINE_MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    role: _change_pb2.ChangeRole
    executed_sql: str
    guard_changes: _containers.RepeatedCompositeFieldContainer[_sql_pb2.GuardChange]
    rows: int
    engine_milliseconds: float
    def __init__(self, role: _Optional[_Union[_change_pb2.ChangeRole, str]] = ..., executed_sql: _Optional[str] = ..., guard_changes: _Optional[_Iterable[_Union[_sql_pb2.GuardChange, _Mapping]]] = ..., rows: _Optional[int] = ..., engine_milliseconds: _Optional[float] = ...) -> None: ...

class ExplainResult(_message.Message):
    __slots__ = ("outcome", "change", "answer", "headline", "data_problems", "figures", "factors", "elements", "onset", "events", "notes", "page", "runs", "certificate", "warnings", "question", "error", "measured")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    HEADLINE_FIELD_NUMBER: _ClassVar[int]
    DATA_PROBLEMS_FIELD_NUMBER: _ClassVar[int]
    FIGURES_FIELD_NUMBER: _ClassVar[int]
    FACTORS_FIELD_NUMBER: _ClassVar[int]
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    ONSET_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    RUNS_FIELD_NUMBER: _ClassVar[int]
    CERTIFICATE_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    MEASURED_FIELD_NUMBER: _ClassVar[int]
    outcome: ExecuteOutcome
    change: ChangeOutcome
    answer: str
    headline: str
    data_problems: _containers.RepeatedScalarFieldContainer[str]
    figures: ChangePair
    factors: _containers.RepeatedCompositeFieldContainer[ChangePart]
    elements: _containers.RepeatedCompositeFieldContainer[ChangeElement]
    onset: ChangeOnset
    events: _containers.RepeatedScalarFieldContainer[str]
    notes: _containers.RepeatedScalarFieldContainer[str]
    page: _result_pb2.ResultPage
    runs: _containers.RepeatedCompositeFieldContainer[ChangeRun]
    certificate: _result_pb2.Certificate
    warnings: _containers.RepeatedCompositeFieldContainer[_context_pb2.Warning]
    question: _context_pb2.Question
    error: _sql_pb2.SqlDiagnostic
    measured: str
    def __init__(self, outcome: _Optional[_Union[ExecuteOutcome, str]] = ..., change: _Optional[_Union[ChangeOutcome, str]] = ..., answer: _Optional[str] = ..., headline: _Optional[str] = ..., data_problems: _Optional[_Iterable[str]] = ..., figures: _Optional[_Union[ChangePair, _Mapping]] = ..., factors: _Optional[_Iterable[_Union[ChangePart, _Mapping]]] = ..., elements: _Optional[_Iterable[_Union[ChangeElement, _Mapping]]] = ..., onset: _Optional[_Union[ChangeOnset, _Mapping]] = ..., events: _Optional[_Iterable[str]] = ..., notes: _Optional[_Iterable[str]] = ..., page: _Optional[_Union[_result_pb2.ResultPage, _Mapping]] = ..., runs: _Optional[_Iterable[_Union[ChangeRun, _Mapping]]] = ..., certificate: _Optional[_Union[_result_pb2.Certificate, _Mapping]] = ..., warnings: _Optional[_Iterable[_Union[_context_pb2.Warning, _Mapping]]] = ..., question: _Optional[_Union[_context_pb2.Question, _Mapping]] = ..., error: _Optional[_Union[_sql_pb2.SqlDiagnostic, _Mapping]] = ..., measured: _Optional[str] = ...) -> None: ...

class ExplainChangeRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: ExplainQuery
    def __init__(self, query: _Optional[_Union[ExplainQuery, _Mapping]] = ...) -> None: ...

class ExplainChangeResponse(_message.Message):
    __slots__ = ("progress", "result", "trace")
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    progress: ExecuteProgress
    result: ExplainResult
    trace: _run_pb2.RunTrace
    def __init__(self, progress: _Optional[_Union[ExecuteProgress, _Mapping]] = ..., result: _Optional[_Union[ExplainResult, _Mapping]] = ..., trace: _Optional[_Union[_run_pb2.RunTrace, _Mapping]] = ...) -> None: ...

class ExplainChangeUnaryRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: ExplainQuery
    def __init__(self, query: _Optional[_Union[ExplainQuery, _Mapping]] = ...) -> None: ...

class ExplainChangeUnaryResponse(_message.Message):
    __slots__ = ("result", "trace")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    result: ExplainResult
    trace: _run_pb2.RunTrace
    def __init__(self, result: _Optional[_Union[ExplainResult, _Mapping]] = ..., trace: _Optional[_Union[_run_pb2.RunTrace, _Mapping]] = ...) -> None: ...

class GetResultPageRequest(_message.Message):
    __slots__ = ("result_id", "page_token", "page_size")
    RESULT_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    result_id: str
    page_token: str
    page_size: int
    def __init__(self, result_id: _Optional[str] = ..., page_token: _Optional[str] = ..., page_size: _Optional[int] = ...) -> None: ...

class GetResultPageResponse(_message.Message):
    __slots__ = ("page",)
    PAGE_FIELD_NUMBER: _ClassVar[int]
    page: _result_pb2.ResultPage
    def __init__(self, page: _Optional[_Union[_result_pb2.ResultPage, _Mapping]] = ...) -> None: ...

class DeleteResultRequest(_message.Message):
    __slots__ = ("result_id",)
    RESULT_ID_FIELD_NUMBER: _ClassVar[int]
    result_id: str
    def __init__(self, result_id: _Optional[str] = ...) -> None: ...

class DeleteResultResponse(_message.Message):
    __slots__ = ("rows", "bytes")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    rows: int
    bytes: int
    def __init__(self, rows: _Optional[int] = ..., bytes: _Optional[int] = ...) -> None: ...

class EstimateCostRequest(_message.Message):
    __slots__ = ("source", "sql", "freshness")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    FRESHNESS_FIELD_NUMBER: _ClassVar[int]
    source: str
    sql: str
    freshness: bool
    def __init__(self, source: _Optional[str] = ..., sql: _Optional[str] = ..., freshness: bool = ...) -> None: ...

class EstimateCostResponse(_message.Message):
    __slots__ = ("rows", "bytes", "method", "plan", "partitions", "tables")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    PARTITIONS_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    rows: int
    bytes: int
    method: str
    plan: str
    partitions: int
    tables: _containers.RepeatedCompositeFieldContainer[_result_pb2.TableFreshness]
    def __init__(self, rows: _Optional[int] = ..., bytes: _Optional[int] = ..., method: _Optional[str] = ..., plan: _Optional[str] = ..., partitions: _Optional[int] = ..., tables: _Optional[_Iterable[_Union[_result_pb2.TableFreshness, _Mapping]]] = ...) -> None: ...
