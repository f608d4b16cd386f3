from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class StudyKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STUDY_KIND_UNSPECIFIED: _ClassVar[StudyKind]
    STUDY_KIND_ROWS: _ClassVar[StudyKind]
    STUDY_KIND_NULLS: _ClassVar[StudyKind]
    STUDY_KIND_RANGES: _ClassVar[StudyKind]
    STUDY_KIND_DATES: _ClassVar[StudyKind]
    STUDY_KIND_FRESHNESS: _ClassVar[StudyKind]
    STUDY_KIND_VALUES: _ClassVar[StudyKind]
    STUDY_KIND_COHORT: _ClassVar[StudyKind]
    STUDY_KIND_FUNNEL: _ClassVar[StudyKind]
STUDY_KIND_UNSPECIFIED: StudyKind
STUDY_KIND_ROWS: StudyKind
STUDY_KIND_NULLS: StudyKind
STUDY_KIND_RANGES: StudyKind
STUDY_KIND_DATES: StudyKind
STUDY_KIND_FRESHNESS: StudyKind
STUDY_KIND_VALUES: StudyKind
STUDY_KIND_COHORT: StudyKind
STUDY_KIND_FUNNEL: StudyKind
