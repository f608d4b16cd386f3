import datetime

from buf.validate import validate_pb2 as _validate_pb2
from dibrain.common.v1 import context_pb2 as _context_pb2
from dibrain.common.v1 import run_pb2 as _run_pb2
from dibrain.common.v1 import table_pb2 as _table_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Strategy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STRATEGY_UNSPECIFIED: _ClassVar[Strategy]
    STRATEGY_RULES: _ClassVar[Strategy]
    STRATEGY_LLM: _ClassVar[Strategy]

class ScopeStrategy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SCOPE_STRATEGY_UNSPECIFIED: _ClassVar[ScopeStrategy]
    SCOPE_STRATEGY_LLM_DECISION: _ClassVar[ScopeStrategy]
    SCOPE_STRATEGY_USER_MAKE_SURE: _ClassVar[ScopeStrategy]

class SummaryLevel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUMMARY_LEVEL_UNSPECIFIED: _ClassVar[SummaryLevel]
    SUMMARY_LEVEL_SHORT: _ClassVar[SummaryLevel]
    SUMMARY_LEVEL_FULL: _ClassVar[SummaryLevel]
    SUMMARY_LEVEL_EXPERT: _ClassVar[SummaryLevel]

class DiscoverOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DISCOVER_OUTCOME_UNSPECIFIED: _ClassVar[DiscoverOutcome]
    DISCOVER_OUTCOME_FOUND: _ClassVar[DiscoverOutcome]
    DISCOVER_OUTCOME_ASK: _ClassVar[DiscoverOutcome]
    DISCOVER_OUTCOME_FALLBACK: _ClassVar[DiscoverOutcome]
    DISCOVER_OUTCOME_NOT_FOUND: _ClassVar[DiscoverOutcome]

class ExcludedBy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXCLUDED_BY_UNSPECIFIED: _ClassVar[ExcludedBy]
    EXCLUDED_BY_UNKNOWN: _ClassVar[ExcludedBy]
    EXCLUDED_BY_REGION: _ClassVar[ExcludedBy]
    EXCLUDED_BY_FAMILY: _ClassVar[ExcludedBy]
    EXCLUDED_BY_MART: _ClassVar[ExcludedBy]
    EXCLUDED_BY_NO_MATCH: _ClassVar[ExcludedBy]
    EXCLUDED_BY_RANK: _ClassVar[ExcludedBy]

class ScopeOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SCOPE_OUTCOME_UNSPECIFIED: _ClassVar[ScopeOutcome]
    SCOPE_OUTCOME_SCOPE_IDENTIFIED: _ClassVar[ScopeOutcome]
    SCOPE_OUTCOME_INSUFFICIENT_INFO: _ClassVar[ScopeOutcome]
    SCOPE_OUTCOME_NO_MATCH: _ClassVar[ScopeOutcome]

class AnswerKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ANSWER_KIND_UNSPECIFIED: _ClassVar[AnswerKind]
    ANSWER_KIND_DIRECT_ANSWER: _ClassVar[AnswerKind]
    ANSWER_KIND_DONT_KNOW: _ClassVar[AnswerKind]

class FeedbackKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FEEDBACK_KIND_UNSPECIFIED: _ClassVar[FeedbackKind]
    FEEDBACK_KIND_SHOWN: _ClassVar[FeedbackKind]
    FEEDBACK_KIND_CLICKED: _ClassVar[FeedbackKind]
    FEEDBACK_KIND_ACCEPTED: _ClassVar[FeedbackKind]
    FEEDBACK_KIND_REJECTED: _ClassVar[FeedbackKind]

class ReviewKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REVIEW_KIND_UNSPECIFIED: _ClassVar[ReviewKind]
    REVIEW_KIND_DECLINED: _ClassVar[ReviewKind]
    REVIEW_KIND_UNSURE: _ClassVar[ReviewKind]
    REVIEW_KIND_REJECTED: _ClassVar[ReviewKind]
    REVIEW_KIND_CANDIDATE: _ClassVar[ReviewKind]

class ReviewStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REVIEW_STATUS_UNSPECIFIED: _ClassVar[ReviewStatus]
    REVIEW_STATUS_OPEN: _ClassVar[ReviewStatus]
    REVIEW_STATUS_RESOLVED: _ClassVar[ReviewStatus]
    REVIEW_STATUS_DISMISSED: _ClassVar[ReviewStatus]
