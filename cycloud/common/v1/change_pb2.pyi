from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class Change(_message.Message):
    __slots__ = ()
    class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        TYPE_UNSPECIFIED: _ClassVar[Change.Type]
        ADDED: _ClassVar[Change.Type]
        MODIFIED: _ClassVar[Change.Type]
        DELETED: _ClassVar[Change.Type]
        BOOKMARK: _ClassVar[Change.Type]
    TYPE_UNSPECIFIED: Change.Type
    ADDED: Change.Type
    MODIFIED: Change.Type
    DELETED: Change.Type
    BOOKMARK: Change.Type
    def __init__(self) -> None: ...
