import datetime

from buf.validate import validate_pb2 as _validate_pb2
from dibrain.common.v1 import context_pb2 as _context_pb2
from dibrain.common.v1 import result_pb2 as _result_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Strategy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STRATEGY_UNSPECIFIED: _ClassVar[Strategy]
    STRATEGY_RULES: _ClassVar[Strategy]
    STRATEGY_LLM: _ClassVar[Strategy]
STRATEGY_UNSPECIFIED: Strategy
STRATEGY_RULES: Strategy
STRATEGY_LLM: Strategy

class GenerateLogQLRequest(_message.Message):
    __slots__ = ("user_question", "execute", "limit", "user_context", "strategy")
    USER_QUESTION_FIELD_NUMBER: _ClassVar[int]
    EXECUTE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    user_question: str
    execute: bool
    limit: int
    user_context: _context_pb2.UserContext
    strategy: Strategy
    def __init__(self, user_question: _Optional[str] = ..., execute: bool = ..., limit: _Optional[int] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ..., strategy: _Optional[_Union[Strategy, str]] = ...) -> None: ...

class LogLine(_message.Message):
    __slots__ = ("time", "labels", "line")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    TIME_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    time: _timestamp_pb2.Timestamp
    labels: _containers.ScalarMap[str, str]
    line: str
    def __init__(self, time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., labels: _Optional[_Mapping[str, str]] = ..., line: _Optional[str] = ...) -> None: ...

class LogSample(_message.Message):
    __slots__ = ("time", "labels", "value")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    TIME_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    time: _timestamp_pb2.Timestamp
    labels: _containers.ScalarMap[str, str]
    value: float
    def __init__(self, time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., labels: _Optional[_Mapping[str, str]] = ..., value: _Optional[float] = ...) -> None: ...

class GenerateLogQLResponse(_message.Message):
    __slots__ = ("logql", "explanation", "validated", "lines", "question", "samples", "answer", "assumptions", "start", "end", "truncated", "page", "chart", "strategy", "step")
    LOGQL_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    VALIDATED_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    ASSUMPTIONS_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    CHART_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    logql: str
    explanation: str
    validated: bool
    lines: _containers.RepeatedCompositeFieldContainer[LogLine]
    question: _context_pb2.Question
    samples: _containers.RepeatedCompositeFieldContainer[LogSample]
    answer: str
    assumptions: _containers.RepeatedScalarFieldContainer[str]
    start: _timestamp_pb2.Timestamp
    end: _timestamp_pb2.Timestamp
    truncated: bool
    page: _result_pb2.ResultPage
    chart: _result_pb2.Chart
    strategy: Strategy
    step: _duration_pb2.Duration
    def __init__(self, logql: _Optional[str] = ..., explanation: _Optional[str] = ..., validated: bool = ..., lines: _Optional[_Iterable[_Union[LogLine, _Mapping]]] = ..., question: _Optional[_Union[_context_pb2.Question, _Mapping]] = ..., samples: _Optional[_Iterable[_Union[LogSample, _Mapping]]] = ..., answer: _Optional[str] = ..., assumptions: _Optional[_Iterable[str]] = ..., start: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., truncated: bool = ..., page: _Optional[_Union[_result_pb2.ResultPage, _Mapping]] = ..., chart: _Optional[_Union[_result_pb2.Chart, _Mapping]] = ..., strategy: _Optional[_Union[Strategy, str]] = ..., step: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ExplainLogQLRequest(_message.Message):
    __slots__ = ("logql", "user_context")
    LOGQL_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    logql: str
    user_context: _context_pb2.UserContext
    def __init__(self, logql: _Optional[str] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ...) -> None: ...

class ExplainLogQLResponse(_message.Message):
    __slots__ = ("explanation", "logql")
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    LOGQL_FIELD_NUMBER: _ClassVar[int]
    explanation: str
    logql: str
    def __init__(self, explanation: _Optional[str] = ..., logql: _Optional[str] = ...) -> None: ...

class ValidateLogQLRequest(_message.Message):
    __slots__ = ("logql",)
    LOGQL_FIELD_NUMBER: _ClassVar[int]
    logql: str
    def __init__(self, logql: _Optional[str] = ...) -> None: ...

class LogQLProblem(_message.Message):
    __slots__ = ("line", "column", "message", "not_supported")
    LINE_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    NOT_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    line: int
    column: int
    message: str
    not_supported: str
    def __init__(self, line: _Optional[int] = ..., column: _Optional[int] = ..., message: _Optional[str] = ..., not_supported: _Optional[str] = ...) -> None: ...

class ValidateLogQLResponse(_message.Message):
    __slots__ = ("problems", "logql")
    PROBLEMS_FIELD_NUMBER: _ClassVar[int]
    LOGQL_FIELD_NUMBER: _ClassVar[int]
    problems: _containers.RepeatedCompositeFieldContainer[LogQLProblem]
    logql: str
    def __init__(self, problems: _Optional[_Iterable[_Union[LogQLProblem, _Mapping]]] = ..., logql: _Optional[str] = ...) -> None: ...

class ListLabelsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Label(_message.Message):
    __slots__ = ("name", "values")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    name: str
    values: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., values: _Optional[_Iterable[str]] = ...) -> None: ...