STRATEGY_UNSPECIFIED: Strategy
STRATEGY_RULES: Strategy
STRATEGY_LLM: Strategy
SCOPE_STRATEGY_UNSPECIFIED: ScopeStrategy
SCOPE_STRATEGY_LLM_DECISION: ScopeStrategy
SCOPE_STRATEGY_USER_MAKE_SURE: ScopeStrategy
SUMMARY_LEVEL_UNSPECIFIED: SummaryLevel
SUMMARY_LEVEL_SHORT: SummaryLevel
SUMMARY_LEVEL_FULL: SummaryLevel
SUMMARY_LEVEL_EXPERT: SummaryLevel
DISCOVER_OUTCOME_UNSPECIFIED: DiscoverOutcome
DISCOVER_OUTCOME_FOUND: DiscoverOutcome
DISCOVER_OUTCOME_ASK: DiscoverOutcome
DISCOVER_OUTCOME_FALLBACK: DiscoverOutcome
DISCOVER_OUTCOME_NOT_FOUND: DiscoverOutcome
EXCLUDED_BY_UNSPECIFIED: ExcludedBy
EXCLUDED_BY_UNKNOWN: ExcludedBy
EXCLUDED_BY_REGION: ExcludedBy
EXCLUDED_BY_FAMILY: ExcludedBy
EXCLUDED_BY_MART: ExcludedBy
EXCLUDED_BY_NO_MATCH: ExcludedBy
EXCLUDED_BY_RANK: ExcludedBy
SCOPE_OUTCOME_UNSPECIFIED: ScopeOutcome
SCOPE_OUTCOME_SCOPE_IDENTIFIED: ScopeOutcome
SCOPE_OUTCOME_INSUFFICIENT_INFO: ScopeOutcome
SCOPE_OUTCOME_NO_MATCH: ScopeOutcome
ANSWER_KIND_UNSPECIFIED: AnswerKind
ANSWER_KIND_DIRECT_ANSWER: AnswerKind
ANSWER_KIND_DONT_KNOW: AnswerKind
FEEDBACK_KIND_UNSPECIFIED: FeedbackKind
FEEDBACK_KIND_SHOWN: FeedbackKind
FEEDBACK_KIND_CLICKED: FeedbackKind
FEEDBACK_KIND_ACCEPTED: FeedbackKind
FEEDBACK_KIND_REJECTED: FeedbackKind
REVIEW_KIND_UNSPECIFIED: ReviewKind
REVIEW_KIND_DECLINED: ReviewKind
REVIEW_KIND_UNSURE: ReviewKind
REVIEW_KIND_REJECTED: ReviewKind
REVIEW_KIND_CANDIDATE: ReviewKind
REVIEW_STATUS_UNSPECIFIED: ReviewStatus
REVIEW_STATUS_OPEN: ReviewStatus
REVIEW_STATUS_RESOLVED: ReviewStatus
REVIEW_STATUS_DISMISSED: ReviewStatus

class ChatTurn(_message.Message):
    __slots__ = ("role", "content")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    role: str
    content: str
    def __init__(self, role: _Optional[str] = ..., content: _Optional[str] = ...) -> None: ...

class DiscoverQuery(_message.Message):
    __slots__ = ("source", "user_query", "chat_history", "user_context", "selected_tables", "selected_table_groups", "scope_strategy", "max_tables", "summary_level", "chosen_option_id", "knowledge_base_list", "clarification_reply", "strategy", "for_sql")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    USER_QUERY_FIELD_NUMBER: _ClassVar[int]
    CHAT_HISTORY_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    SELECTED_TABLES_FIELD_NUMBER: _ClassVar[int]
    SELECTED_TABLE_GROUPS_FIELD_NUMBER: _ClassVar[int]
    SCOPE_STRATEGY_FIELD_NUMBER: _ClassVar[int]
    MAX_TABLES_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_LEVEL_FIELD_NUMBER: _ClassVar[int]
    CHOSEN_OPTION_ID_FIELD_NUMBER: _ClassVar[int]
    KNOWLEDGE_BASE_LIST_FIELD_NUMBER: _ClassVar[int]
    CLARIFICATION_REPLY_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    FOR_SQL_FIELD_NUMBER: _ClassVar[int]
    source: str
    user_query: str
    chat_history: _containers.RepeatedCompositeFieldContainer[ChatTurn]
    user_context: _context_pb2.UserContext
    selected_tables: _containers.RepeatedScalarFieldContainer[str]
    selected_table_groups: _containers.RepeatedScalarFieldContainer[str]
    scope_strategy: ScopeStrategy
    max_tables: int
    summary_level: SummaryLevel
    chosen_option_id: str
    knowledge_base_list: _containers.RepeatedScalarFieldContainer[str]
    clarification_reply: str
    strategy: Strategy
    for_sql: bool
    def __init__(self, source: _Optional[str] = ..., user_query: _Optional[str] = ..., chat_history: _Optional[_Iterable[_Union[ChatTurn, _Mapping]]] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ..., selected_tables: _Optional[_Iterable[str]] = ..., selected_table_groups: _Optional[_Iterable[str]] = ..., scope_strategy: _Optional[_Union[ScopeStrategy, str]] = ..., max_tables: _Optional[int] = ..., summary_level: _Optional[_Union[SummaryLevel, str]] = ..., chosen_option_id: _Optional[str] = ..., knowledge_base_list: _Optional[_Iterable[str]] = ..., clarification_reply: _Optional[str] = ..., strategy: _Optional[_Union[Strategy, str]] = ..., for_sql: bool = ...) -> None: ...

