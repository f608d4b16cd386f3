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

class WatchStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WATCH_STATUS_UNSPECIFIED: _ClassVar[WatchStatus]
    WATCH_STATUS_ACTIVE: _ClassVar[WatchStatus]
    WATCH_STATUS_PAUSED: _ClassVar[WatchStatus]
    WATCH_STATUS_STOPPED: _ClassVar[WatchStatus]

class WatchOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WATCH_OUTCOME_UNSPECIFIED: _ClassVar[WatchOutcome]
    WATCH_OUTCOME_DELIVERED: _ClassVar[WatchOutcome]
    WATCH_OUTCOME_KEPT: _ClassVar[WatchOutcome]
    WATCH_OUTCOME_QUIET: _ClassVar[WatchOutcome]
    WATCH_OUTCOME_NO_NEW_DATA: _ClassVar[WatchOutcome]
    WATCH_OUTCOME_FAILED: _ClassVar[WatchOutcome]
    WATCH_OUTCOME_UNDELIVERED: _ClassVar[WatchOutcome]
    WATCH_OUTCOME_STOPPED: _ClassVar[WatchOutcome]
WATCH_STATUS_UNSPECIFIED: WatchStatus
WATCH_STATUS_ACTIVE: WatchStatus
WATCH_STATUS_PAUSED: WatchStatus
WATCH_STATUS_STOPPED: WatchStatus
WATCH_OUTCOME_UNSPECIFIED: WatchOutcome
WATCH_OUTCOME_DELIVERED: WatchOutcome
WATCH_OUTCOME_KEPT: WatchOutcome
WATCH_OUTCOME_QUIET: WatchOutcome
WATCH_OUTCOME_NO_NEW_DATA: WatchOutcome
WATCH_OUTCOME_FAILED: WatchOutcome
WATCH_OUTCOME_UNDELIVERED: WatchOutcome
WATCH_OUTCOME_STOPPED: WatchOutcome

class WatchGates(_message.Message):
    __slots__ = ("on_new_data", "tables", "on_finding")
    ON_NEW_DATA_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    ON_FINDING_FIELD_NUMBER: _ClassVar[int]
    on_new_data: bool
    tables: _containers.RepeatedScalarFieldContainer[str]
    on_finding: bool
    def __init__(self, on_new_data: bool = ..., tables: _Optional[_Iterable[str]] = ..., on_finding: bool = ...) -> None: ...

class WatchSpec(_message.Message):
    __slots__ = ("name", "question", "source", "schedule", "time_zone", "gates", "target", "cost_confirmed", "agent_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    GATES_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    COST_CONFIRMED_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    question: str
    source: str
    schedule: str
    time_zone: str
    gates: WatchGates
    target: str
    cost_confirmed: bool
    agent_id: str
    def __init__(self, name: _Optional[str] = ..., question: _Optional[str] = ..., source: _Optional[str] = ..., schedule: _Optional[str] = ..., time_zone: _Optional[str] = ..., gates: _Optional[_Union[WatchGates, _Mapping]] = ..., target: _Optional[str] = ..., cost_confirmed: bool = ..., agent_id: _Optional[str] = ...) -> None: ...

class WatchGrant(_message.Message):
    __slots__ = ("principal", "groups", "granted_at", "expires_at", "revoked_at", "revoked_by")
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    GRANTED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    REVOKED_AT_FIELD_NUMBER: _ClassVar[int]
    REVOKED_BY_FIELD_NUMBER: _ClassVar[int]
    principal: str
    groups: _containers.RepeatedScalarFieldContainer[str]
    granted_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    revoked_at: _timestamp_pb2.Timestamp
    revoked_by: str
    def __init__(self, principal: _Optional[str] = ..., groups: _Optional[_Iterable[str]] = ..., granted_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revoked_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revoked_by: _Optional[str] = ...) -> None: ...

class WatchRun(_message.Message):
    __slots__ = ("run_id", "due_at", "began_at", "ended_at", "outcome", "message", "analysis_id", "delivery_tries", "findings")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    DUE_AT_FIELD_NUMBER: _ClassVar[int]
    BEGAN_AT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    ANALYSIS_ID_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_TRIES_FIELD_NUMBER: _ClassVar[int]
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    due_at: _timestamp_pb2.Timestamp
    began_at: _timestamp_pb2.Timestamp
    ended_at: _timestamp_pb2.Timestamp
    outcome: WatchOutcome
    message: str
    analysis_id: str
    delivery_tries: int
    findings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, run_id: _Optional[str] = ..., due_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., began_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ended_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., outcome: _Optional[_Union[WatchOutcome, str]] = ..., message: _Optional[str] = ..., analysis_id: _Optional[str] = ..., delivery_tries: _Optional[int] = ..., findings: _Optional[_Iterable[str]] = ...) -> None: ...

