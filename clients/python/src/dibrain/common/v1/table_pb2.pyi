import datetime

from buf.validate import validate_pb2 as _validate_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TableKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TABLE_KIND_UNSPECIFIED: _ClassVar[TableKind]
    TABLE_KIND_HIVE_TABLE: _ClassVar[TableKind]
    TABLE_KIND_CHAT_DATASET: _ClassVar[TableKind]
TABLE_KIND_UNSPECIFIED: TableKind
TABLE_KIND_HIVE_TABLE: TableKind
TABLE_KIND_CHAT_DATASET: TableKind

class TableRef(_message.Message):
    __slots__ = ("idc_region", "schema", "table")
    IDC_REGION_FIELD_NUMBER: _ClassVar[int]
    SCHEMA_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    idc_region: str
    schema: str
    table: str
    def __init__(self, idc_region: _Optional[str] = ..., schema: _Optional[str] = ..., table: _Optional[str] = ...) -> None: ...

class Column(_message.Message):
    __slots__ = ("name", "type", "comment", "primary_key", "partition", "sample_values", "nullable", "distinct_count", "unit", "written", "unread", "resembles", "personal", "absent", "missing", "low", "high", "not_joined")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    COMMENT_FIELD_NUMBER: _ClassVar[int]
    PRIMARY_KEY_FIELD_NUMBER: _ClassVar[int]
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_VALUES_FIELD_NUMBER: _ClassVar[int]
    NULLABLE_FIELD_NUMBER: _ClassVar[int]
    DISTINCT_COUNT_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    WRITTEN_FIELD_NUMBER: _ClassVar[int]
    UNREAD_FIELD_NUMBER: _ClassVar[int]
    RESEMBLES_FIELD_NUMBER: _ClassVar[int]
    PERSONAL_FIELD_NUMBER: _ClassVar[int]
    ABSENT_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    NOT_JOINED_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: str
    comment: str
    primary_key: bool
    partition: bool
    sample_values: _containers.RepeatedScalarFieldContainer[str]
    nullable: bool
    distinct_count: int
    unit: str
    written: str
    unread: int
    resembles: str
    personal: PersonalData
    absent: int
    missing: int
    low: str
    high: str
    not_joined: bool
    def __init__(self, name: _Optional[str] = ..., type: _Optional[str] = ..., comment: _Optional[str] = ..., primary_key: bool = ..., partition: bool = ..., sample_values: _Optional[_Iterable[str]] = ..., nullable: bool = ..., distinct_count: _Optional[int] = ..., unit: _Optional[str] = ..., written: _Optional[str] = ..., unread: _Optional[int] = ..., resembles: _Optional[str] = ..., personal: _Optional[_Union[PersonalData, _Mapping]] = ..., absent: _Optional[int] = ..., missing: _Optional[int] = ..., low: _Optional[str] = ..., high: _Optional[str] = ..., not_joined: bool = ...) -> None: ...

class PersonalData(_message.Message):
    __slots__ = ("kind", "reason")
    KIND_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    kind: str
    reason: str
    def __init__(self, kind: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class ForeignKey(_message.Message):
    __slots__ = ("columns", "ref_table", "ref_columns", "found")
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    REF_TABLE_FIELD_NUMBER: _ClassVar[int]
    REF_COLUMNS_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    columns: _containers.RepeatedScalarFieldContainer[str]
    ref_table: TableRef
    ref_columns: _containers.RepeatedScalarFieldContainer[str]
    found: KeyEvidence
    def __init__(self, columns: _Optional[_Iterable[str]] = ..., ref_table: _Optional[_Union[TableRef, _Mapping]] = ..., ref_columns: _Optional[_Iterable[str]] = ..., found: _Optional[_Union[KeyEvidence, _Mapping]] = ...) -> None: ...

class KeyEvidence(_message.Message):
    __slots__ = ("reason", "person", "values", "sampled")
    REASON_FIELD_NUMBER: _ClassVar[int]
    PERSON_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    SAMPLED_FIELD_NUMBER: _ClassVar[int]
    reason: str
    person: bool
    values: int
    sampled: bool
    def __init__(self, reason: _Optional[str] = ..., person: bool = ..., values: _Optional[int] = ..., sampled: bool = ...) -> None: ...

class TableDetail(_message.Message):
    __slots__ = ("ref", "kind", "description", "columns", "foreign_keys", "mart", "layer", "country", "manifest", "owner", "row_count", "updated_at", "query_count_30d", "successor", "grain", "topic", "tags", "quality", "usage", "unread_rows", "upstream", "row_key", "dependencies")
    REF_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    FOREIGN_KEYS_FIELD_NUMBER: _ClassVar[int]
    MART_FIELD_NUMBER: _ClassVar[int]
    LAYER_FIELD_NUMBER: _ClassVar[int]
    COUNTRY_FIELD_NUMBER: _ClassVar[int]
    MANIFEST_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    ROW_COUNT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    QUERY_COUNT_30D_FIELD_NUMBER: _ClassVar[int]
    SUCCESSOR_FIELD_NUMBER: _ClassVar[int]
    GRAIN_FIELD_NUMBER: _ClassVar[int]
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    QUALITY_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    UNREAD_ROWS_FIELD_NUMBER: _ClassVar[int]
    UPSTREAM_FIELD_NUMBER: _ClassVar[int]
    ROW_KEY_FIELD_NUMBER: _ClassVar[int]
    DEPENDENCIES_FIELD_NUMBER: _ClassVar[int]
    ref: TableRef
    kind: TableKind
    description: str
    columns: _containers.RepeatedCompositeFieldContainer[Column]
    foreign_keys: _containers.RepeatedCompositeFieldContainer[ForeignKey]
    mart: str
    layer: str
    country: str
    manifest: str
    owner: str
    row_count: int
    updated_at: _timestamp_pb2.Timestamp
    query_count_30d: int
    successor: str
    grain: str
    topic: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    quality: float
    usage: TableUsage
    unread_rows: int
    upstream: _containers.RepeatedCompositeFieldContainer[TableRef]
    row_key: _containers.RepeatedScalarFieldContainer[str]
    dependencies: _containers.RepeatedCompositeFieldContainer[Dependency]
    def __init__(self, ref: _Optional[_Union[TableRef, _Mapping]] = ..., kind: _Optional[_Union[TableKind, str]] = ..., description: _Optional[str] = ..., columns: _Optional[_Iterable[_Union[Column, _Mapping]]] = ..., foreign_keys: _Optional[_Iterable[_Union[ForeignKey, _Mapping]]] = ..., mart: _Optional[str] = ..., layer: _Optional[str] = ..., country: _Optional[str] = ..., manifest: _Optional[str] = ..., owner: _Optional[str] = ..., row_count: _Optional[int] = ..., updated_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., query_count_30d: _Optional[int] = ..., successor: _Optional[str] = ..., grain: _Optional[str] = ..., topic: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., quality: _Optional[float] = ..., usage: _Optional[_Union[TableUsage, _Mapping]] = ..., unread_rows: _Optional[int] = ..., upstream: _Optional[_Iterable[_Union[TableRef, _Mapping]]] = ..., row_key: _Optional[_Iterable[str]] = ..., dependencies: _Optional[_Iterable[_Union[Dependency, _Mapping]]] = ...) -> None: ...

class Dependency(_message.Message):
    __slots__ = ("column", "determines")
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    DETERMINES_FIELD_NUMBER: _ClassVar[int]
    column: str
    determines: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, column: _Optional[str] = ..., determines: _Optional[_Iterable[str]] = ...) -> None: ...

