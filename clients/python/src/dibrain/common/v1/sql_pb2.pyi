from buf.validate import validate_pb2 as _validate_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class BetterEnd(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BETTER_END_UNSPECIFIED: _ClassVar[BetterEnd]
    BETTER_END_HIGH: _ClassVar[BetterEnd]
    BETTER_END_LOW: _ClassVar[BetterEnd]
BETTER_END_UNSPECIFIED: BetterEnd
BETTER_END_HIGH: BetterEnd
BETTER_END_LOW: BetterEnd

class SqlStatement(_message.Message):
    __slots__ = ("sql", "dialect", "reason", "tables", "validated", "assumptions", "labels")
    SQL_FIELD_NUMBER: _ClassVar[int]
    DIALECT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    VALIDATED_FIELD_NUMBER: _ClassVar[int]
    ASSUMPTIONS_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    sql: str
    dialect: str
    reason: str
    tables: _containers.RepeatedCompositeFieldContainer[TableName]
    validated: bool
    assumptions: _containers.RepeatedScalarFieldContainer[str]
    labels: _containers.RepeatedCompositeFieldContainer[ColumnLabel]
    def __init__(self, sql: _Optional[str] = ..., dialect: _Optional[str] = ..., reason: _Optional[str] = ..., tables: _Optional[_Iterable[_Union[TableName, _Mapping]]] = ..., validated: bool = ..., assumptions: _Optional[_Iterable[str]] = ..., labels: _Optional[_Iterable[_Union[ColumnLabel, _Mapping]]] = ...) -> None: ...

class ColumnLabel(_message.Message):
    __slots__ = ("column", "label", "unit", "better", "level")
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    BETTER_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    column: str
    label: str
    unit: str
    better: BetterEnd
    level: bool
    def __init__(self, column: _Optional[str] = ..., label: _Optional[str] = ..., unit: _Optional[str] = ..., better: _Optional[_Union[BetterEnd, str]] = ..., level: bool = ...) -> None: ...

class TableName(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class SqlPosition(_message.Message):
    __slots__ = ("line", "column")
    LINE_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    line: int
    column: int
    def __init__(self, line: _Optional[int] = ..., column: _Optional[int] = ...) -> None: ...

class SqlDiagnostic(_message.Message):
    __slots__ = ("code", "message", "position", "suggestions")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    SUGGESTIONS_FIELD_NUMBER: _ClassVar[int]
    code: str
    message: str
    position: SqlPosition
    suggestions: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, code: _Optional[str] = ..., message: _Optional[str] = ..., position: _Optional[_Union[SqlPosition, _Mapping]] = ..., suggestions: _Optional[_Iterable[str]] = ...) -> None: ...

class GuardChange(_message.Message):
    __slots__ = ("rule", "message")
    RULE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    rule: str
    message: str
    def __init__(self, rule: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...
