import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ChartKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHART_KIND_UNSPECIFIED: _ClassVar[ChartKind]
    CHART_KIND_LINE: _ClassVar[ChartKind]
    CHART_KIND_BAR: _ClassVar[ChartKind]
    CHART_KIND_STACKED_BAR: _ClassVar[ChartKind]
    CHART_KIND_PIE: _ClassVar[ChartKind]
    CHART_KIND_SCATTER: _ClassVar[ChartKind]
    CHART_KIND_HEATMAP: _ClassVar[ChartKind]
    CHART_KIND_BIG_NUMBER: _ClassVar[ChartKind]
    CHART_KIND_TABLE: _ClassVar[ChartKind]
CHART_KIND_UNSPECIFIED: ChartKind
CHART_KIND_LINE: ChartKind
CHART_KIND_BAR: ChartKind
CHART_KIND_STACKED_BAR: ChartKind
CHART_KIND_PIE: ChartKind
CHART_KIND_SCATTER: ChartKind
CHART_KIND_HEATMAP: ChartKind
CHART_KIND_BIG_NUMBER: ChartKind
CHART_KIND_TABLE: ChartKind

class ResultColumn(_message.Message):
    __slots__ = ("name", "type", "unit", "period")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    PERIOD_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: str
    unit: str
    period: str
    def __init__(self, name: _Optional[str] = ..., type: _Optional[str] = ..., unit: _Optional[str] = ..., period: _Optional[str] = ...) -> None: ...

class ResultRow(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Value]
    def __init__(self, values: _Optional[_Iterable[_Union[_struct_pb2.Value, _Mapping]]] = ...) -> None: ...

class ResultPage(_message.Message):
    __slots__ = ("columns", "rows", "total_rows", "truncated", "result_id", "next_page_token")
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_ROWS_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    RESULT_ID_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    columns: _containers.RepeatedCompositeFieldContainer[ResultColumn]
    rows: _containers.RepeatedCompositeFieldContainer[ResultRow]
    total_rows: int
    truncated: bool
    result_id: str
    next_page_token: str
    def __init__(self, columns: _Optional[_Iterable[_Union[ResultColumn, _Mapping]]] = ..., rows: _Optional[_Iterable[_Union[ResultRow, _Mapping]]] = ..., total_rows: _Optional[int] = ..., truncated: bool = ..., result_id: _Optional[str] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class Chart(_message.Message):
    __slots__ = ("kind", "title", "x", "y", "series", "echarts_option_json", "alt_text", "reason", "alternatives")
    KIND_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    SERIES_FIELD_NUMBER: _ClassVar[int]
    ECHARTS_OPTION_JSON_FIELD_NUMBER: _ClassVar[int]
    ALT_TEXT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ALTERNATIVES_FIELD_NUMBER: _ClassVar[int]
    kind: ChartKind
    title: str
    x: str
    y: _containers.RepeatedScalarFieldContainer[str]
    series: str
    echarts_option_json: str
    alt_text: str
    reason: str
    alternatives: _containers.RepeatedCompositeFieldContainer[ChartAlternative]
    def __init__(self, kind: _Optional[_Union[ChartKind, str]] = ..., title: _Optional[str] = ..., x: _Optional[str] = ..., y: _Optional[_Iterable[str]] = ..., series: _Optional[str] = ..., echarts_option_json: _Optional[str] = ..., alt_text: _Optional[str] = ..., reason: _Optional[str] = ..., alternatives: _Optional[_Iterable[_Union[ChartAlternative, _Mapping]]] = ...) -> None: ...

class ChartAlternative(_message.Message):
    __slots__ = ("kind", "reason")
    KIND_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    kind: ChartKind
    reason: str
    def __init__(self, kind: _Optional[_Union[ChartKind, str]] = ..., reason: _Optional[str] = ...) -> None: ...

class Finding(_message.Message):
    __slots__ = ("kind", "text", "evidence")
    class EvidenceEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    KIND_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    kind: str
    text: str
    evidence: _containers.ScalarMap[str, float]
    def __init__(self, kind: _Optional[str] = ..., text: _Optional[str] = ..., evidence: _Optional[_Mapping[str, float]] = ...) -> None: ...

class TableFreshness(_message.Message):
    __slots__ = ("table", "updated_at", "latest_partition")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    LATEST_PARTITION_FIELD_NUMBER: _ClassVar[int]
    table: str
    updated_at: _timestamp_pb2.Timestamp
    latest_partition: str
    def __init__(self, table: _Optional[str] = ..., updated_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., latest_partition: _Optional[str] = ...) -> None: ...

class Certificate(_message.Message):
    __slots__ = ("tables", "metrics", "filters", "guard_changes", "rows", "bytes_scanned", "assumptions", "confidence", "abstained_reason", "statement_sha256", "paragraph")
    TABLES_FIELD_NUMBER: _ClassVar[int]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    GUARD_CHANGES_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    BYTES_SCANNED_FIELD_NUMBER: _ClassVar[int]
    ASSUMPTIONS_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    ABSTAINED_REASON_FIELD_NUMBER: _ClassVar[int]
    STATEMENT_SHA256_FIELD_NUMBER: _ClassVar[int]
    PARAGRAPH_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[TableFreshness]
    metrics: _containers.RepeatedScalarFieldContainer[str]
    filters: _containers.RepeatedScalarFieldContainer[str]
    guard_changes: _containers.RepeatedCompositeFieldContainer[GuardChangeNote]
    rows: int
    bytes_scanned: int
    assumptions: _containers.RepeatedScalarFieldContainer[str]
    confidence: float
    abstained_reason: str
    statement_sha256: str
    paragraph: str
    def __init__(self, tables: _Optional[_Iterable[_Union[TableFreshness, _Mapping]]] = ..., metrics: _Optional[_Iterable[str]] = ..., filters: _Optional[_Iterable[str]] = ..., guard_changes: _Optional[_Iterable[_Union[GuardChangeNote, _Mapping]]] = ..., rows: _Optional[int] = ..., bytes_scanned: _Optional[int] = ..., assumptions: _Optional[_Iterable[str]] = ..., confidence: _Optional[float] = ..., abstained_reason: _Optional[str] = ..., statement_sha256: _Optional[str] = ..., paragraph: _Optional[str] = ...) -> None: ...

class GuardChangeNote(_message.Message):
    __slots__ = ("rule", "message")
    RULE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    rule: str
    message: str
    def __init__(self, rule: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...
