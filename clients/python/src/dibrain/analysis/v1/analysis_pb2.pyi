import datetime

from buf.validate import validate_pb2 as _validate_pb2
from dibrain.analysis.v1 import watch_pb2 as _watch_pb2
from dibrain.common.v1 import context_pb2 as _context_pb2
from dibrain.common.v1 import result_pb2 as _result_pb2
from dibrain.common.v1 import run_pb2 as _run_pb2
from dibrain.common.v1 import study_pb2 as _study_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StepKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STEP_KIND_UNSPECIFIED: _ClassVar[StepKind]
    STEP_KIND_SQL: _ClassVar[StepKind]
    STEP_KIND_EXPLAIN_CHANGE: _ClassVar[StepKind]
    STEP_KIND_PYTHON: _ClassVar[StepKind]
    STEP_KIND_REPORT: _ClassVar[StepKind]
    STEP_KIND_STUDY: _ClassVar[StepKind]
    STEP_KIND_FORECAST: _ClassVar[StepKind]
    STEP_KIND_ANOMALIES: _ClassVar[StepKind]
    STEP_KIND_SEGMENTS: _ClassVar[StepKind]
    STEP_KIND_RELATION: _ClassVar[StepKind]

class OutputShape(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTPUT_SHAPE_UNSPECIFIED: _ClassVar[OutputShape]
    OUTPUT_SHAPE_FIGURES: _ClassVar[OutputShape]
    OUTPUT_SHAPE_CATEGORIES: _ClassVar[OutputShape]
    OUTPUT_SHAPE_SERIES: _ClassVar[OutputShape]
    OUTPUT_SHAPE_CHANGE: _ClassVar[OutputShape]
    OUTPUT_SHAPE_DOCUMENT: _ClassVar[OutputShape]

class StepStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STEP_STATUS_UNSPECIFIED: _ClassVar[StepStatus]
    STEP_STATUS_PENDING: _ClassVar[StepStatus]
    STEP_STATUS_RUNNING: _ClassVar[StepStatus]
    STEP_STATUS_DONE: _ClassVar[StepStatus]
    STEP_STATUS_UNANSWERED: _ClassVar[StepStatus]

class Review(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REVIEW_UNSPECIFIED: _ClassVar[Review]
    REVIEW_WAIT: _ClassVar[Review]
    REVIEW_NONE: _ClassVar[Review]

class Decision(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DECISION_UNSPECIFIED: _ClassVar[Decision]
    DECISION_APPROVE: _ClassVar[Decision]
    DECISION_REJECT: _ClassVar[Decision]
    DECISION_EDIT: _ClassVar[Decision]
    DECISION_CONTINUE: _ClassVar[Decision]

class ReportFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REPORT_FORMAT_UNSPECIFIED: _ClassVar[ReportFormat]
    REPORT_FORMAT_MARKDOWN: _ClassVar[ReportFormat]
    REPORT_FORMAT_HTML: _ClassVar[ReportFormat]
    REPORT_FORMAT_PDF: _ClassVar[ReportFormat]
STEP_KIND_UNSPECIFIED: StepKind
STEP_KIND_SQL: StepKind
STEP_KIND_EXPLAIN_CHANGE: StepKind
STEP_KIND_PYTHON: StepKind
STEP_KIND_REPORT: StepKind
STEP_KIND_STUDY: StepKind
STEP_KIND_FORECAST: StepKind
STEP_KIND_ANOMALIES: StepKind
STEP_KIND_SEGMENTS: StepKind
STEP_KIND_RELATION: StepKind
OUTPUT_SHAPE_UNSPECIFIED: OutputShape
OUTPUT_SHAPE_FIGURES: OutputShape
OUTPUT_SHAPE_CATEGORIES: OutputShape
OUTPUT_SHAPE_SERIES: OutputShape
OUTPUT_SHAPE_CHANGE: OutputShape
OUTPUT_SHAPE_DOCUMENT: OutputShape
STEP_STATUS_UNSPECIFIED: StepStatus
STEP_STATUS_PENDING: StepStatus
STEP_STATUS_RUNNING: StepStatus
STEP_STATUS_DONE: StepStatus
STEP_STATUS_UNANSWERED: StepStatus
REVIEW_UNSPECIFIED: Review
REVIEW_WAIT: Review
REVIEW_NONE: Review
DECISION_UNSPECIFIED: Decision
DECISION_APPROVE: Decision
DECISION_REJECT: Decision
DECISION_EDIT: Decision
DECISION_CONTINUE: Decision
REPORT_FORMAT_UNSPECIFIED: ReportFormat
REPORT_FORMAT_MARKDOWN: ReportFormat
REPORT_FORMAT_HTML: ReportFormat
REPORT_FORMAT_PDF: ReportFormat

class PlanStep(_message.Message):
    __slots__ = ("id", "kind", "title", "instruction", "inputs", "expects", "study", "days")
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTION_FIELD_NUMBER: _ClassVar[int]
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    EXPECTS_FIELD_NUMBER: _ClassVar[int]
    STUDY_FIELD_NUMBER: _ClassVar[int]
    DAYS_FIELD_NUMBER: _ClassVar[int]
    id: str
    kind: StepKind
    title: str
    instruction: str
    inputs: _containers.RepeatedScalarFieldContainer[str]
    expects: OutputShape
    study: _study_pb2.StudyKind
    days: int
    def __init__(self, id: _Optional[str] = ..., kind: _Optional[_Union[StepKind, str]] = ..., title: _Optional[str] = ..., instruction: _Optional[str] = ..., inputs: _Optional[_Iterable[str]] = ..., expects: _Optional[_Union[OutputShape, str]] = ..., study: _Optional[_Union[_study_pb2.StudyKind, str]] = ..., days: _Optional[int] = ...) -> None: ...

class StepCost(_message.Message):
    __slots__ = ("step_id", "rows", "bytes", "unknown_reason")
    STEP_ID_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_REASON_FIELD_NUMBER: _ClassVar[int]
    step_id: str
    rows: int
    bytes: int
    unknown_reason: str
    def __init__(self, step_id: _Optional[str] = ..., rows: _Optional[int] = ..., bytes: _Optional[int] = ..., unknown_reason: _Optional[str] = ...) -> None: ...

class UnansweredPart(_message.Message):
    __slots__ = ("part", "reason")
    PART_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    part: str
    reason: str
    def __init__(self, part: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class Plan(_message.Message):
    __slots__ = ("version", "steps", "unanswered", "assumptions", "costs")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    UNANSWERED_FIELD_NUMBER: _ClassVar[int]
    ASSUMPTIONS_FIELD_NUMBER: _ClassVar[int]
    COSTS_FIELD_NUMBER: _ClassVar[int]
    version: int
    steps: _containers.RepeatedCompositeFieldContainer[PlanStep]
    unanswered: _containers.RepeatedCompositeFieldContainer[UnansweredPart]
    assumptions: _containers.RepeatedScalarFieldContainer[str]
    costs: _containers.RepeatedCompositeFieldContainer[StepCost]
    def __init__(self, version: _Optional[int] = ..., steps: _Optional[_Iterable[_Union[PlanStep, _Mapping]]] = ..., unanswered: _Optional[_Iterable[_Union[UnansweredPart, _Mapping]]] = ..., assumptions: _Optional[_Iterable[str]] = ..., costs: _Optional[_Iterable[_Union[StepCost, _Mapping]]] = ...) -> None: ...

class NamedTable(_message.Message):
    __slots__ = ("name", "page")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    name: str
    page: _result_pb2.ResultPage
    def __init__(self, name: _Optional[str] = ..., page: _Optional[_Union[_result_pb2.ResultPage, _Mapping]] = ...) -> None: ...

class StepResult(_message.Message):
    __slots__ = ("step_id", "status", "problem", "answer", "tables", "chart", "certificate", "executed_sql", "warnings", "sql_tries", "artifacts", "rows")
    STEP_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    CHART_FIELD_NUMBER: _ClassVar[int]
    CERTIFICATE_FIELD_NUMBER: _ClassVar[int]
    EXECUTED_SQL_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    SQL_TRIES_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    step_id: str
    status: StepStatus
    problem: str
    answer: str
    tables: _containers.RepeatedCompositeFieldContainer[NamedTable]
    chart: _result_pb2.Chart
    certificate: _result_pb2.Certificate
    executed_sql: _containers.RepeatedScalarFieldContainer[str]
    warnings: _containers.RepeatedCompositeFieldContainer[_context_pb2.Warning]
    sql_tries: int
    artifacts: _containers.RepeatedCompositeFieldContainer[Artifact]
    rows: int
    def __init__(self, step_id: _Optional[str] = ..., status: _Optional[_Union[StepStatus, str]] = ..., problem: _Optional[str] = ..., answer: _Optional[str] = ..., tables: _Optional[_Iterable[_Union[NamedTable, _Mapping]]] = ..., chart: _Optional[_Union[_result_pb2.Chart, _Mapping]] = ..., certificate: _Optional[_Union[_result_pb2.Certificate, _Mapping]] = ..., executed_sql: _Optional[_Iterable[str]] = ..., warnings: _Optional[_Iterable[_Union[_context_pb2.Warning, _Mapping]]] = ..., sql_tries: _Optional[int] = ..., artifacts: _Optional[_Iterable[_Union[Artifact, _Mapping]]] = ..., rows: _Optional[int] = ...) -> None: ...

class Artifact(_message.Message):
    __slots__ = ("name", "media_type")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    name: str
    media_type: str
    def __init__(self, name: _Optional[str] = ..., media_type: _Optional[str] = ...) -> None: ...

class Analysis(_message.Message):
    __slots__ = ("analysis_id", "status", "node", "source", "question", "canonical_question", "request_kind", "plan", "results", "current_step", "pending", "message", "error", "started_at", "updated_at", "has_report", "summary", "agent_id", "node_at_work")
    ANALYSIS_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_QUESTION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_KIND_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    CURRENT_STEP_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    HAS_REPORT_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    NODE_AT_WORK_FIELD_NUMBER: _ClassVar[int]
    analysis_id: str
    status: _run_pb2.RunStatus
    node: str
    source: str
    question: str
    canonical_question: str
    request_kind: str
    plan: Plan
    results: _containers.RepeatedCompositeFieldContainer[StepResult]
    current_step: str
    pending: _context_pb2.Question
    message: str
    error: str
    started_at: _timestamp_pb2.Timestamp
    updated_at: _timestamp_pb2.Timestamp
    has_report: bool
    summary: _containers.RepeatedScalarFieldContainer[str]
    agent_id: str
    node_at_work: str
    def __init__(self, analysis_id: _Optional[str] = ..., status: _Optional[_Union[_run_pb2.RunStatus, str]] = ..., node: _Optional[str] = ..., source: _Optional[str] = ..., question: _Optional[str] = ..., canonical_question: _Optional[str] = ..., request_kind: _Optional[str] = ..., plan: _Optional[_Union[Plan, _Mapping]] = ..., results: _Optional[_Iterable[_Union[StepResult, _Mapping]]] = ..., current_step: _Optional[str] = ..., pending: _Optional[_Union[_context_pb2.Question, _Mapping]] = ..., message: _Optional[str] = ..., error: _Optional[str] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., updated_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., has_report: bool = ..., summary: _Optional[_Iterable[str]] = ..., agent_id: _Optional[str] = ..., node_at_work: _Optional[str] = ...) -> None: ...

class EarlierTurn(_message.Message):
    __slots__ = ("question", "plan")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    question: str
    plan: str
    def __init__(self, question: _Optional[str] = ..., plan: _Optional[str] = ...) -> None: ...

class AnalysisQuery(_message.Message):
    __slots__ = ("source", "question", "review", "only_nl2sql", "user_context", "earlier", "cost_confirmed", "tables", "agent_id")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    REVIEW_FIELD_NUMBER: _ClassVar[int]
    ONLY_NL2SQL_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    EARLIER_FIELD_NUMBER: _ClassVar[int]
    COST_CONFIRMED_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    source: str
    question: str
    review: Review
    only_nl2sql: bool
    user_context: _context_pb2.UserContext
    earlier: _containers.RepeatedCompositeFieldContainer[EarlierTurn]
    cost_confirmed: bool
    tables: _containers.RepeatedScalarFieldContainer[str]
    agent_id: str
    def __init__(self, source: _Optional[str] = ..., question: _Optional[str] = ..., review: _Optional[_Union[Review, str]] = ..., only_nl2sql: bool = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ..., earlier: _Optional[_Iterable[_Union[EarlierTurn, _Mapping]]] = ..., cost_confirmed: bool = ..., tables: _Optional[_Iterable[str]] = ..., agent_id: _Optional[str] = ...) -> None: ...

class StartAnalysisRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: AnalysisQuery
    def __init__(self, query: _Optional[_Union[AnalysisQuery, _Mapping]] = ...) -> None: ...

class StartAnalysisResponse(_message.Message):
    __slots__ = ("analysis",)
    ANALYSIS_FIELD_NUMBER: _ClassVar[int]
    analysis: Analysis
    def __init__(self, analysis: _Optional[_Union[Analysis, _Mapping]] = ...) -> None: ...

class StartAnalysisUnaryRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: AnalysisQuery
    def __init__(self, query: _Optional[_Union[AnalysisQuery, _Mapping]] = ...) -> None: ...

class StartAnalysisUnaryResponse(_message.Message):
    __slots__ = ("analysis",)
    ANALYSIS_FIELD_NUMBER: _ClassVar[int]
    analysis: Analysis
    def __init__(self, analysis: _Optional[_Union[Analysis, _Mapping]] = ...) -> None: ...

class ResumeDecision(_message.Message):
    __slots__ = ("analysis_id", "decision", "plan_version", "feedback", "steps")
    ANALYSIS_ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    PLAN_VERSION_FIELD_NUMBER: _ClassVar[int]
    FEEDBACK_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    analysis_id: str
    decision: Decision
    plan_version: int
    feedback: str
    steps: _containers.RepeatedCompositeFieldContainer[PlanStep]
    def __init__(self, analysis_id: _Optional[str] = ..., decision: _Optional[_Union[Decision, str]] = ..., plan_version: _Optional[int] = ..., feedback: _Optional[str] = ..., steps: _Optional[_Iterable[_Union[PlanStep, _Mapping]]] = ...) -> None: ...

class ResumeAnalysisRequest(_message.Message):
    __slots__ = ("decision",)
    DECISION_FIELD_NUMBER: _ClassVar[int]
    decision: ResumeDecision
    def __init__(self, decision: _Optional[_Union[ResumeDecision, _Mapping]] = ...) -> None: ...

class ResumeAnalysisResponse(_message.Message):
    __slots__ = ("analysis",)
    ANALYSIS_FIELD_NUMBER: _ClassVar[int]
    analysis: Analysis
    def __init__(self, analysis: _Optional[_Union[Analysis, _Mapping]] = ...) -> None: ...

class ResumeAnalysisUnaryRequest(_message.Message):
    __slots__ = ("decision",)
    DECISION_FIELD_NUMBER: _ClassVar[int]
    decision: ResumeDecision
    def __init__(self, decision: _Optional[_Union[ResumeDecision, _Mapping]] = ...) -> None: ...

class ResumeAnalysisUnaryResponse(_message.Message):
    __slots__ = ("analysis",)
    ANALYSIS_FIELD_NUMBER: _ClassVar[int]
    analysis: Analysis
    def __init__(self, analysis: _Optional[_Union[Analysis, _Mapping]] = ...) -> None: ...

class WatchAnalysisRequest(_message.Message):
    __slots__ = ("analysis_id",)
    ANALYSIS_ID_FIELD_NUMBER: _ClassVar[int]
    analysis_id: str
    def __init__(self, analysis_id: _Optional[str] = ...) -> None: ...

class WatchAnalysisResponse(_message.Message):
    __slots__ = ("analysis",)
    ANALYSIS_FIELD_NUMBER: _ClassVar[int]
    analysis: Analysis
    def __init__(self, analysis: _Optional[_Union[Analysis, _Mapping]] = ...) -> None: ...

class GetAnalysisRequest(_message.Message):
    __slots__ = ("analysis_id",)
    ANALYSIS_ID_FIELD_NUMBER: _ClassVar[int]
    analysis_id: str
    def __init__(self, analysis_id: _Optional[str] = ...) -> None: ...

class GetAnalysisResponse(_message.Message):
    __slots__ = ("analysis",)
    ANALYSIS_FIELD_NUMBER: _ClassVar[int]
    analysis: Analysis
    def __init__(self, analysis: _Optional[_Union[Analysis, _Mapping]] = ...) -> None: ...

class ListAnalysesRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListAnalysesResponse(_message.Message):
    __slots__ = ("analyses", "next_page_token")
    ANALYSES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    analyses: _containers.RepeatedCompositeFieldContainer[Analysis]
    next_page_token: str
    def __init__(self, analyses: _Optional[_Iterable[_Union[Analysis, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CancelAnalysisRequest(_message.Message):
    __slots__ = ("analysis_id",)
    ANALYSIS_ID_FIELD_NUMBER: _ClassVar[int]
    analysis_id: str
    def __init__(self, analysis_id: _Optional[str] = ...) -> None: ...

class CancelAnalysisResponse(_message.Message):
    __slots__ = ("analysis",)
    ANALYSIS_FIELD_NUMBER: _ClassVar[int]
    analysis: Analysis
    def __init__(self, analysis: _Optional[_Union[Analysis, _Mapping]] = ...) -> None: ...

class GetReportRequest(_message.Message):
    __slots__ = ("analysis_id", "format")
    ANALYSIS_ID_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    analysis_id: str
    format: ReportFormat
    def __init__(self, analysis_id: _Optional[str] = ..., format: _Optional[_Union[ReportFormat, str]] = ...) -> None: ...

class GetReportResponse(_message.Message):
    __slots__ = ("text", "title", "media_type", "data")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    text: str
    title: str
    media_type: str
    data: bytes
    def __init__(self, text: _Optional[str] = ..., title: _Optional[str] = ..., media_type: _Optional[str] = ..., data: _Optional[bytes] = ...) -> None: ...

class GetArtifactRequest(_message.Message):
    __slots__ = ("analysis_id", "name")
    ANALYSIS_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    analysis_id: str
    name: str
    def __init__(self, analysis_id: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class GetArtifactResponse(_message.Message):
    __slots__ = ("data", "media_type", "truncated")
    DATA_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    media_type: str
    truncated: bool
    def __init__(self, data: _Optional[bytes] = ..., media_type: _Optional[str] = ..., truncated: bool = ...) -> None: ...
