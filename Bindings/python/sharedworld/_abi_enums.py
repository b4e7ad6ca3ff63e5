"""The constants of the C interface.

Made by Scripts/python-abi.py out of the C header: change that, and run it again.
"""

from enum import IntEnum, IntFlag


class Code(IntEnum):
    """The kind of a failure: the statuses of the C header."""

    DECLINED = 1
    INVITATION_TIMED_OUT = 2
    CANCELLED = 3
    UNKNOWN_PEER = 4
    UNKNOWN_ANCHOR = 5
    INVALID_ARGUMENT = 6
    VERSION_MISMATCH = 7
    IDENTITY_MISMATCH = 8
    CORRUPT_IDENTITY = 9
    INSECURE_IDENTITY = 10
    CORRUPT_DATA = 11
    NOT_CONNECTED = 12
    LIMIT_EXCEEDED = 13
    DISCOVERY_UNAVAILABLE = 14
    ADDRESS_IN_USE = 15
    IO = 16
    ENDED = 17
    OTHER_SERVICE = 18
    CONSUMER_TOO_SLOW = 19
    DIVERGENCE = 20
    NO_MAP = 21
    NOT_PERMITTED = 22
    LOCKED = 23
    NOT_HOST = 24
    DRAG_ENDED = 25
    NOT_OWNER = 26
    NOT_ACKNOWLEDGED = 27
    UNREACHABLE = 28
    INSECURE_FILE = 29
    IDENTITY_IN_USE = 30
    PASSCODE_REQUIRED = 31
    PASSCODE_REFUSED = 32
    PASSCODE_LOCKED = 33
    CODE_REQUIRED = 34
    CODE_REFUSED = 35
    CODE_BUSY = 36
    WOULD_BLOCK = 37
    DISK_FULL = 38
    UNKNOWN_RESOURCE = 39
    MESSAGE_STOPPED = 40
    REQUEST_TIMED_OUT = 41
    UNHANDLED = 42
    UNDECODABLE = 43
    REQUEST_FAILED = 44
    NOT_DELIVERED = 45
    MAP_NOT_READY = 46
    NOT_RELOCALIZED = 47
    NOT_DETERMINED = 48
    NO_POSE = 49
    DRIVER_REQUIRED = 50
    AUTHENTICATION_FAILED = 51
    STREAM_RESET = 52
    MISSING_TRAIT = 53
    PASSCODE_WAIT = 54
    OTHER_ERROR = 99

    @classmethod
    def _missing_(cls, value: object) -> "Code":
        """A later library may know more."""
        return cls.OTHER_ERROR


class Discovery(IntEnum):
    """How peers on the network are found."""

    AUTOMATIC = 0
    AVAHI = 1
    EMBEDDED = 2
    NONE = 3


class Authority(IntEnum):
    """The peers that decide about a session: its host; the one that begins it; that one, with publishers of maps."""

    HOST = 0
    CREATOR = 1
    CURATED = 2


class Newcomers(IntEnum):
    """The part that newcomers get in a creator's session that a peer begins, until its creator gives them another, see roles.h."""

    MEMBERS = 0
    GUESTS = 1


class Role(IntEnum):
    """Whether a session looks for others, shows itself, or both."""

    BOTH = 0
    BROWSER = 1
    ADVERTISER = 2


class InvitePolicy(IntEnum):
    """Which of the peers that are found are invited without being named."""

    NONE = 0
    ALL = 1


class LogLevel(IntEnum):
    """How much of what the library would print comes as LogLine."""

    NONE = 0
    WARNING = 1
    INFO = 2
    DEBUG = 3


class MapProviders(IntEnum):
    """Who may share a map with the whole session."""

    ANYONE = 0
    HOST = 1


class Trust(IntEnum):
    """Which keys are admitted, besides the answers to invitations."""

    ANYONE = 0
    FIRST_USE = 1
    PINNED = 2
    CODE = 3


class Recognition(IntEnum):
    """How a key compares with those that this device has admitted before."""

    UNTRACKED = 0
    KNOWN = 1
    NEVER_SEEN = 2
    NEW_DEVICE = 3
    REFUSED = 4


class Passcode(IntEnum):
    """The length of a passcode of sw_passcode_generate with its end, and its strength."""

    SIZE = 10
    BITS = 40


class PeerRole(IntEnum):
    """The part of a peer in a creator's session; in an open one all have NONE."""

    NONE = 0
    MEMBER = 1
    MODERATOR = 2
    CREATOR = 3
    GUEST = 4
    PUBLISHER = 5


class Invitations(IntEnum):
    """How invitations are answered; with ASK the event Invited asks."""

    DECLINE = 0
    ACCEPT = 1
    ASK = 2


class Standing(IntEnum):
    """Whether a session lets newcomers in, as it says itself."""

    OPEN = 0
    LOCKED = 1
    FULL = 2


class Way(IntFlag):
    """The ways by which a candidate was found; several may be set."""

    MULTICAST_DNS = 1
    ANNOUNCEMENT = 2


