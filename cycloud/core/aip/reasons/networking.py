"""Reasons of VPCs, subnets and network interfaces."""

from cycloud.core.aip.errors import Code
from cycloud.core.aip.reasons.reason import ErrorReason

__all__ = ["REASONS"]

REASONS = (
    ErrorReason(
        "VPC_NOT_EMPTY",
        (Code.FAILED_PRECONDITION,),
        "The VPC to be deleted still has subnets.",
        "Delete them first.",
        "{resource} にサブネットが残っています。先に削除してください。",
    ),
    ErrorReason(
        "SUBNET_NOT_EMPTY",
        (Code.FAILED_PRECONDITION,),
        "The subnet to be deleted still has network interfaces.",
        "Delete them first.",
        "{resource} にネットワークインターフェースが残っています。先に削除してください。",
    ),
    ErrorReason(
        "SUBNET_FULL",
        (Code.RESOURCE_EXHAUSTED,),
        "The subnet has no free address.",
        "Delete network interfaces that are not used, or make another subnet.",
        "{resource} に空きアドレスがありません。",
    ),
    ErrorReason(
        "CIDR_OVERLAP",
        (Code.FAILED_PRECONDITION,),
        "The range overlaps that of another subnet of the VPC.",
        "Choose another range.",
        "指定された範囲は同じ VPC の別のサブネットと重なっています。",
    ),
    ErrorReason(
        "ADDRESS_IN_USE",
        (Code.ALREADY_EXISTS,),
        "Another network interface has the address.",
        "Choose another address, or none to get one that is free.",
        "アドレス {ip_address} は別のネットワークインターフェースが使用しています。",
    ),
    ErrorReason(
        "MAC_ADDRESSES_EXHAUSTED",
        (Code.RESOURCE_EXHAUSTED,),
        "No free MAC address was found.",
        "Try again; if it stays so, tell your platform team.",
        "空いている MAC アドレスが見つかりませんでした。",
    ),
    ErrorReason(
        "ATTACHED",
        (Code.FAILED_PRECONDITION,),
        "The network interface to be deleted is attached to an instance.",
        "Delete the instance, or take the interface from it, first.",
        "ネットワークインターフェースは {instance} に接続されています。先に取り外してください。",
    ),
    ErrorReason(
        "MANAGED",
        (Code.FAILED_PRECONDITION,),
        "Operators only: the controllers made this network, so it cannot be changed by hand.",
        "Leave it to the controllers.",
        "{resource} のネットワークは自動で管理されているため、手動では変更できません。",
    ),
)
