"""The kinds of things that anchors mark; an anchor without one is a place."""

from dataclasses import dataclass

from ._abi_enums import PlaneAlignment, Surface
from .values import ID


@dataclass(frozen=True, slots=True)
class Plane:
    """A flat surface in the anchor's x-z plane; the y axis is its normal."""

    #: Width and depth (metres).
    extent: tuple[float, float]
    alignment: PlaneAlignment = PlaneAlignment.ANY
    surface: Surface = Surface.UNKNOWN
    #: The outline, x and z of 3 to 256 corners in order (metres).
    corners: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Image:
    """A known picture in the anchor's x-z plane, its top towards -z."""

    reference: str
    #: Width and height (metres).
    extent: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Object:
    """A known scanned object about the anchor's origin."""

    reference: str
    #: Metres.
    extent: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Mesh:
    """Part of a mesh that is kept elsewhere, such as in a resource."""

    reference: str
    #: Metres.
    extent: tuple[float, float, float]
    #: The hash of its bytes, None when that is not known.
    digest: ID | None = None


@dataclass(frozen=True, slots=True)
class Participant:
    """Another peer's device; no program places one."""

    peer: ID


Kind = Plane | Image | Object | Mesh | Participant