class TableCandidate(_message.Message):
    __slots__ = ("table", "score", "reasons", "variants", "features", "knowledge_base", "entry_id", "locked", "apply_hint")
    class FeaturesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    VARIANTS_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    KNOWLEDGE_BASE_FIELD_NUMBER: _ClassVar[int]
    ENTRY_ID_FIELD_NUMBER: _ClassVar[int]
    LOCKED_FIELD_NUMBER: _ClassVar[int]
    APPLY_HINT_FIELD_NUMBER: _ClassVar[int]
    table: _table_pb2.TableDetail
    score: float
    reasons: _containers.RepeatedScalarFieldContainer[str]
    variants: _containers.RepeatedScalarFieldContainer[str]
    features: _containers.ScalarMap[str, float]
    knowledge_base: str
    entry_id: str
    locked: bool
    apply_hint: str
    def __init__(self, table: _Optional[_Union[_table_pb2.TableDetail, _Mapping]] = ..., score: _Optional[float] = ..., reasons: _Optional[_Iterable[str]] = ..., variants: _Optional[_Iterable[str]] = ..., features: _Optional[_Mapping[str, float]] = ..., knowledge_base: _Optional[str] = ..., entry_id: _Optional[str] = ..., locked: bool = ..., apply_hint: _Optional[str] = ...) -> None: ...

class RelatedDoc(_message.Message):
    __slots__ = ("knowledge_base", "id", "title", "text", "score", "reasons")
    KNOWLEDGE_BASE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    knowledge_base: str
    id: str
    title: str
    text: str
    score: float
    reasons: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, knowledge_base: _Optional[str] = ..., id: _Optional[str] = ..., title: _Optional[str] = ..., text: _Optional[str] = ..., score: _Optional[float] = ..., reasons: _Optional[_Iterable[str]] = ...) -> None: ...

class MissingKnowledgeBase(_message.Message):
    __slots__ = ("name", "reason")
    NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    name: str
    reason: str
    def __init__(self, name: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class DiscoverResult(_message.Message):
    __slots__ = ("outcome", "related_tables", "glossary_terms", "rules", "answer", "question", "marts", "unknown_tables", "warnings", "sample_sql", "related_docs", "missing_knowledge_bases", "result_context")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    RELATED_TABLES_FIELD_NUMBER: _ClassVar[int]
    GLOSSARY_TERMS_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    MARTS_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_TABLES_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_SQL_FIELD_NUMBER: _ClassVar[int]
    RELATED_DOCS_FIELD_NUMBER: _ClassVar[int]
    MISSING_KNOWLEDGE_BASES_FIELD_NUMBER: _ClassVar[int]
    RESULT_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    outcome: DiscoverOutcome
    related_tables: _containers.RepeatedCompositeFieldContainer[TableCandidate]
    glossary_terms: _containers.RepeatedCompositeFieldContainer[_table_pb2.GlossaryTerm]
    rules: _containers.RepeatedCompositeFieldContainer[_table_pb2.BusinessRule]
    answer: str
    question: _context_pb2.Question
    marts: _containers.RepeatedScalarFieldContainer[str]
    unknown_tables: _containers.RepeatedCompositeFieldContainer[UnknownTable]
    warnings: _containers.RepeatedCompositeFieldContainer[_context_pb2.Warning]
    sample_sql: _containers.RepeatedScalarFieldContainer[str]
    related_docs: _containers.RepeatedCompositeFieldContainer[RelatedDoc]
    missing_knowledge_bases: _containers.RepeatedCompositeFieldContainer[MissingKnowledgeBase]
    result_context: ResultContext
    def __init__(self, outcome: _Optional[_Union[DiscoverOutcome, str]] = ..., related_tables: _Optional[_Iterable[_Union[TableCandidate, _Mapping]]] = ..., glossary_terms: _Optional[_Iterable[_Union[_table_pb2.GlossaryTerm, _Mapping]]] = ..., rules: _Optional[_Iterable[_Union[_table_pb2.BusinessRule, _Mapping]]] = ..., answer: _Optional[str] = ..., question: _Optional[_Union[_context_pb2.Question, _Mapping]] = ..., marts: _Optional[_Iterable[str]] = ..., unknown_tables: _Optional[_Iterable[_Union[UnknownTable, _Mapping]]] = ..., warnings: _Optional[_Iterable[_Union[_context_pb2.Warning, _Mapping]]] = ..., sample_sql: _Optional[_Iterable[str]] = ..., related_docs: _Optional[_Iterable[_Union[RelatedDoc, _Mapping]]] = ..., missing_knowledge_bases: _Optional[_Iterable[_Union[MissingKnowledgeBase, _Mapping]]] = ..., result_context: _Optional[_Union[ResultContext, _Mapping]] = ...) -> None: ...

class ResultContext(_message.Message):
    __slots__ = ("countries", "user_region", "grains", "layers", "subjects", "missing_words", "reformulations")
    COUNTRIES_FIELD_NUMBER: _ClassVar[int]
    USER_REGION_FIELD_NUMBER: _ClassVar[int]
    GRAINS_FIELD_NUMBER: _ClassVar[int]
    LAYERS_FIELD_NUMBER: _ClassVar[int]
    SUBJECTS_FIELD_NUMBER: _ClassVar[int]
    MISSING_WORDS_FIELD_NUMBER: _ClassVar[int]
    REFORMULATIONS_FIELD_NUMBER: _ClassVar[int]
    countries: _containers.RepeatedScalarFieldContainer[str]
    user_region: str
    grains: _containers.RepeatedScalarFieldContainer[str]
    layers: _containers.RepeatedScalarFieldContainer[str]
    subjects: _containers.RepeatedScalarFieldContainer[str]
    missing_words: _containers.RepeatedScalarFieldContainer[str]
    reformulations: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, countries: _Optional[_Iterable[str]] = ..., user_region: _Optional[str] = ..., grains: _Optional[_Iterable[str]] = ..., layers: _Optional[_Iterable[str]] = ..., subjects: _Optional[_Iterable[str]] = ..., missing_words: _Optional[_Iterable[str]] = ..., reformulations: _Optional[_Iterable[str]] = ...) -> None: ...

