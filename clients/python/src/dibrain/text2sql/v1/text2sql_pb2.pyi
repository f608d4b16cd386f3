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

class Execution(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXECUTION_UNSPECIFIED: _ClassVar[Execution]
    EXECUTION_NONE: _ClassVar[Execution]
    EXECUTION_VALIDATE: _ClassVar[Execution]
    EXECUTION_PROBE: _ClassVar[Execution]

class GenerateOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GENERATE_OUTCOME_UNSPECIFIED: _ClassVar[GenerateOutcome]
    GENERATE_OUTCOME_SQL: _ClassVar[GenerateOutcome]
    GENERATE_OUTCOME_ASK: _ClassVar[GenerateOutcome]
    GENERATE_OUTCOME_ABSTAIN: _ClassVar[GenerateOutcome]
EXECUTION_UNSPECIFIED: Execution
EXECUTION_NONE: Execution
EXECUTION_VALIDATE: Execution
EXECUTION_PROBE: Execution
GENERATE_OUTCOME_UNSPECIFIED: GenerateOutcome
GENERATE_OUTCOME_SQL: GenerateOutcome
GENERATE_OUTCOME_ASK: GenerateOutcome
GENERATE_OUTCOME_ABSTAIN: GenerateOutcome

class GenerateQuery(_message.Message):
    __slots__ = ("source", "user_question", "tables", "glossary_terms", "rules", "user_context", "execution", "previous_intent_json", "chosen_option_id", "max_candidates")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    USER_QUESTION_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    GLOSSARY_TERMS_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_INTENT_JSON_FIELD_NUMBER: _ClassVar[int]
    CHOSEN_OPTION_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    source: str
    user_question: str
    tables: _containers.RepeatedCompositeFieldContainer[_table_pb2.TableDetail]
    glossary_terms: _containers.RepeatedCompositeFieldContainer[_table_pb2.GlossaryTerm]
    rules: _containers.RepeatedCompositeFieldContainer[_table_pb2.BusinessRule]
    user_context: _context_pb2.UserContext
    execution: Execution
    previous_intent_json: str
    chosen_option_id: str
    max_candidates: int
    def __init__(self, source: _Optional[str] = ..., user_question: _Optional[str] = ..., tables: _Optional[_Iterable[_Union[_table_pb2.TableDetail, _Mapping]]] = ..., glossary_terms: _Optional[_Iterable[_Union[_table_pb2.GlossaryTerm, _Mapping]]] = ..., rules: _Optional[_Iterable[_Union[_table_pb2.BusinessRule, _Mapping]]] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ..., execution: _Optional[_Union[Execution, str]] = ..., previous_intent_json: _Optional[str] = ..., chosen_option_id: _Optional[str] = ..., max_candidates: _Optional[int] = ...) -> None: ...

class UnderstoodSpan(_message.Message):
    __slots__ = ("text", "kind", "meaning", "score")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    MEANING_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    text: str
    kind: str
    meaning: str
    score: float
    def __init__(self, text: _Optional[str] = ..., kind: _Optional[str] = ..., meaning: _Optional[str] = ..., score: _Optional[float] = ...) -> None: ...

class GenerateResult(_message.Message):
    __slots__ = ("outcome", "candidates", "intent_json", "understood", "not_understood", "confidence", "abstained_reason", "question", "metrics", "warnings", "restatement")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    INTENT_JSON_FIELD_NUMBER: _ClassVar[int]
    UNDERSTOOD_FIELD_NUMBER: _ClassVar[int]
    NOT_UNDERSTOOD_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    ABSTAINED_REASON_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    RESTATEMENT_FIELD_NUMBER: _ClassVar[int]
    outcome: GenerateOutcome
    candidates: _containers.RepeatedCompositeFieldContainer[_sql_pb2.SqlStatement]
    intent_json: str
    understood: _containers.RepeatedCompositeFieldContainer[UnderstoodSpan]
    not_understood: _containers.RepeatedScalarFieldContainer[str]
    confidence: float
    abstained_reason: str
    question: _context_pb2.Question
    metrics: _containers.RepeatedScalarFieldContainer[str]
    warnings: _containers.RepeatedCompositeFieldContainer[_context_pb2.Warning]
    restatement: str
    def __init__(self, outcome: _Optional[_Union[GenerateOutcome, str]] = ..., candidates: _Optional[_Iterable[_Union[_sql_pb2.SqlStatement, _Mapping]]] = ..., intent_json: _Optional[str] = ..., understood: _Optional[_Iterable[_Union[UnderstoodSpan, _Mapping]]] = ..., not_understood: _Optional[_Iterable[str]] = ..., confidence: _Optional[float] = ..., abstained_reason: _Optional[str] = ..., question: _Optional[_Union[_context_pb2.Question, _Mapping]] = ..., metrics: _Optional[_Iterable[str]] = ..., warnings: _Optional[_Iterable[_Union[_context_pb2.Warning, _Mapping]]] = ..., restatement: _Optional[str] = ...) -> None: ...

class GenerateSQLRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: GenerateQuery
    def __init__(self, query: _Optional[_Union[GenerateQuery, _Mapping]] = ...) -> None: ...

class GenerateSQLResponse(_message.Message):
    __slots__ = ("step", "result", "trace")
    STEP_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    step: TeamStep
    result: GenerateResult
    trace: _run_pb2.RunTrace
    def __init__(self, step: _Optional[_Union[TeamStep, _Mapping]] = ..., result: _Optional[_Union[GenerateResult, _Mapping]] = ..., trace: _Optional[_Union[_run_pb2.RunTrace, _Mapping]] = ...) -> None: ...

class TeamStep(_message.Message):
    __slots__ = ("member", "message", "milliseconds")
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    member: str
    message: str
    milliseconds: float
    def __init__(self, member: _Optional[str] = ..., message: _Optional[str] = ..., milliseconds: _Optional[float] = ...) -> None: ...

class GenerateSQLUnaryRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: GenerateQuery
    def __init__(self, query: _Optional[_Union[GenerateQuery, _Mapping]] = ...) -> None: ...

class GenerateSQLUnaryResponse(_message.Message):
    __slots__ = ("result", "trace")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    result: GenerateResult
    trace: _run_pb2.RunTrace
    def __init__(self, result: _Optional[_Union[GenerateResult, _Mapping]] = ..., trace: _Optional[_Union[_run_pb2.RunTrace, _Mapping]] = ...) -> None: ...

class ParseQuestionRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: GenerateQuery
    def __init__(self, query: _Optional[_Union[GenerateQuery, _Mapping]] = ...) -> None: ...

class ParseQuestionResponse(_message.Message):
    __slots__ = ("intent_json", "understood", "not_understood", "confidence")
    INTENT_JSON_FIELD_NUMBER: _ClassVar[int]
    UNDERSTOOD_FIELD_NUMBER: _ClassVar[int]
    NOT_UNDERSTOOD_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    intent_json: str
    understood: _containers.RepeatedCompositeFieldContainer[UnderstoodSpan]
    not_understood: _containers.RepeatedScalarFieldContainer[str]
    confidence: float
    def __init__(self, intent_json: _Optional[str] = ..., understood: _Optional[_Iterable[_Union[UnderstoodSpan, _Mapping]]] = ..., not_understood: _Optional[_Iterable[str]] = ..., confidence: _Optional[float] = ...) -> None: ...

class ListMetricsRequest(_message.Message):
    __slots__ = ("source",)
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: str
    def __init__(self, source: _Optional[str] = ...) -> None: ...

class ListMetricsResponse(_message.Message):
    __slots__ = ("metrics",)
    METRICS_FIELD_NUMBER: _ClassVar[int]
    metrics: _containers.RepeatedCompositeFieldContainer[Metric]
    def __init__(self, metrics: _Optional[_Iterable[_Union[Metric, _Mapping]]] = ...) -> None: ...

class Metric(_message.Message):
    __slots__ = ("id", "name_en", "name_zh", "description", "unit", "mart", "synonyms")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_EN_FIELD_NUMBER: _ClassVar[int]
    NAME_ZH_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    MART_FIELD_NUMBER: _ClassVar[int]
    SYNONYMS_FIELD_NUMBER: _ClassVar[int]
    id: str
    name_en: str
    name_zh: str
    description: str
    unit: str
    mart: str
    synonyms: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, id: _Optional[str] = ..., name_en: _Optional[str] = ..., name_zh: _Optional[str] = ..., description: _Optional[str] = ..., unit: _Optional[str] = ..., mart: _Optional[str] = ..., synonyms: _Optional[_Iterable[str]] = ...) -> None: ...