class ListLabelsResponse(_message.Message):
    __slots__ = ("labels",)
    LABELS_FIELD_NUMBER: _ClassVar[int]
    labels: _containers.RepeatedCompositeFieldContainer[Label]
    def __init__(self, labels: _Optional[_Iterable[_Union[Label, _Mapping]]] = ...) -> None: ...

class RunLogQLRequest(_message.Message):
    __slots__ = ("logql", "start", "end", "limit", "step")
    LOGQL_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    logql: str
    start: _timestamp_pb2.Timestamp
    end: _timestamp_pb2.Timestamp
    limit: int
    step: _duration_pb2.Duration
    def __init__(self, logql: _Optional[str] = ..., start: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., limit: _Optional[int] = ..., step: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class LogLines(_message.Message):
    __slots__ = ("lines",)
    LINES_FIELD_NUMBER: _ClassVar[int]
    lines: _containers.RepeatedCompositeFieldContainer[LogLine]
    def __init__(self, lines: _Optional[_Iterable[_Union[LogLine, _Mapping]]] = ...) -> None: ...

class LogSamples(_message.Message):
    __slots__ = ("samples",)
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    samples: _containers.RepeatedCompositeFieldContainer[LogSample]
    def __init__(self, samples: _Optional[_Iterable[_Union[LogSample, _Mapping]]] = ...) -> None: ...

class RunSummary(_message.Message):
    __slots__ = ("logql", "truncated", "returned")
    LOGQL_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    RETURNED_FIELD_NUMBER: _ClassVar[int]
    logql: str
    truncated: bool
    returned: int
    def __init__(self, logql: _Optional[str] = ..., truncated: bool = ..., returned: _Optional[int] = ...) -> None: ...

class RunLogQLResponse(_message.Message):
    __slots__ = ("lines", "samples", "summary")
    LINES_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    lines: LogLines
    samples: LogSamples
    summary: RunSummary
    def __init__(self, lines: _Optional[_Union[LogLines, _Mapping]] = ..., samples: _Optional[_Union[LogSamples, _Mapping]] = ..., summary: _Optional[_Union[RunSummary, _Mapping]] = ...) -> None: ...

class RunLogQLUnaryRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: RunLogQLRequest
    def __init__(self, query: _Optional[_Union[RunLogQLRequest, _Mapping]] = ...) -> None: ...

class RunLogQLUnaryResponse(_message.Message):
    __slots__ = ("lines", "samples", "summary", "page")
    LINES_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    lines: _containers.RepeatedCompositeFieldContainer[LogLine]
    samples: _containers.RepeatedCompositeFieldContainer[LogSample]
    summary: RunSummary
    page: _result_pb2.ResultPage
    def __init__(self, lines: _Optional[_Iterable[_Union[LogLine, _Mapping]]] = ..., samples: _Optional[_Iterable[_Union[LogSample, _Mapping]]] = ..., summary: _Optional[_Union[RunSummary, _Mapping]] = ..., page: _Optional[_Union[_result_pb2.ResultPage, _Mapping]] = ...) -> None: ...