class UnknownTable(_message.Message):
    __slots__ = ("name", "near")
    NAME_FIELD_NUMBER: _ClassVar[int]
    NEAR_FIELD_NUMBER: _ClassVar[int]
    name: str
    near: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., near: _Optional[_Iterable[str]] = ...) -> None: ...

class DiscoverRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: DiscoverQuery
    def __init__(self, query: _Optional[_Union[DiscoverQuery, _Mapping]] = ...) -> None: ...

class DiscoverResponse(_message.Message):
    __slots__ = ("stage", "result", "preview", "trace")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    stage: DiscoverStage
    result: DiscoverResult
    preview: DiscoverPreview
    trace: _run_pb2.RunTrace
    def __init__(self, stage: _Optional[_Union[DiscoverStage, _Mapping]] = ..., result: _Optional[_Union[DiscoverResult, _Mapping]] = ..., preview: _Optional[_Union[DiscoverPreview, _Mapping]] = ..., trace: _Optional[_Union[_run_pb2.RunTrace, _Mapping]] = ...) -> None: ...

class DiscoverPreview(_message.Message):
    __slots__ = ("tables", "milliseconds", "final")
    TABLES_FIELD_NUMBER: _ClassVar[int]
    MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[TableCandidate]
    milliseconds: float
    final: bool
    def __init__(self, tables: _Optional[_Iterable[_Union[TableCandidate, _Mapping]]] = ..., milliseconds: _Optional[float] = ..., final: bool = ...) -> None: ...

class DiscoverStage(_message.Message):
    __slots__ = ("name", "message", "milliseconds")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    message: str
    milliseconds: float
    def __init__(self, name: _Optional[str] = ..., message: _Optional[str] = ..., milliseconds: _Optional[float] = ...) -> None: ...

class DiscoverUnaryRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: DiscoverQuery
    def __init__(self, query: _Optional[_Union[DiscoverQuery, _Mapping]] = ...) -> None: ...

class DiscoverUnaryResponse(_message.Message):
    __slots__ = ("result", "trace")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    result: DiscoverResult
    trace: _run_pb2.RunTrace
    def __init__(self, result: _Optional[_Union[DiscoverResult, _Mapping]] = ..., trace: _Optional[_Union[_run_pb2.RunTrace, _Mapping]] = ...) -> None: ...

class SearchTablesRequest(_message.Message):
    __slots__ = ("source", "query", "page_size", "page_token", "mart", "why")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MART_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    source: str
    query: str
    page_size: int
    page_token: str
    mart: str
    why: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, source: _Optional[str] = ..., query: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., mart: _Optional[str] = ..., why: _Optional[_Iterable[str]] = ...) -> None: ...

