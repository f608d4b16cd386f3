from buf.validate import validate_pb2 as _validate_pb2
from dibrain.common.v1 import context_pb2 as _context_pb2
from dibrain.common.v1 import result_pb2 as _result_pb2
from dibrain.common.v1 import run_pb2 as _run_pb2
from dibrain.common.v1 import sql_pb2 as _sql_pb2
from dibrain.common.v1 import table_pb2 as _table_pb2
from google.api import annotations_pb2 as _annotations_pb2
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
EXECUTE_OUTCOME_UNSPECIFIED: ExecuteOutcome
EXECUTE_OUTCOME_DONE: ExecuteOutcome
EXECUTE_OUTCOME_ASK: ExecuteOutcome
EXECUTE_OUTCOME_REFUSED: ExecuteOutcome
EXECUTE_OUTCOME_FAILED: ExecuteOutcome

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
    __slots__ = ("source", "sql", "user_question", "tables", "metrics", "assumptions", "confidence", "user_context", "page_size", "chart_kind", "cost_confirmed", "labels")
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
    def __init__(self, source: _Optional[str] = ..., sql: _Optional[str] = ..., user_question: _Optional[str] = ..., tables: _Optional[_Iterable[_Union[_table_pb2.TableDetail, _Mapping]]] = ..., metrics: _Optional[_Iterable[str]] = ..., assumptions: _Optional[_Iterable[str]] = ..., confidence: _Optional[float] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ..., page_size: _Optional[int] = ..., chart_kind: _Optional[_Union[_result_pb2.ChartKind, str]] = ..., cost_confirmed: bool = ..., labels: _Optional[_Iterable[_Union[_sql_pb2.ColumnLabel, _Mapping]]] = ...) -> None: ...

class ExecuteResult(_message.Message):
    __slots__ = ("outcome", "answer", "page", "findings", "chart", "certificate", "executed_sql", "guard_changes", "warnings", "question", "error", "follow_up_questions", "engine_milliseconds")
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
    def __init__(self, outcome: _Optional[_Union[ExecuteOutcome, str]] = ..., answer: _Optional[str] = ..., page: _Optional[_Union[_result_pb2.ResultPage, _Mapping]] = ..., findings: _Optional[_Iterable[_Union[_result_pb2.Finding, _Mapping]]] = ..., chart: _Optional[_Union[_result_pb2.Chart, _Mapping]] = ..., certificate: _Optional[_Union[_result_pb2.Certificate, _Mapping]] = ..., executed_sql: _Optional[str] = ..., guard_changes: _Optional[_Iterable[_Union[_sql_pb2.GuardChange, _Mapping]]] = ..., warnings: _Optional[_Iterable[_Union[_context_pb2.Warning, _Mapping]]] = ..., question: _Optional[_Union[_context_pb2.Question, _Mapping]] = ..., error: _Optional[_Union[_sql_pb2.SqlDiagnostic, _Mapping]] = ..., follow_up_questions: _Optional[_Iterable[str]] = ..., engine_milliseconds: _Optional[float] = ...) -> None: ...

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
    __slots__ = ("phase", "fraction", "rows")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    FRACTION_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    phase: str
    fraction: float
    rows: int
    def __init__(self, phase: _Optional[str] = ..., fraction: _Optional[float] = ..., rows: _Optional[int] = ...) -> None: ...

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

class EstimateCostRequest(_message.Message):
    __slots__ = ("source", "sql")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    source: str
    sql: str
    def __init__(self, source: _Optional[str] = ..., sql: _Optional[str] = ...) -> None: ...

class EstimateCostResponse(_message.Message):
    __slots__ = ("rows", "bytes", "method", "plan")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    rows: int
    bytes: int
    method: str
    plan: str
    def __init__(self, rows: _Optional[int] = ..., bytes: _Optional[int] = ..., method: _Optional[str] = ..., plan: _Optional[str] = ...) -> None: ...
