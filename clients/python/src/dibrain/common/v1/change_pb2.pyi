from buf.validate import validate_pb2 as _validate_pb2
from dibrain.common.v1 import sql_pb2 as _sql_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ChangeKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHANGE_KIND_UNSPECIFIED: _ClassVar[ChangeKind]
    CHANGE_KIND_ADDITIVE: _ClassVar[ChangeKind]
    CHANGE_KIND_SEMI_ADDITIVE: _ClassVar[ChangeKind]
    CHANGE_KIND_RATIO: _ClassVar[ChangeKind]
    CHANGE_KIND_DISTINCT: _ClassVar[ChangeKind]

class ChangeRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHANGE_ROLE_UNSPECIFIED: _ClassVar[ChangeRole]
    CHANGE_ROLE_CELLS: _ClassVar[ChangeRole]
    CHANGE_ROLE_DAILY: _ClassVar[ChangeRole]
    CHANGE_ROLE_FACTORS: _ClassVar[ChangeRole]
    CHANGE_ROLE_EVENTS: _ClassVar[ChangeRole]
    CHANGE_ROLE_DAYS: _ClassVar[ChangeRole]
CHANGE_KIND_UNSPECIFIED: ChangeKind
CHANGE_KIND_ADDITIVE: ChangeKind
CHANGE_KIND_SEMI_ADDITIVE: ChangeKind
CHANGE_KIND_RATIO: ChangeKind
CHANGE_KIND_DISTINCT: ChangeKind
CHANGE_ROLE_UNSPECIFIED: ChangeRole
CHANGE_ROLE_CELLS: ChangeRole
CHANGE_ROLE_DAILY: ChangeRole
CHANGE_ROLE_FACTORS: ChangeRole
CHANGE_ROLE_EVENTS: ChangeRole
CHANGE_ROLE_DAYS: ChangeRole

class ChangePlan(_message.Message):
    __slots__ = ("metric", "before", "after", "filters", "dimensions", "factors", "statements", "metrics", "assumptions")
    METRIC_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    FACTORS_FIELD_NUMBER: _ClassVar[int]
    STATEMENTS_FIELD_NUMBER: _ClassVar[int]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    ASSUMPTIONS_FIELD_NUMBER: _ClassVar[int]
    metric: ChangeMetric
    before: ChangePeriod
    after: ChangePeriod
    filters: _containers.RepeatedScalarFieldContainer[str]
    dimensions: _containers.RepeatedCompositeFieldContainer[ChangeItem]
    factors: _containers.RepeatedCompositeFieldContainer[ChangeItem]
    statements: _containers.RepeatedCompositeFieldContainer[ChangeStatement]
    metrics: _containers.RepeatedScalarFieldContainer[str]
    assumptions: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, metric: _Optional[_Union[ChangeMetric, _Mapping]] = ..., before: _Optional[_Union[ChangePeriod, _Mapping]] = ..., after: _Optional[_Union[ChangePeriod, _Mapping]] = ..., filters: _Optional[_Iterable[str]] = ..., dimensions: _Optional[_Iterable[_Union[ChangeItem, _Mapping]]] = ..., factors: _Optional[_Iterable[_Union[ChangeItem, _Mapping]]] = ..., statements: _Optional[_Iterable[_Union[ChangeStatement, _Mapping]]] = ..., metrics: _Optional[_Iterable[str]] = ..., assumptions: _Optional[_Iterable[str]] = ...) -> None: ...

class ChangeMetric(_message.Message):
    __slots__ = ("id", "name", "unit", "kind")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    unit: str
    kind: ChangeKind
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., unit: _Optional[str] = ..., kind: _Optional[_Union[ChangeKind, str]] = ...) -> None: ...

class ChangePeriod(_message.Message):
    __slots__ = ("to",)
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    to: str
    def __init__(self, to: _Optional[str] = ..., **kwargs) -> None: ...

class ChangeItem(_message.Message):
    __slots__ = ("id", "name", "unit")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    unit: str
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., unit: _Optional[str] = ...) -> None: ...

class ChangeStatement(_message.Message):
    __slots__ = ("role", "sql", "tables")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    role: ChangeRole
    sql: str
    tables: _containers.RepeatedCompositeFieldContainer[_sql_pb2.TableName]
    def __init__(self, role: _Optional[_Union[ChangeRole, str]] = ..., sql: _Optional[str] = ..., tables: _Optional[_Iterable[_Union[_sql_pb2.TableName, _Mapping]]] = ...) -> None: ...
