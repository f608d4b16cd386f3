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

class Language(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LANGUAGE_UNSPECIFIED: _ClassVar[Language]
    LANGUAGE_EN: _ClassVar[Language]
    LANGUAGE_ZH: _ClassVar[Language]
LANGUAGE_UNSPECIFIED: Language
LANGUAGE_EN: Language
LANGUAGE_ZH: Language

class RunContext(_message.Message):
    __slots__ = ("run_id", "parent_run_id", "session_id", "chat_id", "tool_call_id", "now", "time_zone")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    PARENT_RUN_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CHAT_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    NOW_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    parent_run_id: str
    session_id: str
    chat_id: str
    tool_call_id: str
    now: _timestamp_pb2.Timestamp
    time_zone: str
    def __init__(self, run_id: _Optional[str] = ..., parent_run_id: _Optional[str] = ..., session_id: _Optional[str] = ..., chat_id: _Optional[str] = ..., tool_call_id: _Optional[str] = ..., now: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., time_zone: _Optional[str] = ...) -> None: ...

class UserContext(_message.Message):
    __slots__ = ("email", "department", "region", "background", "time_zone", "language")
    EMAIL_FIELD_NUMBER: _ClassVar[int]
    DEPARTMENT_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    BACKGROUND_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    email: str
    department: str
    region: str
    background: str
    time_zone: str
    language: Language
    def __init__(self, email: _Optional[str] = ..., department: _Optional[str] = ..., region: _Optional[str] = ..., background: _Optional[str] = ..., time_zone: _Optional[str] = ..., language: _Optional[_Union[Language, str]] = ...) -> None: ...

class Warning(_message.Message):
    __slots__ = ("code", "message")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    code: str
    message: str
    def __init__(self, code: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class Option(_message.Message):
    __slots__ = ("id", "label", "description")
    ID_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    id: str
    label: str
    description: str
    def __init__(self, id: _Optional[str] = ..., label: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class Question(_message.Message):
    __slots__ = ("text", "options", "tool_name", "tool_call_id")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    text: str
    options: _containers.RepeatedCompositeFieldContainer[Option]
    tool_name: str
    tool_call_id: str
    def __init__(self, text: _Optional[str] = ..., options: _Optional[_Iterable[_Union[Option, _Mapping]]] = ..., tool_name: _Optional[str] = ..., tool_call_id: _Optional[str] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("model_calls", "input_tokens", "output_tokens", "milliseconds", "bytes_scanned", "model_tokens", "model_cost", "model_currency")
    MODEL_CALLS_FIELD_NUMBER: _ClassVar[int]
    INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    BYTES_SCANNED_FIELD_NUMBER: _ClassVar[int]
    MODEL_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MODEL_COST_FIELD_NUMBER: _ClassVar[int]
    MODEL_CURRENCY_FIELD_NUMBER: _ClassVar[int]
    model_calls: int
    input_tokens: int
    output_tokens: int
    milliseconds: int
    bytes_scanned: int
    model_tokens: int
    model_cost: float
    model_currency: str
    def __init__(self, model_calls: _Optional[int] = ..., input_tokens: _Optional[int] = ..., output_tokens: _Optional[int] = ..., milliseconds: _Optional[int] = ..., bytes_scanned: _Optional[int] = ..., model_tokens: _Optional[int] = ..., model_cost: _Optional[float] = ..., model_currency: _Optional[str] = ...) -> None: ...
