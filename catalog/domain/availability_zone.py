"""What an operator declares of an availability zone."""

from dataclasses import dataclass

from cycloud.core.resources.metadata import check_display_name


@dataclass(frozen=True)
class AvailabilityZoneInput:
    display_name: str = ""

    def check(self) -> None:
        """Raise InvalidArgument naming the field that is wrong."""
        check_display_name(self.display_name)
