"""What can go wrong."""

from enum import IntEnum


class Code(IntEnum):
    """What kind of failure it was: the statuses of the C header."""

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
    NOT_RELOCALISED = 47
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
        """A later library may know more kinds."""
        return cls.OTHER_ERROR


class SharedWorldError(Exception):
    """A call failed; the text is a sentence for people that says what to do."""

    def __init__(self, code: Code, message: str, word: str | None = None) -> None:
        super().__init__(message or code.name.lower().replace("_", " "))
        self.code = code
        #: Of REQUEST_FAILED, the word for programs with which the other program has refused.
        self.word = word
