import Basics
package import PeerProtocol

/// A 64-bit digest (FNV-1a over words) of everything that nodes asked their drivers to do, in order.
///
/// Two builds with equal digests over the same seeds put the same bytes on the wire: `soak digest` prints it, so that a change
/// that only moves code can be shown to change nothing. It is no defence against anybody.
package struct OutputDigest: Sendable, Equatable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Of nothing.
  package init() {}

  /// Adds a number.
  package mutating func add(_ number: UInt64) {
    value = (value ^ number) &* 0x0000_0100_0000_01b3
    // FNV mixes upwards only; folding the top half down lets every bit reach every other one.
    value ^= value >> 32
  }

  /// Adds bytes and their count.
  package mutating func add(_ bytes: [UInt8]) {
    add(UInt64(bytes.count))
    var offset = 0
    let span = unsafe bytes.span.bytes
    while offset + 8 <= bytes.count {
      add(unsafe span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    for index in offset..<bytes.count { add(UInt64(bytes[index])) }
  }

  /// Adds what the driver is to do.
  package mutating func add(_ output: Output) {
    switch output {
    case .connect(_, let address):
      // The number of a dial is a name between node and driver; no peer sees it.
      begin(1, 0)
      add(Array("\(address)".utf8))
    case .transmit(let link, let bytes):
      begin(2, link.rawValue)
      add(bytes)
    case .close(let link): begin(3, link.rawValue)
    case .admitted(let link): begin(4, link.rawValue)
    case .check(let check): begin(5, UInt64(check.index))
    case .find(let search): begin(6, UInt64(search.wanted.count))
    case .load(let load): begin(10, UInt64(load.index))
    case .keep(let hash, _):
      begin(7, 0)
      add(Array("\(hash)".utf8))
    case .persist(let record):
      begin(8, 0)
      add(record.encoded)
    case .event(let event):
      begin(9, 0)
      add(Array(event.label.utf8))
    }
  }

  private mutating func begin(_ kind: UInt64, _ number: UInt64) {
    add(kind)
    add(number)
  }
}

extension NodeEvent {
  /// The name of the case: what it carries is spelled by types that may change their names.
  fileprivate var label: String {
    Mirror(reflecting: self).children.first?.label ?? "\(self)"
  }
}
