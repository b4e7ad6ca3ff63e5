"""Fields that the small peer has no use for: the rest of the notation of PROTOCOL.md."""

from small.wire import Node, Reader, check


def read_flag(reader: Reader) -> bool:
    return reader.u8(1) == 1


def read_optional_node(reader: Reader) -> Node | None:
    return reader.node() if read_flag(reader) else None


def optional_node(node: Node | None) -> bytes:
    return b"\x00" if node is None else b"\x01" + bytes(node)


def read_addresses(reader: Reader) -> bytes:
    """The bytes of a list of addresses, which nobody here dials."""
    start = reader.at
    for _ in range(reader.u8(8)):
        size = reader.u8()
        check(size in (4, 16), "an address has 4 or 16 bytes")
        reader.take(size + 2)
    return reader.data[start:reader.at]
