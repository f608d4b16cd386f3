import datetime

from buf.validate import validate_pb2 as _validate_pb2
from dibrain.common.v1 import context_pb2 as _context_pb2
from dibrain.common.v1 import run_pb2 as _run_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Citation(_message.Message):
    __slots__ = ("document", "section", "url", "quote", "score", "collection", "product", "changed_at")
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    SECTION_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    QUOTE_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    PRODUCT_FIELD_NUMBER: _ClassVar[int]
    CHANGED_AT_FIELD_NUMBER: _ClassVar[int]
    document: str
    section: str
    url: str
    quote: str
    score: float
    collection: str
    product: str
    changed_at: _timestamp_pb2.Timestamp
    def __init__(self, document: _Optional[str] = ..., section: _Optional[str] = ..., url: _Optional[str] = ..., quote: _Optional[str] = ..., score: _Optional[float] = ..., collection: _Optional[str] = ..., product: _Optional[str] = ..., changed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class NearestHeading(_message.Message):
    __slots__ = ("section", "document", "url")
    SECTION_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    section: str
    document: str
    url: str
    def __init__(self, section: _Optional[str] = ..., document: _Optional[str] = ..., url: _Optional[str] = ...) -> None: ...

class Conflict(_message.Message):
    __slots__ = ("values", "citations")
    VALUES_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[str]
    citations: _containers.RepeatedCompositeFieldContainer[Citation]
    def __init__(self, values: _Optional[_Iterable[str]] = ..., citations: _Optional[_Iterable[_Union[Citation, _Mapping]]] = ...) -> None: ...

class FAQQuery(_message.Message):
    __slots__ = ("question", "user_context", "collections", "product_name")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    COLLECTIONS_FIELD_NUMBER: _ClassVar[int]
    PRODUCT_NAME_FIELD_NUMBER: _ClassVar[int]
    question: str
    user_context: _context_pb2.UserContext
    collections: _containers.RepeatedScalarFieldContainer[str]
    product_name: str
    def __init__(self, question: _Optional[str] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ..., collections: _Optional[_Iterable[str]] = ..., product_name: _Optional[str] = ...) -> None: ...

class KnowledgeAnswer(_message.Message):
    __slots__ = ("answered", "text", "citations", "confidence", "nearest_headings", "ask", "conflicts", "warnings", "strategy", "searched_as", "trace")
    ANSWERED_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    NEAREST_HEADINGS_FIELD_NUMBER: _ClassVar[int]
    ASK_FIELD_NUMBER: _ClassVar[int]
    CONFLICTS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    SEARCHED_AS_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    answered: bool
    text: str
    citations: _containers.RepeatedCompositeFieldContainer[Citation]
    confidence: float
    nearest_headings: _containers.RepeatedCompositeFieldContainer[NearestHeading]
    ask: str
    conflicts: _containers.RepeatedCompositeFieldContainer[Conflict]
    warnings: _containers.RepeatedScalarFieldContainer[str]
    strategy: str
    searched_as: str
    trace: _run_pb2.RunTrace
    def __init__(self, answered: bool = ..., text: _Optional[str] = ..., citations: _Optional[_Iterable[_Union[Citation, _Mapping]]] = ..., confidence: _Optional[float] = ..., nearest_headings: _Optional[_Iterable[_Union[NearestHeading, _Mapping]]] = ..., ask: _Optional[str] = ..., conflicts: _Optional[_Iterable[_Union[Conflict, _Mapping]]] = ..., warnings: _Optional[_Iterable[str]] = ..., strategy: _Optional[str] = ..., searched_as: _Optional[str] = ..., trace: _Optional[_Union[_run_pb2.RunTrace, _Mapping]] = ...) -> None: ...

class AnswerFAQRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: FAQQuery
    def __init__(self, query: _Optional[_Union[FAQQuery, _Mapping]] = ...) -> None: ...

class AnswerFAQResponse(_message.Message):
    __slots__ = ("text", "answer")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    text: str
    answer: KnowledgeAnswer
    def __init__(self, text: _Optional[str] = ..., answer: _Optional[_Union[KnowledgeAnswer, _Mapping]] = ...) -> None: ...

class AnswerFAQUnaryRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: FAQQuery
    def __init__(self, query: _Optional[_Union[FAQQuery, _Mapping]] = ...) -> None: ...

class AnswerFAQUnaryResponse(_message.Message):
    __slots__ = ("answer",)
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    answer: KnowledgeAnswer
    def __init__(self, answer: _Optional[_Union[KnowledgeAnswer, _Mapping]] = ...) -> None: ...

class ExpertQuery(_message.Message):
    __slots__ = ("user_question", "product_name", "session_id", "user_context")
    USER_QUESTION_FIELD_NUMBER: _ClassVar[int]
    PRODUCT_NAME_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    USER_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    user_question: str
    product_name: str
    session_id: str
    user_context: _context_pb2.UserContext
    def __init__(self, user_question: _Optional[str] = ..., product_name: _Optional[str] = ..., session_id: _Optional[str] = ..., user_context: _Optional[_Union[_context_pb2.UserContext, _Mapping]] = ...) -> None: ...

class ExpertAnswer(_message.Message):
    __slots__ = ("answer", "session_id", "product_name")
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    PRODUCT_NAME_FIELD_NUMBER: _ClassVar[int]
    answer: KnowledgeAnswer
    session_id: str
    product_name: str
    def __init__(self, answer: _Optional[_Union[KnowledgeAnswer, _Mapping]] = ..., session_id: _Optional[str] = ..., product_name: _Optional[str] = ...) -> None: ...

class AskExpertRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: ExpertQuery
    def __init__(self, query: _Optional[_Union[ExpertQuery, _Mapping]] = ...) -> None: ...

class AskExpertResponse(_message.Message):
    __slots__ = ("text", "answer")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    text: str
    answer: ExpertAnswer
    def __init__(self, text: _Optional[str] = ..., answer: _Optional[_Union[ExpertAnswer, _Mapping]] = ...) -> None: ...

class AskExpertUnaryRequest(_message.Message):
    __slots__ = ("query",)
    QUERY_FIELD_NUMBER: _ClassVar[int]
    query: ExpertQuery
    def __init__(self, query: _Optional[_Union[ExpertQuery, _Mapping]] = ...) -> None: ...

class AskExpertUnaryResponse(_message.Message):
    __slots__ = ("answer",)
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    answer: ExpertAnswer
    def __init__(self, answer: _Optional[_Union[ExpertAnswer, _Mapping]] = ...) -> None: ...

class IngestDocumentsRequest(_message.Message):
    __slots__ = ("collection",)
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    collection: str
    def __init__(self, collection: _Optional[str] = ...) -> None: ...

class IngestDocumentsResponse(_message.Message):
    __slots__ = ("done", "total", "message", "unreadable", "passages")
    DONE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    UNREADABLE_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    done: int
    total: int
    message: str
    unreadable: int
    passages: int
    def __init__(self, done: _Optional[int] = ..., total: _Optional[int] = ..., message: _Optional[str] = ..., unreadable: _Optional[int] = ..., passages: _Optional[int] = ...) -> None: ...

class ListProductsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Product(_message.Message):
    __slots__ = ("name", "documents", "collections")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    COLLECTIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    documents: int
    collections: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., documents: _Optional[int] = ..., collections: _Optional[_Iterable[str]] = ...) -> None: ...