class FindingWeight(IntEnum):
    """What an observation means for discovery."""

    GOOD = 0
    DOUBTFUL = 1
    BAD = 2


class Mode(IntEnum):
    """The promise about the delivery of a message."""

    RELIABLE = 0
    CRITICAL = 1
    UNRELIABLE = 2


class AttachmentState(IntEnum):
    """How far this peer has come with what is attached to the session."""

    LISTED = 0
    FETCHING = 1
    HERE = 2
    FAILED = 3
    REMOVED = 4


class PeerState(IntEnum):
    """How well a peer can be reached."""

    CONNECTING = 0
    CONNECTED = 1
    RECONNECTING = 2
    LOST = 3


class Acknowledgement(IntEnum):
    """The peers that must hold an edit."""

    HOST = 0
    EVERY_PRESENT_MEMBER = 1


class MappingStatus(IntEnum):
    """How well a place is mapped; it is enough to share from EXTENDING on."""

    NOT_AVAILABLE = 0
    LIMITED = 1
    EXTENDING = 2
    MAPPED = 3


class MappingLacks(IntFlag):
    """The evidence that a LIMITED map lacks."""

    COVERAGE = 1
    DENSITY = 2
    VIEWS = 4


class Kind(IntEnum):
    """The kind of thing that an anchor marks."""

    PLAIN = 0
    PLANE = 1
    IMAGE = 2
    OBJECT = 3
    MESH = 4
    PARTICIPANT = 5


class PlaneAlignment(IntEnum):
    """How a plane lies relative to gravity."""

    ANY = 0
    HORIZONTAL = 1
    VERTICAL = 2


class Surface(IntEnum):
    """The kind of surface that a plane is part of."""

    UNKNOWN = 0
    WALL = 1
    FLOOR = 2
    CEILING = 3
    TABLE = 4
    SEAT = 5
    WINDOW = 6
    DOOR = 7


class HitKind(IntEnum):
    """The kind of surface that a hit-test has found, the most trusted first."""

    PLANE = 0
    FEATURE_POINTS = 1
    EXTENDED_PLANE = 2


class AlignmentState(IntEnum):
    """How far two peers have come with lining up their frames."""

    UNALIGNED = 0
    ALIGNING = 1
    ALIGNED = 2
    LOST = 3


class Hold(IntEnum):
    """How two devices are held together: looking the same way, or touching."""

    TOGETHER = 0
    TOUCHING = 1


class EventType(IntEnum):
    """The numbers of events, whose classes are in `events.py`."""

    CANDIDATE_FOUND = 1
    CANDIDATE_LOST = 2
    DISCOVERY_AVAILABLE = 3
    DISCOVERY_UNAVAILABLE = 4
    INVITATION = 5
    INVITATION_ENDED = 6
    PEER_JOINED = 7
    PEER_RECONNECTING = 8
    PEER_LEFT = 9
    HOST_CHANGED = 10
    MAP_PROGRESS = 11
    MAP_RECEIVED = 12
    MAP_FAILED = 13
    ANCHOR_ADDED = 14
    ANCHOR_UPDATED = 15
    ANCHOR_REMOVED = 16
    EDIT_SUPERSEDED = 17
    MESSAGE = 18
    PROBLEM = 19
    ENDED = 20
    SESSION_MERGED = 21
    LOCKED = 22
    UNLOCKED = 23
    PEER_MAP_CHANGED = 24
    SYNCHRONIZED = 25
    FIELD_OVERWRITTEN = 26
    ANCHOR_RESTORED = 27
    OWNERSHIP_CHANGED = 28
    ANCHOR_DRAGGED = 29
    DRAG_ENDED = 30
    PARTICIPANT_MOVED = 31
    PARTICIPANT_GONE = 32
    NEW_DEVICE = 33
    CODE = 34
    CODE_ENDED = 35
    MESSAGES_FAILED = 36
    MESSAGE_RETURNED = 37
    PEER_RECONNECTED = 38
    NOBODY_FOUND = 39
    ALIGNMENT_CHANGED = 40
    GROUPS_CHANGED = 41
    RESOURCE_OFFERED = 44
    RESOURCE_PROGRESS = 45
    RESOURCE_RECEIVED = 46
    RESOURCE_FAILED = 47
    RESOURCE_SETTLED = 48
    ATTACHMENT_CHANGED = 49
    DONE = 60
    OBJECT = 61
    REQUEST = 62
    REQUEST_WITHDRAWN = 63
    INVITATION_FAILED = 64
    HOST_REQUESTED = 65
    OWNERSHIP_REQUESTED = 66
    STREAM = 67
    ROOM = 68
    ROLE_CHANGED = 69
    LOG = 70


class Field(IntEnum):
    """Which part of an anchor an edit wrote."""

    NONE = 0
    TRANSFORM = 1
    NAME = 2
    PAYLOAD = 3
    FLAGS = 4
    OWNERSHIP = 5
    KIND = 6


class MapStage(IntEnum):
    """How far a peer has come with the session's map."""

    NONE = 0
    TRANSFERRING = 1
    RECEIVED = 2
    RELOCALIZED = 3
    CLAIMED = 4
