from buf.validate import validate_pb2 as _validate_pb2
from dibrain.common.v1 import context_pb2 as _context_pb2
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

class SqlValidator(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SQL_VALIDATOR_UNSPECIFIED: _ClassVar[SqlValidator]
    SQL_VALIDATOR_RESOLVER: _ClassVar[SqlValidator]
    SQL_VALIDATOR_EXPLAIN: _ClassVar[SqlValidator]
    SQL_VALIDATOR_EXECUTED: _ClassVar[SqlValidator]
SQL_VALIDATOR_UNSPECIFIED: SqlValidator
SQL_VALIDATOR_RESOLVER: SqlValidator
SQL_VALIDATOR_EXPLAIN: SqlValidator
SQL_VALIDATOR_EXECUTED: SqlValidator

class FixSQLRequest(_message.Message):
    __slots__ = ("source", "sql", "sql_dialect", "error_info", "tables", "user_question", "user_context", "instruction")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    SQL_DIALECT_FIELD_NUMBER: _ClassVar[int]
    ERROR_INFO_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    USER_QUESTION_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTION_FIELD_NUMBER: _ClassVar[int]
    source: str
    sql: str
    sql_dialect: str
    error_info: str
    tables: _containers.RepeatedCompositeFieldContainer[_table_pb2.TableDetail]
    user_question: str
    user_context: _context_pb2.UserContext
    instruction: str
    def __init__(self, source: _Optional[str] = ..., sql: _Optional[str] = ..., sql_dialect: _Optional[str] = ..., error_info: _Optional[str] = ..., tables: _Optional[_Iterable[_Union[_table_pb2.TableDetail, _Mapping]]] = ..., user_question: _Optional[str] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ..., instruction: _Optional[str] = ...) -> None: ...

class SqlChange(_message.Message):
    __slots__ = ("error_class", "message", "before", "after", "position", "class_id", "confidence", "start_byte", "end_byte")
    ERROR_CLASS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    CLASS_ID_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    START_BYTE_FIELD_NUMBER: _ClassVar[int]
    END_BYTE_FIELD_NUMBER: _ClassVar[int]
    error_class: str
    message: str
    before: str
    after: str
    position: _sql_pb2.SqlPosition
    class_id: str
    confidence: float
    start_byte: int
    end_byte: int
    def __init__(self, error_class: _Optional[str] = ..., message: _Optional[str] = ..., before: _Optional[str] = ..., after: _Optional[str] = ..., position: _Optional[_Union[_sql_pb2.SqlPosition, _Mapping]] = ..., class_id: _Optional[str] = ..., confidence: _Optional[float] = ..., start_byte: _Optional[int] = ..., end_byte: _Optional[int] = ...) -> None: ...

class SqlCandidate(_message.Message):
    __slots__ = ("sql", "message")
    SQL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    sql: str
    message: str
    def __init__(self, sql: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class FixSQLResponse(_message.Message):
    __slots__ = ("fixed", "changed", "diagnosis", "changes", "remaining", "confidence", "trace", "diff", "certain", "validated_by", "candidates", "unmet", "dangers")
    FIXED_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSIS_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    REMAINING_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    DIFF_FIELD_NUMBER: _ClassVar[int]
    CERTAIN_FIELD_NUMBER: _ClassVar[int]
    VALIDATED_BY_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    UNMET_FIELD_NUMBER: _ClassVar[int]
    DANGERS_FIELD_NUMBER: _ClassVar[int]
    fixed: _sql_pb2.SqlStatement
    changed: bool
    diagnosis: str
    changes: _containers.RepeatedCompositeFieldContainer[SqlChange]
    remaining: _containers.RepeatedCompositeFieldContainer[_sql_pb2.SqlDiagnostic]
    confidence: float
    trace: _run_pb2.RunTrace
    diff: str
    certain: bool
    validated_by: SqlValidator
    candidates: _containers.RepeatedCompositeFieldContainer[SqlCandidate]
    unmet: _containers.RepeatedScalarFieldContainer[str]
    dangers: _containers.RepeatedCompositeFieldContainer[_sql_pb2.SqlDiagnostic]
    def __init__(self, fixed: _Optional[_Union[_sql_pb2.SqlStatement, _Mapping]] = ..., changed: bool = ..., diagnosis: _Optional[str] = ..., changes: _Optional[_Iterable[_Union[SqlChange, _Mapping]]] = ..., remaining: _Optional[_Iterable[_Union[_sql_pb2.SqlDiagnostic, _Mapping]]] = ..., confidence: _Optional[float] = ..., trace: _Optional[_Union[_run_pb2.RunTrace, _Mapping]] = ..., diff: _Optional[str] = ..., certain: bool = ..., validated_by: _Optional[_Union[SqlValidator, str]] = ..., candidates: _Optional[_Iterable[_Union[SqlCandidate, _Mapping]]] = ..., unmet: _Optional[_Iterable[str]] = ..., dangers: _Optional[_Iterable[_Union[_sql_pb2.SqlDiagnostic, _Mapping]]] = ...) -> None: ...

class FixSQLStreamRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: FixSQLRequest
    def __init__(self, query: _Optional[_Union[FixSQLRequest, _Mapping]] = ...) -> None: ...

class FixSQLStreamResponse(_message.Message):
    __slots__ = ("step", "result")
    STEP_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    step: FixStep
    result: FixSQLResponse
    def __init__(self, step: _Optional[_Union[FixStep, _Mapping]] = ..., result: _Optional[_Union[FixSQLResponse, _Mapping]] = ...) -> None: ...

class FixStep(_message.Message):
    __slots__ = ("round", "class_ids")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    CLASS_IDS_FIELD_NUMBER: _ClassVar[int]
    round: int
    class_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, round: _Optional[int] = ..., class_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class TranslateSQLRequest(_message.Message):
    __slots__ = ("source", "sql", "from_dialect")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    FROM_DIALECT_FIELD_NUMBER: _ClassVar[int]
    source: str
    sql: str
    from_dialect: str
    def __init__(self, source: _Optional[str] = ..., sql: _Optional[str] = ..., from_dialect: _Optional[str] = ...) -> None: ...

class SqlRemark(_message.Message):
    __slots__ = ("rule", "message", "position")
    RULE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    rule: str
    message: str
    position: _sql_pb2.SqlPosition
    def __init__(self, rule: _Optional[str] = ..., message: _Optional[str] = ..., position: _Optional[_Union[_sql_pb2.SqlPosition, _Mapping]] = ...) -> None: ...

class TranslateSQLResponse(_message.Message):
    __slots__ = ("sql", "changes", "warnings", "diagnostics")
    SQL_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_FIELD_NUMBER: _ClassVar[int]
    sql: str
    changes: _containers.RepeatedCompositeFieldContainer[SqlRemark]
    warnings: _containers.RepeatedCompositeFieldContainer[SqlRemark]
    diagnostics: _containers.RepeatedCompositeFieldContainer[_sql_pb2.SqlDiagnostic]
    def __init__(self, sql: _Optional[str] = ..., changes: _Optional[_Iterable[_Union[SqlRemark, _Mapping]]] = ..., warnings: _Optional[_Iterable[_Union[SqlRemark, _Mapping]]] = ..., diagnostics: _Optional[_Iterable[_Union[_sql_pb2.SqlDiagnostic, _Mapping]]] = ...) -> None: ...

class FormatSQLRequest(_message.Message):
    __slots__ = ("sql",)
    SQL_FIELD_NUMBER: _ClassVar[int]
    sql: str
    def __init__(self, sql: _Optional[str] = ...) -> None: ...

class FormatSQLResponse(_message.Message):
    __slots__ = ("sql", "changed")
    SQL_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    sql: str
    changed: bool
    def __init__(self, sql: _Optional[str] = ..., changed: bool = ...) -> None: ...

class LintSQLRequest(_message.Message):
    __slots__ = ("source", "sql", "enable", "disable")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    ENABLE_FIELD_NUMBER: _ClassVar[int]
    DISABLE_FIELD_NUMBER: _ClassVar[int]
    source: str
    sql: str
    enable: _containers.RepeatedScalarFieldContainer[str]
    disable: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, source: _Optional[str] = ..., sql: _Optional[str] = ..., enable: _Optional[_Iterable[str]] = ..., disable: _Optional[_Iterable[str]] = ...) -> None: ...

class LintFinding(_message.Message):
    __slots__ = ("rule", "message", "instead", "position")
    RULE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    INSTEAD_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    rule: str
    message: str
    instead: str
    position: _sql_pb2.SqlPosition
    def __init__(self, rule: _Optional[str] = ..., message: _Optional[str] = ..., instead: _Optional[str] = ..., position: _Optional[_Union[_sql_pb2.SqlPosition, _Mapping]] = ...) -> None: ...

class LintSQLResponse(_message.Message):
    __slots__ = ("diagnostics", "findings")
    DIAGNOSTICS_FIELD_NUMBER: _ClassVar[int]
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    diagnostics: _containers.RepeatedCompositeFieldContainer[_sql_pb2.SqlDiagnostic]
    findings: _containers.RepeatedCompositeFieldContainer[LintFinding]
    def __init__(self, diagnostics: _Optional[_Iterable[_Union[_sql_pb2.SqlDiagnostic, _Mapping]]] = ..., findings: _Optional[_Iterable[_Union[LintFinding, _Mapping]]] = ...) -> None: ...

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
