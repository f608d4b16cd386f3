from buf.validate import validate_pb2 as _validate_pb2
from dibrain.common.v1 import context_pb2 as _context_pb2
from dibrain.common.v1 import run_pb2 as _run_pb2
from dibrain.common.v1 import sql_pb2 as _sql_pb2
from dibrain.common.v1 import table_pb2 as _table_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FixSQLRequest(_message.Message):
    __slots__ = ("source", "sql", "sql_dialect", "error_info", "tables", "user_question", "user_context")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    SQL_DIALECT_FIELD_NUMBER: _ClassVar[int]
    ERROR_INFO_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    USER_QUESTION_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    source: str
    sql: str
    sql_dialect: str
    error_info: str
    tables: _containers.RepeatedCompositeFieldContainer[_table_pb2.TableDetail]
    user_question: str
    user_context: _context_pb2.UserContext
    def __init__(self, source: _Optional[str] = ..., sql: _Optional[str] = ..., sql_dialect: _Optional[str] = ..., error_info: _Optional[str] = ..., tables: _Optional[_Iterable[_Union[_table_pb2.TableDetail, _Mapping]]] = ..., user_question: _Optional[str] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ...) -> None: ...

class SqlChange(_message.Message):
    __slots__ = ("error_class", "message", "before", "after", "position")
    ERROR_CLASS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    error_class: str
    message: str
    before: str
    after: str
    position: _sql_pb2.SqlPosition
    def __init__(self, error_class: _Optional[str] = ..., message: _Optional[str] = ..., before: _Optional[str] = ..., after: _Optional[str] = ..., position: _Optional[_Union[_sql_pb2.SqlPosition, _Mapping]] = ...) -> None: ...

class FixSQLResponse(_message.Message):
    __slots__ = ("fixed", "changed", "diagnosis", "changes", "remaining", "confidence", "trace", "diff")
    FIXED_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSIS_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    REMAINING_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    DIFF_FIELD_NUMBER: _ClassVar[int]
    fixed: _sql_pb2.SqlStatement
    changed: bool
    diagnosis: str
    changes: _containers.RepeatedCompositeFieldContainer[SqlChange]
    remaining: _containers.RepeatedCompositeFieldContainer[_sql_pb2.SqlDiagnostic]
    confidence: float
    trace: _run_pb2.RunTrace
    diff: str
    def __init__(self, fixed: _Optional[_Union[_sql_pb2.SqlStatement, _Mapping]] = ..., changed: bool = ..., diagnosis: _Optional[str] = ..., changes: _Optional[_Iterable[_Union[SqlChange, _Mapping]]] = ..., remaining: _Optional[_Iterable[_Union[_sql_pb2.SqlDiagnostic, _Mapping]]] = ..., confidence: _Optional[float] = ..., trace: _Optional[_Union[_run_pb2.RunTrace, _Mapping]] = ..., diff: _Optional[str] = ...) -> None: ...

class ExplainSQLRequest(_message.Message):
    __slots__ = ("source", "sql", "sql_dialect", "user_context")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    SQL_DIALECT_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    source: str
    sql: str
    sql_dialect: str
    user_context: _context_pb2.UserContext
    def __init__(self, source: _Optional[str] = ..., sql: _Optional[str] = ..., sql_dialect: _Optional[str] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ...) -> None: ...

class ExplainSQLResponse(_message.Message):
    __slots__ = ("explanation", "tables", "grain", "dangers", "trace")
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    GRAIN_FIELD_NUMBER: _ClassVar[int]
    DANGERS_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    explanation: str
    tables: _containers.RepeatedScalarFieldContainer[str]
    grain: str
    dangers: _containers.RepeatedCompositeFieldContainer[_sql_pb2.SqlDiagnostic]
    trace: _run_pb2.RunTrace
    def __init__(self, explanation: _Optional[str] = ..., tables: _Optional[_Iterable[str]] = ..., grain: _Optional[str] = ..., dangers: _Optional[_Iterable[_Union[_sql_pb2.SqlDiagnostic, _Mapping]]] = ..., trace: _Optional[_Union[_run_pb2.RunTrace, _Mapping]] = ...) -> None: ...

class CheckSQLRequest(_message.Message):
    __slots__ = ("source", "sql")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    source: str
    sql: str
    def __init__(self, source: _Optional[str] = ..., sql: _Optional[str] = ...) -> None: ...

class CheckSQLResponse(_message.Message):
    __slots__ = ("diagnostics",)
    DIAGNOSTICS_FIELD_NUMBER: _ClassVar[int]
    diagnostics: _containers.RepeatedCompositeFieldContainer[_sql_pb2.SqlDiagnostic]
    def __init__(self, diagnostics: _Optional[_Iterable[_Union[_sql_pb2.SqlDiagnostic, _Mapping]]] = ...) -> None: ...