class SearchTablesResponse(_message.Message):
    __slots__ = ("tables", "next_page_token", "explanations", "warnings")
    TABLES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPLANATIONS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[TableCandidate]
    next_page_token: str
    explanations: _containers.RepeatedCompositeFieldContainer[TableExplanation]
    warnings: _containers.RepeatedCompositeFieldContainer[_context_pb2.Warning]
    def __init__(self, tables: _Optional[_Iterable[_Union[TableCandidate, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., explanations: _Optional[_Iterable[_Union[TableExplanation, _Mapping]]] = ..., warnings: _Optional[_Iterable[_Union[_context_pb2.Warning, _Mapping]]] = ...) -> None: ...

class TableExplanation(_message.Message):
    __slots__ = ("table", "found", "rank", "score", "features", "reasons", "missing_words", "excluded_by", "message", "instead", "near")
    class FeaturesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    TABLE_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    MISSING_WORDS_FIELD_NUMBER: _ClassVar[int]
    EXCLUDED_BY_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    INSTEAD_FIELD_NUMBER: _ClassVar[int]
    NEAR_FIELD_NUMBER: _ClassVar[int]
    table: str
    found: bool
    rank: int
    score: float
    features: _containers.ScalarMap[str, float]
    reasons: _containers.RepeatedScalarFieldContainer[str]
    missing_words: _containers.RepeatedScalarFieldContainer[str]
    excluded_by: ExcludedBy
    message: str
    instead: str
    near: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, table: _Optional[str] = ..., found: bool = ..., rank: _Optional[int] = ..., score: _Optional[float] = ..., features: _Optional[_Mapping[str, float]] = ..., reasons: _Optional[_Iterable[str]] = ..., missing_words: _Optional[_Iterable[str]] = ..., excluded_by: _Optional[_Union[ExcludedBy, str]] = ..., message: _Optional[str] = ..., instead: _Optional[str] = ..., near: _Optional[_Iterable[str]] = ...) -> None: ...

class ClarifyScopeRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: DiscoverQuery
    def __init__(self, query: _Optional[_Union[DiscoverQuery, _Mapping]] = ...) -> None: ...

class ClarifyScopeResponse(_message.Message):
    __slots__ = ("outcome", "scopes", "question", "fallback_tables", "warnings")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    FALLBACK_TABLES_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    outcome: ScopeOutcome
    scopes: _containers.RepeatedCompositeFieldContainer[ScopeCandidate]
    question: _context_pb2.Question
    fallback_tables: _containers.RepeatedCompositeFieldContainer[TableCandidate]
    warnings: _containers.RepeatedCompositeFieldContainer[_context_pb2.Warning]
    def __init__(self, outcome: _Optional[_Union[ScopeOutcome, str]] = ..., scopes: _Optional[_Iterable[_Union[ScopeCandidate, _Mapping]]] = ..., question: _Optional[_Union[_context_pb2.Question, _Mapping]] = ..., fallback_tables: _Optional[_Iterable[_Union[TableCandidate, _Mapping]]] = ..., warnings: _Optional[_Iterable[_Union[_context_pb2.Warning, _Mapping]]] = ...) -> None: ...

class ScopeCandidate(_message.Message):
    __slots__ = ("mart", "reason", "score", "description")
    MART_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    mart: str
    reason: str
    score: float
    description: str
    def __init__(self, mart: _Optional[str] = ..., reason: _Optional[str] = ..., score: _Optional[float] = ..., description: _Optional[str] = ...) -> None: ...

class AnswerQuestionRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: DiscoverQuery
    def __init__(self, query: _Optional[_Union[DiscoverQuery, _Mapping]] = ...) -> None: ...

class AnswerQuestionResponse(_message.Message):
    __slots__ = ("answer", "related_tables", "dont_know_reason", "kind", "rounds", "searched_tables", "warnings")
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    RELATED_TABLES_FIELD_NUMBER: _ClassVar[int]
    DONT_KNOW_REASON_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    SEARCHED_TABLES_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    answer: str
    related_tables: _containers.RepeatedScalarFieldContainer[str]
    dont_know_reason: str
    kind: AnswerKind
    rounds: int
    searched_tables: _containers.RepeatedScalarFieldContainer[str]
    warnings: _containers.RepeatedCompositeFieldContainer[_context_pb2.Warning]
    def __init__(self, answer: _Optional[str] = ..., related_tables: _Optional[_Iterable[str]] = ..., dont_know_reason: _Optional[str] = ..., kind: _Optional[_Union[AnswerKind, str]] = ..., rounds: _Optional[int] = ..., searched_tables: _Optional[_Iterable[str]] = ..., warnings: _Optional[_Iterable[_Union[_context_pb2.Warning, _Mapping]]] = ...) -> None: ...

class SimilarTablesRequest(_message.Message):
    __slots__ = ("source", "table", "max_tables")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    MAX_TABLES_FIELD_NUMBER: _ClassVar[int]
    source: str
    table: str
    max_tables: int
    def __init__(self, source: _Optional[str] = ..., table: _Optional[str] = ..., max_tables: _Optional[int] = ...) -> None: ...

class SimilarTablesResponse(_message.Message):
    __slots__ = ("tables",)
    TABLES_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[TableCandidate]
    def __init__(self, tables: _Optional[_Iterable[_Union[TableCandidate, _Mapping]]] = ...) -> None: ...

class FeedbackRequest(_message.Message):
    __slots__ = ("source", "question", "tables", "kind")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    source: str
    question: str
    tables: _containers.RepeatedScalarFieldContainer[str]
    kind: FeedbackKind
    def __init__(self, source: _Optional[str] = ..., question: _Optional[str] = ..., tables: _Optional[_Iterable[str]] = ..., kind: _Optional[_Union[FeedbackKind, str]] = ...) -> None: ...

class FeedbackResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Preferences(_message.Message):
    __slots__ = ("marts", "tables", "region", "grain")
    MARTS_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    GRAIN_FIELD_NUMBER: _ClassVar[int]
    marts: _containers.RepeatedScalarFieldContainer[str]
    tables: _containers.RepeatedScalarFieldContainer[str]
    region: str
    grain: str
    def __init__(self, marts: _Optional[_Iterable[str]] = ..., tables: _Optional[_Iterable[str]] = ..., region: _Optional[str] = ..., grain: _Optional[str] = ...) -> None: ...

class GetPreferencesRequest(_message.Message):
    __slots__ = ("source",)
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: str
    def __init__(self, source: _Optional[str] = ...) -> None: ...

class GetPreferencesResponse(_message.Message):
    __slots__ = ("preferences", "learned", "use")
    PREFERENCES_FIELD_NUMBER: _ClassVar[int]
    LEARNED_FIELD_NUMBER: _ClassVar[int]
    USE_FIELD_NUMBER: _ClassVar[int]
    preferences: Preferences
    learned: Preferences
    use: UseFigures
    def __init__(self, preferences: _Optional[_Union[Preferences, _Mapping]] = ..., learned: _Optional[_Union[Preferences, _Mapping]] = ..., use: _Optional[_Union[UseFigures, _Mapping]] = ...) -> None: ...

class UseFigures(_message.Message):
    __slots__ = ("shown", "click_rate", "acceptance_rate", "judged")
    SHOWN_FIELD_NUMBER: _ClassVar[int]
    CLICK_RATE_FIELD_NUMBER: _ClassVar[int]
    ACCEPTANCE_RATE_FIELD_NUMBER: _ClassVar[int]
    JUDGED_FIELD_NUMBER: _ClassVar[int]
    shown: int
    click_rate: float
    acceptance_rate: float
    judged: int
    def __init__(self, shown: _Optional[int] = ..., click_rate: _Optional[float] = ..., acceptance_rate: _Optional[float] = ..., judged: _Optional[int] = ...) -> None: ...

class SetPreferencesRequest(_message.Message):
    __slots__ = ("source", "preferences")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    PREFERENCES_FIELD_NUMBER: _ClassVar[int]
    source: str
    preferences: Preferences
    def __init__(self, source: _Optional[str] = ..., preferences: _Optional[_Union[Preferences, _Mapping]] = ...) -> None: ...

class SetPreferencesResponse(_message.Message):
    __slots__ = ("preferences",)
    PREFERENCES_FIELD_NUMBER: _ClassVar[int]
    preferences: Preferences
    def __init__(self, preferences: _Optional[_Union[Preferences, _Mapping]] = ...) -> None: ...

class ListReviewRequest(_message.Message):
    __slots__ = ("source", "kind", "status", "page_size", "page_token")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    source: str
    kind: ReviewKind
    status: ReviewStatus
    page_size: int
    page_token: str
    def __init__(self, source: _Optional[str] = ..., kind: _Optional[_Union[ReviewKind, str]] = ..., status: _Optional[_Union[ReviewStatus, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListReviewResponse(_message.Message):
    __slots__ = ("entries", "next_page_token", "missing_words")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MISSING_WORDS_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[ReviewEntry]
    next_page_token: str
    missing_words: _containers.RepeatedCompositeFieldContainer[MissingWord]
    def __init__(self, entries: _Optional[_Iterable[_Union[ReviewEntry, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., missing_words: _Optional[_Iterable[_Union[MissingWord, _Mapping]]] = ...) -> None: ...

class ReviewEntry(_message.Message):
    __slots__ = ("id", "kind", "status", "question", "times", "first_at", "last_at", "subjects", "missing_words", "tables", "options", "answer", "resolution", "resolved_by", "sql")
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    TIMES_FIELD_NUMBER: _ClassVar[int]
    FIRST_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_AT_FIELD_NUMBER: _ClassVar[int]
    SUBJECTS_FIELD_NUMBER: _ClassVar[int]
    MISSING_WORDS_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    RESOLUTION_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_BY_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    id: int
    kind: ReviewKind
    status: ReviewStatus
    question: str
    times: int
    first_at: _timestamp_pb2.Timestamp
    last_at: _timestamp_pb2.Timestamp
    subjects: _containers.RepeatedScalarFieldContainer[str]
    missing_words: _containers.RepeatedScalarFieldContainer[str]
    tables: _containers.RepeatedScalarFieldContainer[str]
    options: _containers.RepeatedScalarFieldContainer[str]
    answer: str
    resolution: str
    resolved_by: str
    sql: str
    def __init__(self, id: _Optional[int] = ..., kind: _Optional[_Union[ReviewKind, str]] = ..., status: _Optional[_Union[ReviewStatus, str]] = ..., question: _Optional[str] = ..., times: _Optional[int] = ..., first_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., subjects: _Optional[_Iterable[str]] = ..., missing_words: _Optional[_Iterable[str]] = ..., tables: _Optional[_Iterable[str]] = ..., options: _Optional[_Iterable[str]] = ..., answer: _Optional[str] = ..., resolution: _Optional[str] = ..., resolved_by: _Optional[str] = ..., sql: _Optional[str] = ...) -> None: ...

class MissingWord(_message.Message):
    __slots__ = ("word", "times")
    WORD_FIELD_NUMBER: _ClassVar[int]
    TIMES_FIELD_NUMBER: _ClassVar[int]
    word: str
    times: int
    def __init__(self, word: _Optional[str] = ..., times: _Optional[int] = ...) -> None: ...

class ResolveReviewRequest(_message.Message):
    __slots__ = ("source", "id", "synonym", "term", "elsewhere", "dismissed", "dry_run")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    SYNONYM_FIELD_NUMBER: _ClassVar[int]
    TERM_FIELD_NUMBER: _ClassVar[int]
    ELSEWHERE_FIELD_NUMBER: _ClassVar[int]
    DISMISSED_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    source: str
    id: int
    synonym: ReviewSynonym
    term: ReviewTerm
    elsewhere: str
    dismissed: bool
    dry_run: bool
    def __init__(self, source: _Optional[str] = ..., id: _Optional[int] = ..., synonym: _Optional[_Union[ReviewSynonym, _Mapping]] = ..., term: _Optional[_Union[ReviewTerm, _Mapping]] = ..., elsewhere: _Optional[str] = ..., dismissed: bool = ..., dry_run: bool = ...) -> None: ...

class ReviewSynonym(_message.Message):
    __slots__ = ("words", "mart")
    WORDS_FIELD_NUMBER: _ClassVar[int]
    MART_FIELD_NUMBER: _ClassVar[int]
    words: _containers.RepeatedScalarFieldContainer[str]
    mart: str
    def __init__(self, words: _Optional[_Iterable[str]] = ..., mart: _Optional[str] = ...) -> None: ...

class ReviewTerm(_message.Message):
    __slots__ = ("term", "synonyms", "definition", "mart")
    TERM_FIELD_NUMBER: _ClassVar[int]
    SYNONYMS_FIELD_NUMBER: _ClassVar[int]
    DEFINITION_FIELD_NUMBER: _ClassVar[int]
    MART_FIELD_NUMBER: _ClassVar[int]
    term: str
    synonyms: _containers.RepeatedScalarFieldContainer[str]
    definition: str
    mart: str
    def __init__(self, term: _Optional[str] = ..., synonyms: _Optional[_Iterable[str]] = ..., definition: _Optional[str] = ..., mart: _Optional[str] = ...) -> None: ...

class ResolveReviewResponse(_message.Message):
    __slots__ = ("diff", "kept")
    DIFF_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    diff: str
    kept: bool
    def __init__(self, diff: _Optional[str] = ..., kept: bool = ...) -> None: ...

class GetUseStatsRequest(_message.Message):
    __slots__ = ("source", "days")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    DAYS_FIELD_NUMBER: _ClassVar[int]
    source: str
    days: int
    def __init__(self, source: _Optional[str] = ..., days: _Optional[int] = ...) -> None: ...

class GetUseStatsResponse(_message.Message):
    __slots__ = ("questions", "clarified", "declined", "replies", "settled", "clarification_rate", "one_round_rate", "use")
    QUESTIONS_FIELD_NUMBER: _ClassVar[int]
    CLARIFIED_FIELD_NUMBER: _ClassVar[int]
    DECLINED_FIELD_NUMBER: _ClassVar[int]
    REPLIES_FIELD_NUMBER: _ClassVar[int]
    SETTLED_FIELD_NUMBER: _ClassVar[int]
    CLARIFICATION_RATE_FIELD_NUMBER: _ClassVar[int]
    ONE_ROUND_RATE_FIELD_NUMBER: _ClassVar[int]
    USE_FIELD_NUMBER: _ClassVar[int]
    questions: int
    clarified: int
    declined: int
    replies: int
    settled: int
    clarification_rate: float
    one_round_rate: float
    use: UseFigures
    def __init__(self, questions: _Optional[int] = ..., clarified: _Optional[int] = ..., declined: _Optional[int] = ..., replies: _Optional[int] = ..., settled: _Optional[int] = ..., clarification_rate: _Optional[float] = ..., one_round_rate: _Optional[float] = ..., use: _Optional[_Union[UseFigures, _Mapping]] = ...) -> None: ...

class ListSourcesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListSourcesResponse(_message.Message):
    __slots__ = ("sources",)
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    sources: _containers.RepeatedCompositeFieldContainer[Source]
    def __init__(self, sources: _Optional[_Iterable[_Union[Source, _Mapping]]] = ...) -> None: ...

class Source(_message.Message):
    __slots__ = ("name", "engine", "table_count", "is_default", "origin", "default_region", "default_schema")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    TABLE_COUNT_FIELD_NUMBER: _ClassVar[int]
    IS_DEFAULT_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_REGION_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    name: str
    engine: str
    table_count: int
    is_default: bool
    origin: str
    default_region: str
    default_schema: str
    def __init__(self, name: _Optional[str] = ..., engine: _Optional[str] = ..., table_count: _Optional[int] = ..., is_default: bool = ..., origin: _Optional[str] = ..., default_region: _Optional[str] = ..., default_schema: _Optional[str] = ...) -> None: ...

class ListMartsRequest(_message.Message):
    __slots__ = ("source",)
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: str
    def __init__(self, source: _Optional[str] = ...) -> None: ...

class ListMartsResponse(_message.Message):
    __slots__ = ("marts",)
    MARTS_FIELD_NUMBER: _ClassVar[int]
    marts: _containers.RepeatedCompositeFieldContainer[Mart]
    def __init__(self, marts: _Optional[_Iterable[_Union[Mart, _Mapping]]] = ...) -> None: ...

class Mart(_message.Message):
    __slots__ = ("name", "description", "synonyms", "table_count")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    SYNONYMS_FIELD_NUMBER: _ClassVar[int]
    TABLE_COUNT_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    synonyms: _containers.RepeatedScalarFieldContainer[str]
    table_count: int
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., synonyms: _Optional[_Iterable[str]] = ..., table_count: _Optional[int] = ...) -> None: ...

class ListTablesRequest(_message.Message):
    __slots__ = ("source", "mart", "name_contains", "page_size", "page_token", "with_columns")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    MART_FIELD_NUMBER: _ClassVar[int]
    NAME_CONTAINS_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    WITH_COLUMNS_FIELD_NUMBER: _ClassVar[int]
    source: str
    mart: str
    name_contains: str
    page_size: int
    page_token: str
    with_columns: bool
    def __init__(self, source: _Optional[str] = ..., mart: _Optional[str] = ..., name_contains: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., with_columns: bool = ...) -> None: ...

class ListTablesResponse(_message.Message):
    __slots__ = ("tables", "next_page_token", "total")
    TABLES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[_table_pb2.TableDetail]
    next_page_token: str
    total: int
    def __init__(self, tables: _Optional[_Iterable[_Union[_table_pb2.TableDetail, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total: _Optional[int] = ...) -> None: ...

class DescribeTablesRequest(_message.Message):
    __slots__ = ("source", "tables")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    source: str
    tables: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, source: _Optional[str] = ..., tables: _Optional[_Iterable[str]] = ...) -> None: ...

class DescribeTablesResponse(_message.Message):
    __slots__ = ("tables", "unknown_tables")
    TABLES_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_TABLES_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[_table_pb2.TableDetail]
    unknown_tables: _containers.RepeatedCompositeFieldContainer[UnknownTable]
    def __init__(self, tables: _Optional[_Iterable[_Union[_table_pb2.TableDetail, _Mapping]]] = ..., unknown_tables: _Optional[_Iterable[_Union[UnknownTable, _Mapping]]] = ...) -> None: ...

class GetGlossaryRequest(_message.Message):
    __slots__ = ("source", "mart")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    MART_FIELD_NUMBER: _ClassVar[int]
    source: str
    mart: str
    def __init__(self, source: _Optional[str] = ..., mart: _Optional[str] = ...) -> None: ...

class GetGlossaryResponse(_message.Message):
    __slots__ = ("terms", "rules")
    TERMS_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    terms: _containers.RepeatedCompositeFieldContainer[_table_pb2.GlossaryTerm]
    rules: _containers.RepeatedCompositeFieldContainer[_table_pb2.BusinessRule]
    def __init__(self, terms: _Optional[_Iterable[_Union[_table_pb2.GlossaryTerm, _Mapping]]] = ..., rules: _Optional[_Iterable[_Union[_table_pb2.BusinessRule, _Mapping]]] = ...) -> None: ...

class IngestRequest(_message.Message):
    __slots__ = ("source",)
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: str
    def __init__(self, source: _Optional[str] = ...) -> None: ...

class IngestResponse(_message.Message):
    __slots__ = ("done", "total", "message", "swapped")
    DONE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    SWAPPED_FIELD_NUMBER: _ClassVar[int]
    done: int
    total: int
    message: str
    swapped: bool
    def __init__(self, done: _Optional[int] = ..., total: _Optional[int] = ..., message: _Optional[str] = ..., swapped: bool = ...) -> None: ...

class GetIndexStatusRequest(_message.Message):
    __slots__ = ("source",)
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: str
    def __init__(self, source: _Optional[str] = ...) -> None: ...

class GetIndexStatusResponse(_message.Message):
    __slots__ = ("tables", "generation", "memory_bytes", "built_at", "lexical_backend", "vector_backend", "embedder", "use", "failed_catalogs", "knowledge_bases", "search_lists")
    TABLES_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    BUILT_AT_FIELD_NUMBER: _ClassVar[int]
    LEXICAL_BACKEND_FIELD_NUMBER: _ClassVar[int]
    VECTOR_BACKEND_FIELD_NUMBER: _ClassVar[int]
    EMBEDDER_FIELD_NUMBER: _ClassVar[int]
    USE_FIELD_NUMBER: _ClassVar[int]
    FAILED_CATALOGS_FIELD_NUMBER: _ClassVar[int]
    KNOWLEDGE_BASES_FIELD_NUMBER: _ClassVar[int]
    SEARCH_LISTS_FIELD_NUMBER: _ClassVar[int]
    tables: int
    generation: str
    memory_bytes: int
    built_at: _timestamp_pb2.Timestamp
    lexical_backend: str
    vector_backend: str
    embedder: str
    use: UseFigures
    failed_catalogs: _containers.RepeatedCompositeFieldContainer[FailedCatalog]
    knowledge_bases: _containers.RepeatedScalarFieldContainer[str]
    search_lists: _containers.RepeatedCompositeFieldContainer[SearchList]
    def __init__(self, tables: _Optional[int] = ..., generation: _Optional[str] = ..., memory_bytes: _Optional[int] = ..., built_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., lexical_backend: _Optional[str] = ..., vector_backend: _Optional[str] = ..., embedder: _Optional[str] = ..., use: _Optional[_Union[UseFigures, _Mapping]] = ..., failed_catalogs: _Optional[_Iterable[_Union[FailedCatalog, _Mapping]]] = ..., knowledge_bases: _Optional[_Iterable[str]] = ..., search_lists: _Optional[_Iterable[_Union[SearchList, _Mapping]]] = ...) -> None: ...

class SearchList(_message.Message):
    __slots__ = ("list", "backend", "serving", "documents", "down_since", "last_error")
    LIST_FIELD_NUMBER: _ClassVar[int]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    SERVING_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    DOWN_SINCE_FIELD_NUMBER: _ClassVar[int]
    LAST_ERROR_FIELD_NUMBER: _ClassVar[int]
    list: str
    backend: str
    serving: bool
    documents: int
    down_since: _timestamp_pb2.Timestamp
    last_error: str
    def __init__(self, list: _Optional[str] = ..., backend: _Optional[str] = ..., serving: bool = ..., documents: _Optional[int] = ..., down_since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_error: _Optional[str] = ...) -> None: ...

class FailedCatalog(_message.Message):
    __slots__ = ("catalog", "message")
    CATALOG_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    catalog: str
    message: str
    def __init__(self, catalog: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...
