import datetime

from buf.validate import validate_pb2 as _validate_pb2
from dibrain.chatbi.v1 import chatbi_pb2 as _chatbi_pb2
from dibrain.common.v1 import context_pb2 as _context_pb2
from dibrain.common.v1 import result_pb2 as _result_pb2
from dibrain.common.v1 import run_pb2 as _run_pb2
from dibrain.findata.v1 import findata_pb2 as _findata_pb2
from dibrain.fixsql.v1 import fixsql_pb2 as _fixsql_pb2
from dibrain.text2sql.v1 import text2sql_pb2 as _text2sql_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DispatchStrategy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DISPATCH_STRATEGY_UNSPECIFIED: _ClassVar[DispatchStrategy]
    DISPATCH_STRATEGY_UNTIL_FINAL_INTENT: _ClassVar[DispatchStrategy]
    DISPATCH_STRATEGY_CONFIRM_EACH_STEP: _ClassVar[DispatchStrategy]

class FinalIntent(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FINAL_INTENT_UNSPECIFIED: _ClassVar[FinalIntent]
    FINAL_INTENT_DATA_DISCOVERY: _ClassVar[FinalIntent]
    FINAL_INTENT_GENERATE_SQL: _ClassVar[FinalIntent]
    FINAL_INTENT_FIX_SQL: _ClassVar[FinalIntent]
    FINAL_INTENT_EXECUTE_SQL_AND_ANALYZE_RESULT: _ClassVar[FinalIntent]
    FINAL_INTENT_SEARCH_LOG: _ClassVar[FinalIntent]

class InterruptionReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INTERRUPTION_REASON_UNSPECIFIED: _ClassVar[InterruptionReason]
    INTERRUPTION_REASON_TIMEOUT: _ClassVar[InterruptionReason]
    INTERRUPTION_REASON_CANCELLED: _ClassVar[InterruptionReason]
    INTERRUPTION_REASON_TOOL_CALL_LIMIT: _ClassVar[InterruptionReason]
    INTERRUPTION_REASON_SERVER_STOPPED: _ClassVar[InterruptionReason]

class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTCOME_UNSPECIFIED: _ClassVar[Outcome]
    OUTCOME_ANSWERED: _ClassVar[Outcome]
    OUTCOME_ASKED: _ClassVar[Outcome]
    OUTCOME_ABSTAINED: _ClassVar[Outcome]
    OUTCOME_REFUSED: _ClassVar[Outcome]
    OUTCOME_DENIED: _ClassVar[Outcome]
    OUTCOME_CUT: _ClassVar[Outcome]
    OUTCOME_FAILED: _ClassVar[Outcome]
    OUTCOME_CANCELLED: _ClassVar[Outcome]

class Rating(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RATING_UNSPECIFIED: _ClassVar[Rating]
    RATING_UP: _ClassVar[Rating]
    RATING_DOWN: _ClassVar[Rating]
DISPATCH_STRATEGY_UNSPECIFIED: DispatchStrategy
DISPATCH_STRATEGY_UNTIL_FINAL_INTENT: DispatchStrategy
DISPATCH_STRATEGY_CONFIRM_EACH_STEP: DispatchStrategy
FINAL_INTENT_UNSPECIFIED: FinalIntent
FINAL_INTENT_DATA_DISCOVERY: FinalIntent
FINAL_INTENT_GENERATE_SQL: FinalIntent
FINAL_INTENT_FIX_SQL: FinalIntent
FINAL_INTENT_EXECUTE_SQL_AND_ANALYZE_RESULT: FinalIntent
FINAL_INTENT_SEARCH_LOG: FinalIntent
INTERRUPTION_REASON_UNSPECIFIED: InterruptionReason
INTERRUPTION_REASON_TIMEOUT: InterruptionReason
INTERRUPTION_REASON_CANCELLED: InterruptionReason
INTERRUPTION_REASON_TOOL_CALL_LIMIT: InterruptionReason
INTERRUPTION_REASON_SERVER_STOPPED: InterruptionReason
OUTCOME_UNSPECIFIED: Outcome
OUTCOME_ANSWERED: Outcome
OUTCOME_ASKED: Outcome
OUTCOME_ABSTAINED: Outcome
OUTCOME_REFUSED: Outcome
OUTCOME_DENIED: Outcome
OUTCOME_CUT: Outcome
OUTCOME_FAILED: Outcome
OUTCOME_CANCELLED: Outcome
RATING_UNSPECIFIED: Rating
RATING_UP: Rating
RATING_DOWN: Rating

class Turn(_message.Message):
    __slots__ = ("question", "session_id", "chat_id", "source", "agent_name", "original_sql", "sql_dialect", "error_message", "product_name", "selected_tables", "selected_table_groups", "user_context", "dispatch_strategy", "execution", "max_execute_second", "chosen_option_id", "mid_state", "page_size", "final_intent", "run_again", "agent_id")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CHAT_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    AGENT_NAME_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_SQL_FIELD_NUMBER: _ClassVar[int]
    SQL_DIALECT_FIELD_NUMBER: _ClassVar[int]
    ERROR_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    PRODUCT_NAME_FIELD_NUMBER: _ClassVar[int]
    SELECTED_TABLES_FIELD_NUMBER: _ClassVar[int]
    SELECTED_TABLE_GROUPS_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    DISPATCH_STRATEGY_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_FIELD_NUMBER: _ClassVar[int]
    MAX_EXECUTE_SECOND_FIELD_NUMBER: _ClassVar[int]
    CHOSEN_OPTION_ID_FIELD_NUMBER: _ClassVar[int]
    MID_STATE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    FINAL_INTENT_FIELD_NUMBER: _ClassVar[int]
    RUN_AGAIN_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    question: str
    session_id: str
    chat_id: str
    source: str
    agent_name: str
    original_sql: str
    sql_dialect: str
    error_message: str
    product_name: str
    selected_tables: _containers.RepeatedScalarFieldContainer[str]
    selected_table_groups: _containers.RepeatedScalarFieldContainer[str]
    user_context: _context_pb2.UserContext
    dispatch_strategy: DispatchStrategy
    execution: _text2sql_pb2.Execution
    max_execute_second: int
    chosen_option_id: str
    mid_state: str
    page_size: int
    final_intent: FinalIntent
    run_again: str
    agent_id: str
    def __init__(self, question: _Optional[str] = ..., session_id: _Optional[str] = ..., chat_id: _Optional[str] = ..., source: _Optional[str] = ..., agent_name: _Optional[str] = ..., original_sql: _Optional[str] = ..., sql_dialect: _Optional[str] = ..., error_message: _Optional[str] = ..., product_name: _Optional[str] = ..., selected_tables: _Optional[_Iterable[str]] = ..., selected_table_groups: _Optional[_Iterable[str]] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ..., dispatch_strategy: _Optional[_Union[DispatchStrategy, str]] = ..., execution: _Optional[_Union[_text2sql_pb2.Execution, str]] = ..., max_execute_second: _Optional[int] = ..., chosen_option_id: _Optional[str] = ..., mid_state: _Optional[str] = ..., page_size: _Optional[int] = ..., final_intent: _Optional[_Union[FinalIntent, str]] = ..., run_again: _Optional[str] = ..., agent_id: _Optional[str] = ...) -> None: ...

class ToolCall(_message.Message):
    __slots__ = ("tool_call_id", "tool_name", "agent_name", "arguments", "source_tool_call_id", "next_tool_call_id", "run_id", "status", "started_at", "ended_at", "data_discovery", "generate_sql", "fix_sql", "explain_sql", "execute", "text", "outside", "explain_change", "error", "error_reason", "page", "chart")
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    AGENT_NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    NEXT_TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    DATA_DISCOVERY_FIELD_NUMBER: _ClassVar[int]
    GENERATE_SQL_FIELD_NUMBER: _ClassVar[int]
    FIX_SQL_FIELD_NUMBER: _ClassVar[int]
    EXPLAIN_SQL_FIELD_NUMBER: _ClassVar[int]
    EXECUTE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    OUTSIDE_FIELD_NUMBER: _ClassVar[int]
    EXPLAIN_CHANGE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    ERROR_REASON_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    CHART_FIELD_NUMBER: _ClassVar[int]
    tool_call_id: str
    tool_name: str
    agent_name: str
    arguments: _struct_pb2.Struct
    source_tool_call_id: str
    next_tool_call_id: str
    run_id: str
    status: _run_pb2.RunStatus
    started_at: _timestamp_pb2.Timestamp
    ended_at: _timestamp_pb2.Timestamp
    data_discovery: _findata_pb2.DiscoverResult
    generate_sql: _text2sql_pb2.GenerateResult
    fix_sql: _fixsql_pb2.FixSQLResponse
    explain_sql: _fixsql_pb2.ExplainSQLResponse
    execute: _chatbi_pb2.ExecuteResult
    text: str
    outside: _struct_pb2.Struct
    explain_change: _chatbi_pb2.ExplainResult
    error: str
    error_reason: str
    page: _result_pb2.ResultPage
    chart: _result_pb2.Chart
    def __init__(self, tool_call_id: _Optional[str] = ..., tool_name: _Optional[str] = ..., agent_name: _Optional[str] = ..., arguments: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., source_tool_call_id: _Optional[str] = ..., next_tool_call_id: _Optional[str] = ..., run_id: _Optional[str] = ..., status: _Optional[_Union[_run_pb2.RunStatus, str]] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ended_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., data_discovery: _Optional[_Union[_findata_pb2.DiscoverResult, _Mapping]] = ..., generate_sql: _Optional[_Union[_text2sql_pb2.GenerateResult, _Mapping]] = ..., fix_sql: _Optional[_Union[_fixsql_pb2.FixSQLResponse, _Mapping]] = ..., explain_sql: _Optional[_Union[_fixsql_pb2.ExplainSQLResponse, _Mapping]] = ..., execute: _Optional[_Union[_chatbi_pb2.ExecuteResult, _Mapping]] = ..., text: _Optional[str] = ..., outside: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., explain_change: _Optional[_Union[_chatbi_pb2.ExplainResult, _Mapping]] = ..., error: _Optional[str] = ..., error_reason: _Optional[str] = ..., page: _Optional[_Union[_result_pb2.ResultPage, _Mapping]] = ..., chart: _Optional[_Union[_result_pb2.Chart, _Mapping]] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("run_id", "session_id", "chat_id", "response_agent", "text", "language", "final_intent", "rewritten_question", "tool_calls", "ask_human", "question", "warnings", "interruption_reason", "usage", "mid_state", "plan", "outcome")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CHAT_ID_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_AGENT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    FINAL_INTENT_FIELD_NUMBER: _ClassVar[int]
    REWRITTEN_QUESTION_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALLS_FIELD_NUMBER: _ClassVar[int]
    ASK_HUMAN_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    INTERRUPTION_REASON_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    MID_STATE_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    session_id: str
    chat_id: str
    response_agent: str
    text: str
    language: _context_pb2.Language
    final_intent: FinalIntent
    rewritten_question: str
    tool_calls: _containers.RepeatedCompositeFieldContainer[ToolCall]
    ask_human: bool
    question: _context_pb2.Question
    warnings: _containers.RepeatedCompositeFieldContainer[_context_pb2.Warning]
    interruption_reason: InterruptionReason
    usage: _context_pb2.Usage
    mid_state: str
    plan: _containers.RepeatedScalarFieldContainer[str]
    outcome: Outcome
    def __init__(self, run_id: _Optional[str] = ..., session_id: _Optional[str] = ..., chat_id: _Optional[str] = ..., response_agent: _Optional[str] = ..., text: _Optional[str] = ..., language: _Optional[_Union[_context_pb2.Language, str]] = ..., final_intent: _Optional[_Union[FinalIntent, str]] = ..., rewritten_question: _Optional[str] = ..., tool_calls: _Optional[_Iterable[_Union[ToolCall, _Mapping]]] = ..., ask_human: bool = ..., question: _Optional[_Union[_context_pb2.Question, _Mapping]] = ..., warnings: _Optional[_Iterable[_Union[_context_pb2.Warning, _Mapping]]] = ..., interruption_reason: _Optional[_Union[InterruptionReason, str]] = ..., usage: _Optional[_Union[_context_pb2.Usage, _Mapping]] = ..., mid_state: _Optional[str] = ..., plan: _Optional[_Iterable[str]] = ..., outcome: _Optional[_Union[Outcome, str]] = ...) -> None: ...

class AskRequest(_message.Message):
    __slots__ = ("turn",)
    TURN_FIELD_NUMBER: _ClassVar[int]
    turn: Turn
    def __init__(self, turn: _Optional[_Union[Turn, _Mapping]] = ...) -> None: ...

class AskResponse(_message.Message):
    __slots__ = ("answer",)
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    answer: Answer
    def __init__(self, answer: _Optional[_Union[Answer, _Mapping]] = ...) -> None: ...

class ChatRequest(_message.Message):
    __slots__ = ("turn",)
    TURN_FIELD_NUMBER: _ClassVar[int]
    turn: Turn
    def __init__(self, turn: _Optional[_Union[Turn, _Mapping]] = ...) -> None: ...

class ChatResponse(_message.Message):
    __slots__ = ("run_started", "tool_started", "tool_progress", "tool_finished", "text_delta", "answer")
    RUN_STARTED_FIELD_NUMBER: _ClassVar[int]
    TOOL_STARTED_FIELD_NUMBER: _ClassVar[int]
    TOOL_PROGRESS_FIELD_NUMBER: _ClassVar[int]
    TOOL_FINISHED_FIELD_NUMBER: _ClassVar[int]
    TEXT_DELTA_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    run_started: RunStarted
    tool_started: ToolStarted
    tool_progress: ToolProgress
    tool_finished: ToolFinished
    text_delta: TextDelta
    answer: Answer
    def __init__(self, run_started: _Optional[_Union[RunStarted, _Mapping]] = ..., tool_started: _Optional[_Union[ToolStarted, _Mapping]] = ..., tool_progress: _Optional[_Union[ToolProgress, _Mapping]] = ..., tool_finished: _Optional[_Union[ToolFinished, _Mapping]] = ..., text_delta: _Optional[_Union[TextDelta, _Mapping]] = ..., answer: _Optional[_Union[Answer, _Mapping]] = ...) -> None: ...

class RunStarted(_message.Message):
    __slots__ = ("run_id", "session_id", "rewritten_question")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REWRITTEN_QUESTION_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    session_id: str
    rewritten_question: str
    def __init__(self, run_id: _Optional[str] = ..., session_id: _Optional[str] = ..., rewritten_question: _Optional[str] = ...) -> None: ...

class ToolStarted(_message.Message):
    __slots__ = ("tool_call_id", "tool_name", "agent_name")
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    AGENT_NAME_FIELD_NUMBER: _ClassVar[int]
    tool_call_id: str
    tool_name: str
    agent_name: str
    def __init__(self, tool_call_id: _Optional[str] = ..., tool_name: _Optional[str] = ..., agent_name: _Optional[str] = ...) -> None: ...

class ToolProgress(_message.Message):
    __slots__ = ("tool_call_id", "message", "fraction", "rows", "first_page")
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    FRACTION_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    FIRST_PAGE_FIELD_NUMBER: _ClassVar[int]
    tool_call_id: str
    message: str
    fraction: float
    rows: int
    first_page: _result_pb2.ResultPage
    def __init__(self, tool_call_id: _Optional[str] = ..., message: _Optional[str] = ..., fraction: _Optional[float] = ..., rows: _Optional[int] = ..., first_page: _Optional[_Union[_result_pb2.ResultPage, _Mapping]] = ...) -> None: ...

class ToolFinished(_message.Message):
    __slots__ = ("tool_call",)
    TOOL_CALL_FIELD_NUMBER: _ClassVar[int]
    tool_call: ToolCall
    def __init__(self, tool_call: _Optional[_Union[ToolCall, _Mapping]] = ...) -> None: ...

class TextDelta(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class GetRunRequest(_message.Message):
    __slots__ = ("run_id", "principal")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    principal: str
    def __init__(self, run_id: _Optional[str] = ..., principal: _Optional[str] = ...) -> None: ...

class GetRunResponse(_message.Message):
    __slots__ = ("records", "question", "session_id")
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[_run_pb2.RunRecord]
    question: str
    session_id: str
    def __init__(self, records: _Optional[_Iterable[_Union[_run_pb2.RunRecord, _Mapping]]] = ..., question: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListRunsRequest(_message.Message):
    __slots__ = ("session_id", "status", "page_size", "page_token", "principal")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    status: _run_pb2.RunStatus
    page_size: int
    page_token: str
    principal: str
    def __init__(self, session_id: _Optional[str] = ..., status: _Optional[_Union[_run_pb2.RunStatus, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., principal: _Optional[str] = ...) -> None: ...

class RunSummary(_message.Message):
    __slots__ = ("record", "question", "session_id")
    RECORD_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    record: _run_pb2.RunRecord
    question: str
    session_id: str
    def __init__(self, record: _Optional[_Union[_run_pb2.RunRecord, _Mapping]] = ..., question: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListRunsResponse(_message.Message):
    __slots__ = ("runs", "next_page_token")
    RUNS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    runs: _containers.RepeatedCompositeFieldContainer[RunSummary]
    next_page_token: str
    def __init__(self, runs: _Optional[_Iterable[_Union[RunSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CancelRunRequest(_message.Message):
    __slots__ = ("run_id",)
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    def __init__(self, run_id: _Optional[str] = ...) -> None: ...

class CancelRunResponse(_message.Message):
    __slots__ = ("status",)
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: _run_pb2.RunStatus
    def __init__(self, status: _Optional[_Union[_run_pb2.RunStatus, str]] = ...) -> None: ...

class GetToolCallRequest(_message.Message):
    __slots__ = ("tool_call_id",)
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    tool_call_id: str
    def __init__(self, tool_call_id: _Optional[str] = ...) -> None: ...

class GetToolCallResponse(_message.Message):
    __slots__ = ("tool_call",)
    TOOL_CALL_FIELD_NUMBER: _ClassVar[int]
    tool_call: ToolCall
    def __init__(self, tool_call: _Optional[_Union[ToolCall, _Mapping]] = ...) -> None: ...

class Session(_message.Message):
    __slots__ = ("session_id", "title", "source", "created_at", "updated_at", "turns")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    title: str
    source: str
    created_at: _timestamp_pb2.Timestamp
    updated_at: _timestamp_pb2.Timestamp
    turns: int
    def __init__(self, session_id: _Optional[str] = ..., title: _Optional[str] = ..., source: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., updated_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., turns: _Optional[int] = ...) -> None: ...

class Message(_message.Message):
    __slots__ = ("role", "content", "run_id", "chat_id", "created_at", "tool_call_ids")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    CHAT_ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_IDS_FIELD_NUMBER: _ClassVar[int]
    role: str
    content: str
    run_id: str
    chat_id: str
    created_at: _timestamp_pb2.Timestamp
    tool_call_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, role: _Optional[str] = ..., content: _Optional[str] = ..., run_id: _Optional[str] = ..., chat_id: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., tool_call_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class CreateSessionRequest(_message.Message):
    __slots__ = ("source", "title")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    source: str
    title: str
    def __init__(self, source: _Optional[str] = ..., title: _Optional[str] = ...) -> None: ...

class CreateSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: Session
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ...) -> None: ...

class GetSessionRequest(_message.Message):
    __slots__ = ("session_id", "page_size", "page_token")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    page_size: int
    page_token: str
    def __init__(self, session_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class GetSessionResponse(_message.Message):
    __slots__ = ("session", "messages", "next_page_token")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    session: Session
    messages: _containers.RepeatedCompositeFieldContainer[Message]
    next_page_token: str
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ..., messages: _Optional[_Iterable[_Union[Message, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListSessionsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSessionsResponse(_message.Message):
    __slots__ = ("sessions", "next_page_token")
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sessions: _containers.RepeatedCompositeFieldContainer[Session]
    next_page_token: str
    def __init__(self, sessions: _Optional[_Iterable[_Union[Session, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ExportSessionRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class ExportSessionResponse(_message.Message):
    __slots__ = ("session", "message", "run", "tool_call")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_FIELD_NUMBER: _ClassVar[int]
    session: Session
    message: Message
    run: ExportedRun
    tool_call: ToolCall
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ..., message: _Optional[_Union[Message, _Mapping]] = ..., run: _Optional[_Union[ExportedRun, _Mapping]] = ..., tool_call: _Optional[_Union[ToolCall, _Mapping]] = ...) -> None: ...

class ExportedRun(_message.Message):
    __slots__ = ("question", "records")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    question: str
    records: _containers.RepeatedCompositeFieldContainer[_run_pb2.RunRecord]
    def __init__(self, question: _Optional[str] = ..., records: _Optional[_Iterable[_Union[_run_pb2.RunRecord, _Mapping]]] = ...) -> None: ...

class DeleteSessionRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class DeleteSessionResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ExportPersonRequest(_message.Message):
    __slots__ = ("principal",)
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    principal: str
    def __init__(self, principal: _Optional[str] = ...) -> None: ...

class ExportPersonResponse(_message.Message):
    __slots__ = ("data",)
    DATA_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    def __init__(self, data: _Optional[bytes] = ...) -> None: ...

class DeletePersonRequest(_message.Message):
    __slots__ = ("principal", "confirm")
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    CONFIRM_FIELD_NUMBER: _ClassVar[int]
    principal: str
    confirm: bool
    def __init__(self, principal: _Optional[str] = ..., confirm: bool = ...) -> None: ...

class DeletePersonResponse(_message.Message):
    __slots__ = ("tables",)
    TABLES_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[PersonRows]
    def __init__(self, tables: _Optional[_Iterable[_Union[PersonRows, _Mapping]]] = ...) -> None: ...

class PersonRows(_message.Message):
    __slots__ = ("store", "table", "rows", "names")
    STORE_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    store: str
    table: str
    rows: int
    names: int
    def __init__(self, store: _Optional[str] = ..., table: _Optional[str] = ..., rows: _Optional[int] = ..., names: _Optional[int] = ...) -> None: ...

class ListToolsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Tool(_message.Message):
    __slots__ = ("name", "agent_name", "description", "arguments_schema", "served")
    NAME_FIELD_NUMBER: _ClassVar[int]
    AGENT_NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    SERVED_FIELD_NUMBER: _ClassVar[int]
    name: str
    agent_name: str
    description: str
    arguments_schema: _struct_pb2.Struct
    served: bool
    def __init__(self, name: _Optional[str] = ..., agent_name: _Optional[str] = ..., description: _Optional[str] = ..., arguments_schema: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., served: bool = ...) -> None: ...

class ListToolsResponse(_message.Message):
    __slots__ = ("tools",)
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    tools: _containers.RepeatedCompositeFieldContainer[Tool]
    def __init__(self, tools: _Optional[_Iterable[_Union[Tool, _Mapping]]] = ...) -> None: ...

class SubmitFeedbackRequest(_message.Message):
    __slots__ = ("run_id", "rating", "comment", "corrected_sql", "accepted_tables", "rejected_tables", "propose_example")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    COMMENT_FIELD_NUMBER: _ClassVar[int]
    CORRECTED_SQL_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_TABLES_FIELD_NUMBER: _ClassVar[int]
    REJECTED_TABLES_FIELD_NUMBER: _ClassVar[int]
    PROPOSE_EXAMPLE_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    rating: Rating
    comment: str
    corrected_sql: str
    accepted_tables: _containers.RepeatedScalarFieldContainer[str]
    rejected_tables: _containers.RepeatedScalarFieldContainer[str]
    propose_example: bool
    def __init__(self, run_id: _Optional[str] = ..., rating: _Optional[_Union[Rating, str]] = ..., comment: _Optional[str] = ..., corrected_sql: _Optional[str] = ..., accepted_tables: _Optional[_Iterable[str]] = ..., rejected_tables: _Optional[_Iterable[str]] = ..., propose_example: bool = ...) -> None: ...

class SubmitFeedbackResponse(_message.Message):
    __slots__ = ("example_id",)
    EXAMPLE_ID_FIELD_NUMBER: _ClassVar[int]
    example_id: str
    def __init__(self, example_id: _Optional[str] = ...) -> None: ...
