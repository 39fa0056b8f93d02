"""Keystone's objects."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Project:
    """A project of a cloud; its id differs from cloud to cloud."""

    id: str
    name: str


@dataclass(frozen=True)
class User:
    """A user with roles on the project of the same name."""

    id: str
    name: str
    project: Project
    roles: tuple[str, ...]

    @property
    def is_admin(self) -> bool:
        """Whether policies for administrators let this user pass."""
        return "admin" in self.roles


@dataclass(frozen=True)
class Token:
    """An issued token; valid before `expires` (site clock)."""

    id: str
    user: User
    issued: float
    expires: float
