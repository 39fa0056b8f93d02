import datetime

from google.api import annotations_pb2 as _annotations_pb2
from google.api import client_pb2 as _client_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.api import field_info_pb2 as _field_info_pb2
from google.api import resource_pb2 as _resource_pb2
from google.protobuf import empty_pb2 as _empty_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OpenStackCluster(_message.Message):
    __slots__ = ("name", "uid", "display_name", "etag", "create_time", "update_time", "managed_by", "availability_zone", "state", "controller_name", "cloud_name", "auth_url", "username", "project_name", "region_name", "ca_certificate", "compute_microversion", "block_storage_microversion", "server_availability_zone", "user_domain_name", "project_domain_name", "manages_networks", "has_password", "password")
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    MANAGED_BY_FIELD_NUMBER: _ClassVar[int]
    AVAILABILITY_ZONE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    CONTROLLER_NAME_FIELD_NUMBER: _ClassVar[int]
    CLOUD_NAME_FIELD_NUMBER: _ClassVar[int]
    AUTH_URL_FIELD_NUMBER: _ClassVar[int]
    USERNAME_FIELD_NUMBER: _ClassVar[int]
    PROJECT_NAME_FIELD_NUMBER: _ClassVar[int]
    REGION_NAME_FIELD_NUMBER: _ClassVar[int]
    CA_CERTIFICATE_FIELD_NUMBER: _ClassVar[int]
    COMPUTE_MICROVERSION_FIELD_NUMBER: _ClassVar[int]
    BLOCK_STORAGE_MICROVERSION_FIELD_NUMBER: _ClassVar[int]
    SERVER_AVAILABILITY_ZONE_FIELD_NUMBER: _ClassVar[int]
    USER_DOMAIN_NAME_FIELD_NUMBER: _ClassVar[int]
    PROJECT_DOMAIN_NAME_FIELD_NUMBER: _ClassVar[int]
    MANAGES_NETWORKS_FIELD_NUMBER: _ClassVar[int]
    HAS_PASSWORD_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    name: str
    uid: str
    display_name: str
    etag: str
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    managed_by: str
    availability_zone: str
    state: str
    controller_name: str
    cloud_name: str
    auth_url: str
    username: str
    project_name: str
    region_name: str
    ca_certificate: str
    compute_microversion: str
    block_storage_microversion: str
    server_availability_zone: str
    user_domain_name: str
    project_domain_name: str
    manages_networks: bool
    has_password: bool
    password: str
    def __init__(self, name: _Optional[str] = ..., uid: _Optional[str] = ..., display_name: _Optional[str] = ..., etag: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., managed_by: _Optional[str] = ..., availability_zone: _Optional[str] = ..., state: _Optional[str] = ..., controller_name: _Optional[str] = ..., cloud_name: _Optional[str] = ..., auth_url: _Optional[str] = ..., username: _Optional[str] = ..., project_name: _Optional[str] = ..., region_name: _Optional[str] = ..., ca_certificate: _Optional[str] = ..., compute_microversion: _Optional[str] = ..., block_storage_microversion: _Optional[str] = ..., server_availability_zone: _Optional[str] = ..., user_domain_name: _Optional[str] = ..., project_domain_name: _Optional[str] = ..., manages_networks: _Optional[bool] = ..., has_password: _Optional[bool] = ..., password: _Optional[str] = ...) -> None: ...

class GetOpenStackClusterRequest(_message.Message):
    __slots__ = ("name", "read_mask")
    NAME_FIELD_NUMBER: _ClassVar[int]
    READ_MASK_FIELD_NUMBER: _ClassVar[int]
    name: str
    read_mask: _field_mask_pb2.FieldMask
    def __init__(self, name: _Optional[str] = ..., read_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ...) -> None: ...

class ListOpenStackClustersRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "filter", "order_by", "show_deleted", "read_mask")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_BY_FIELD_NUMBER: _ClassVar[int]
    SHOW_DELETED_FIELD_NUMBER: _ClassVar[int]
    READ_MASK_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    filter: str
    order_by: str
    show_deleted: bool
    read_mask: _field_mask_pb2.FieldMask
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., filter: _Optional[str] = ..., order_by: _Optional[str] = ..., show_deleted: _Optional[bool] = ..., read_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ...) -> None: ...

class ListOpenStackClustersResponse(_message.Message):
    __slots__ = ("openstack_clusters", "next_page_token", "resource_version")
    OPENSTACK_CLUSTERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    openstack_clusters: _containers.RepeatedCompositeFieldContainer[OpenStackCluster]
    next_page_token: str
    resource_version: str
    def __init__(self, openstack_clusters: _Optional[_Iterable[_Union[OpenStackCluster, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., resource_version: _Optional[str] = ...) -> None: ...

class CreateOpenStackClusterRequest(_message.Message):
    __slots__ = ("openstack_cluster_id", "openstack_cluster", "validate_only")
    OPENSTACK_CLUSTER_ID_FIELD_NUMBER: _ClassVar[int]
    OPENSTACK_CLUSTER_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    openstack_cluster_id: str
    openstack_cluster: OpenStackCluster
    validate_only: bool
    def __init__(self, openstack_cluster_id: _Optional[str] = ..., openstack_cluster: _Optional[_Union[OpenStackCluster, _Mapping]] = ..., validate_only: _Optional[bool] = ...) -> None: ...

class UpdateOpenStackClusterRequest(_message.Message):
    __slots__ = ("openstack_cluster", "update_mask", "allow_missing", "validate_only")
    OPENSTACK_CLUSTER_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    openstack_cluster: OpenStackCluster
    update_mask: _field_mask_pb2.FieldMask
    allow_missing: bool
    validate_only: bool
    def __init__(self, openstack_cluster: _Optional[_Union[OpenStackCluster, _Mapping]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ..., allow_missing: _Optional[bool] = ..., validate_only: _Optional[bool] = ...) -> None: ...

class DeleteOpenStackClusterRequest(_message.Message):
    __slots__ = ("name", "etag", "allow_missing", "validate_only")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    name: str
    etag: str
    allow_missing: bool
    validate_only: bool
    def __init__(self, name: _Optional[str] = ..., etag: _Optional[str] = ..., allow_missing: _Optional[bool] = ..., validate_only: _Optional[bool] = ...) -> None: ...

class ActivateOpenStackClusterRequest(_message.Message):
    __slots__ = ("name", "etag", "validate_only")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    name: str
    etag: str
    validate_only: bool
    def __init__(self, name: _Optional[str] = ..., etag: _Optional[str] = ..., validate_only: _Optional[bool] = ...) -> None: ...

class CordonOpenStackClusterRequest(_message.Message):
    __slots__ = ("name", "etag", "validate_only")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    name: str
    etag: str
    validate_only: bool
    def __init__(self, name: _Optional[str] = ..., etag: _Optional[str] = ..., validate_only: _Optional[bool] = ...) -> None: ...

class DrainOpenStackClusterRequest(_message.Message):
    __slots__ = ("name", "etag", "validate_only")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    name: str
    etag: str
    validate_only: bool
    def __init__(self, name: _Optional[str] = ..., etag: _Optional[str] = ..., validate_only: _Optional[bool] = ...) -> None: ...

class RetireOpenStackClusterRequest(_message.Message):
    __slots__ = ("name", "etag", "validate_only")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    name: str
    etag: str
    validate_only: bool
    def __init__(self, name: _Optional[str] = ..., etag: _Optional[str] = ..., validate_only: _Optional[bool] = ...) -> None: ...