class Watch(_message.Message):
    __slots__ = ("watch_id", "spec", "status", "stopped_because", "grant", "next_at", "current", "runs", "created_at")
    WATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    STOPPED_BECAUSE_FIELD_NUMBER: _ClassVar[int]
    GRANT_FIELD_NUMBER: _ClassVar[int]
    NEXT_AT_FIELD_NUMBER: _ClassVar[int]
    CURRENT_FIELD_NUMBER: _ClassVar[int]
    RUNS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    watch_id: str
    spec: WatchSpec
    status: WatchStatus
    stopped_because: str
    grant: WatchGrant
    next_at: _timestamp_pb2.Timestamp
    current: WatchRun
    runs: _containers.RepeatedCompositeFieldContainer[WatchRun]
    created_at: _timestamp_pb2.Timestamp
    def __init__(self, watch_id: _Optional[str] = ..., spec: _Optional[_Union[WatchSpec, _Mapping]] = ..., status: _Optional[_Union[WatchStatus, str]] = ..., stopped_because: _Optional[str] = ..., grant: _Optional[_Union[WatchGrant, _Mapping]] = ..., next_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., current: _Optional[_Union[WatchRun, _Mapping]] = ..., runs: _Optional[_Iterable[_Union[WatchRun, _Mapping]]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateWatchRequest(_message.Message):
    __slots__ = ("spec",)
    SPEC_FIELD_NUMBER: _ClassVar[int]
    spec: WatchSpec
    def __init__(self, spec: _Optional[_Union[WatchSpec, _Mapping]] = ...) -> None: ...

class CreateWatchResponse(_message.Message):
    __slots__ = ("watch",)
    WATCH_FIELD_NUMBER: _ClassVar[int]
    watch: Watch
    def __init__(self, watch: _Optional[_Union[Watch, _Mapping]] = ...) -> None: ...

class GetWatchRequest(_message.Message):
    __slots__ = ("watch_id",)
    WATCH_ID_FIELD_NUMBER: _ClassVar[int]
    watch_id: str
    def __init__(self, watch_id: _Optional[str] = ...) -> None: ...

class GetWatchResponse(_message.Message):
    __slots__ = ("watch",)
    WATCH_FIELD_NUMBER: _ClassVar[int]
    watch: Watch
    def __init__(self, watch: _Optional[_Union[Watch, _Mapping]] = ...) -> None: ...

class ListWatchesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListWatchesResponse(_message.Message):
    __slots__ = ("watches",)
    WATCHES_FIELD_NUMBER: _ClassVar[int]
    watches: _containers.RepeatedCompositeFieldContainer[Watch]
    def __init__(self, watches: _Optional[_Iterable[_Union[Watch, _Mapping]]] = ...) -> None: ...

class RunWatchRequest(_message.Message):
    __slots__ = ("watch_id", "ignore_gates")
    WATCH_ID_FIELD_NUMBER: _ClassVar[int]
    IGNORE_GATES_FIELD_NUMBER: _ClassVar[int]
    watch_id: str
    ignore_gates: bool
    def __init__(self, watch_id: _Optional[str] = ..., ignore_gates: bool = ...) -> None: ...

class RunWatchResponse(_message.Message):
    __slots__ = ("watch",)
    WATCH_FIELD_NUMBER: _ClassVar[int]
    watch: Watch
    def __init__(self, watch: _Optional[_Union[Watch, _Mapping]] = ...) -> None: ...

class PauseWatchRequest(_message.Message):
    __slots__ = ("watch_id",)
    WATCH_ID_FIELD_NUMBER: _ClassVar[int]
    watch_id: str
    def __init__(self, watch_id: _Optional[str] = ...) -> None: ...

class PauseWatchResponse(_message.Message):
    __slots__ = ("watch",)
    WATCH_FIELD_NUMBER: _ClassVar[int]
    watch: Watch
    def __init__(self, watch: _Optional[_Union[Watch, _Mapping]] = ...) -> None: ...

class ResumeWatchRequest(_message.Message):
    __slots__ = ("watch_id",)
    WATCH_ID_FIELD_NUMBER: _ClassVar[int]
    watch_id: str
    def __init__(self, watch_id: _Optional[str] = ...) -> None: ...

class ResumeWatchResponse(_message.Message):
    __slots__ = ("watch",)
    WATCH_FIELD_NUMBER: _ClassVar[int]
    watch: Watch
    def __init__(self, watch: _Optional[_Union[Watch, _Mapping]] = ...) -> None: ...

class DeleteWatchRequest(_message.Message):
    __slots__ = ("watch_id",)
    WATCH_ID_FIELD_NUMBER: _ClassVar[int]
    watch_id: str
    def __init__(self, watch_id: _Optional[str] = ...) -> None: ...

class DeleteWatchResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RevokeWatchGrantsRequest(_message.Message):
    __slots__ = ("principal", "watch_id")
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    WATCH_ID_FIELD_NUMBER: _ClassVar[int]
    principal: str
    watch_id: str
    def __init__(self, principal: _Optional[str] = ..., watch_id: _Optional[str] = ...) -> None: ...

class RevokeWatchGrantsResponse(_message.Message):
    __slots__ = ("stopped",)
    STOPPED_FIELD_NUMBER: _ClassVar[int]
    stopped: int
    def __init__(self, stopped: _Optional[int] = ...) -> None: ...

class WatchTarget(_message.Message):
    __slots__ = ("name", "kind")
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    name: str
    kind: str
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[str] = ...) -> None: ...

class ListWatchTargetsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListWatchTargetsResponse(_message.Message):
    __slots__ = ("targets",)
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    targets: _containers.RepeatedCompositeFieldContainer[WatchTarget]
    def __init__(self, targets: _Optional[_Iterable[_Union[WatchTarget, _Mapping]]] = ...) -> None: ...
