"""How a class becomes an event."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, dataclass_transform


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a session."""


#: The classes by the number in the header.
EVENTS: dict[int, type[Event]] = {}

E = TypeVar("E", bound="Event")


@dataclass_transform(frozen_default=True)
def event_class(number: int) -> Callable[[type[E]], type[E]]:
    """Makes a class an event with the number that the header gives it."""

    def register(kind: type[E]) -> type[E]:
        EVENTS[number] = made = dataclass(frozen=True, slots=True)(kind)
        return made

    return register