class ListProductsResponse(_message.Message):
    __slots__ = ("products",)
    PRODUCTS_FIELD_NUMBER: _ClassVar[int]
    products: _containers.RepeatedCompositeFieldContainer[Product]
    def __init__(self, products: _Optional[_Iterable[_Union[Product, _Mapping]]] = ...) -> None: ...

class ListDocumentsRequest(_message.Message):
    __slots__ = ("collection", "product_name", "page_size", "page_token")
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    PRODUCT_NAME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    collection: str
    product_name: str
    page_size: int
    page_token: str
    def __init__(self, collection: _Optional[str] = ..., product_name: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class Document(_message.Message):
    __slots__ = ("collection", "name", "title", "product", "changed_at", "passages", "problem")
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    PRODUCT_FIELD_NUMBER: _ClassVar[int]
    CHANGED_AT_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    collection: str
    name: str
    title: str
    product: str
    changed_at: _timestamp_pb2.Timestamp
    passages: int
    problem: str
    def __init__(self, collection: _Optional[str] = ..., name: _Optional[str] = ..., title: _Optional[str] = ..., product: _Optional[str] = ..., changed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., passages: _Optional[int] = ..., problem: _Optional[str] = ...) -> None: ...

class ListDocumentsResponse(_message.Message):
    __slots__ = ("documents", "next_page_token")
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    documents: _containers.RepeatedCompositeFieldContainer[Document]
    next_page_token: str
    def __init__(self, documents: _Optional[_Iterable[_Union[Document, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...