class TableUsage(_message.Message):
    __slots__ = ("until", "last_day", "people", "columns", "joins")
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    LAST_DAY_FIELD_NUMBER: _ClassVar[int]
    PEOPLE_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    JOINS_FIELD_NUMBER: _ClassVar[int]
    until: _timestamp_pb2.Timestamp
    last_day: str
    people: int
    columns: _containers.RepeatedCompositeFieldContainer[ColumnUsage]
    joins: _containers.RepeatedCompositeFieldContainer[TableJoin]
    def __init__(self, until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_day: _Optional[str] = ..., people: _Optional[int] = ..., columns: _Optional[_Iterable[_Union[ColumnUsage, _Mapping]]] = ..., joins: _Optional[_Iterable[_Union[TableJoin, _Mapping]]] = ...) -> None: ...

class ColumnUsage(_message.Message):
    __slots__ = ("column", "queries", "last_day")
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    LAST_DAY_FIELD_NUMBER: _ClassVar[int]
    column: str
    queries: int
    last_day: str
    def __init__(self, column: _Optional[str] = ..., queries: _Optional[int] = ..., last_day: _Optional[str] = ...) -> None: ...

class TableJoin(_message.Message):
    __slots__ = ("table", "columns", "ref_columns", "queries", "last_day")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    REF_COLUMNS_FIELD_NUMBER: _ClassVar[int]
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    LAST_DAY_FIELD_NUMBER: _ClassVar[int]
    table: TableRef
    columns: _containers.RepeatedScalarFieldContainer[str]
    ref_columns: _containers.RepeatedScalarFieldContainer[str]
    queries: int
    last_day: str
    def __init__(self, table: _Optional[_Union[TableRef, _Mapping]] = ..., columns: _Optional[_Iterable[str]] = ..., ref_columns: _Optional[_Iterable[str]] = ..., queries: _Optional[int] = ..., last_day: _Optional[str] = ...) -> None: ...

class GlossaryTerm(_message.Message):
    __slots__ = ("term", "synonyms", "definition", "mart", "knowledge_base")
    TERM_FIELD_NUMBER: _ClassVar[int]
    SYNONYMS_FIELD_NUMBER: _ClassVar[int]
    DEFINITION_FIELD_NUMBER: _ClassVar[int]
    MART_FIELD_NUMBER: _ClassVar[int]
    KNOWLEDGE_BASE_FIELD_NUMBER: _ClassVar[int]
    term: str
    synonyms: _containers.RepeatedScalarFieldContainer[str]
    definition: str
    mart: str
    knowledge_base: str
    def __init__(self, term: _Optional[str] = ..., synonyms: _Optional[_Iterable[str]] = ..., definition: _Optional[str] = ..., mart: _Optional[str] = ..., knowledge_base: _Optional[str] = ...) -> None: ...

class BusinessRule(_message.Message):
    __slots__ = ("id", "text", "mart", "knowledge_base")
    ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    MART_FIELD_NUMBER: _ClassVar[int]
    KNOWLEDGE_BASE_FIELD_NUMBER: _ClassVar[int]
    id: str
    text: str
    mart: str
    knowledge_base: str
    def __init__(self, id: _Optional[str] = ..., text: _Optional[str] = ..., mart: _Optional[str] = ..., knowledge_base: _Optional[str] = ...) -> None: ...
