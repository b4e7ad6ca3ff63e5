@testable import PeerTransport
import WorldModel

/// Two channels, and the bytes between them.
struct Line {
  private struct End {
    let channel: TLSChannel
    let other: PeerID
    /// Bytes on their way to it.
    var wire: [UInt8] = []
    var sent: [UInt8] = []
    var received: [UInt8] = []
    var isOver = false
  }

  private static let identities: [TLSIdentity] = [0, 1].compactMap {
    try? TLSIdentity(seed: [UInt8](repeating: $0, count: 32))
  }
  private nonisolated(unsafe) static let contexts: [TLSContext] = identities.compactMap {
    try? TLSContext(identity: $0)
  }
  private static let limit = 1 << 18

  private var ends: [End]
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    self.bytes = bytes[...]
    ends = [TLSChannel.Role.dialer, .listener].enumerated().map { index, role in
      guard let channel = try? TLSChannel(context: Self.contexts[index], role: role) else {
        preconditionFailure("no channel")
      }
      return End(channel: channel, other: Self.identities[1 - index].peerID)
    }
  }

  /// Carries out all operations.
  mutating func run() {
    step(0)
    while let operation = bytes.popFirst() { perform(operation) }
    for end in ends {
      precondition(end.channel.peer == nil || end.channel.peer == end.other, "somebody else is taken for the other end")
    }
    for (one, other) in [(0, 1), (1, 0)] {
      precondition(ends[other].sent.starts(with: ends[one].received), "bytes arrive that nobody has sent")
    }
  }

  private mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  private mutating func perform(_ operation: UInt8) {
    let index = Int(operation & 1)
    switch operation >> 1 & 7 {
    // Everything arrives, as if nobody were there.
    case 0, 1: arrive(ends[index].wire.count, at: index)
    case 2: arrive(min(Int(byte()) + 1, ends[index].wire.count), at: index)
    case 3: send(Int(byte()) * 64, from: index)
    case 4:
      let place = Int(byte()) << 8 | Int(byte())
      if place < ends[index].wire.count { ends[index].wire[place] ^= byte() }
    case 5: ends[index].wire.removeFirst(min(Int(byte()), ends[index].wire.count))
    case 6:
      let count = Int(byte())
      ends[index].wire.insert(contentsOf: bytes.prefix(count), at: 0)
      bytes = bytes.dropFirst(count)
    default:
      ends[index].channel.finish()
      collect(index)
    }
  }

  private mutating func send(_ count: Int, from index: Int) {
    guard ends[index].channel.peer != nil, !ends[index].isOver, ends[1 - index].wire.count < Self.limit else { return }
    let start = ends[index].sent.count
    let plain = (start..<(start + count)).map { UInt8(truncatingIfNeeded: $0) }
    let consumed = plain.withUnsafeBytes { try? ends[index].channel.encrypt($0) }
    ends[index].sent += plain.prefix(consumed ?? 0)
    collect(index)
  }

  private mutating func arrive(_ count: Int, at index: Int) {
    let cipher = Array(ends[index].wire.prefix(count))
    ends[index].wire.removeFirst(count)
    guard !ends[index].isOver else { return }
    cipher.withUnsafeBytes { bytes in
      ends[index].channel.lend(bytes)
      step(index)
      ends[index].channel.endLoan()
    }
  }

  /// The handshake goes on, or bytes are decrypted; a failure is final.
  private mutating func step(_ index: Int) {
    defer { collect(index) }
    let channel = ends[index].channel
    do {
      guard try channel.handshake() else { return }
      while channel.mayHaveMore {
        var buffer = [UInt8](repeating: 0, count: 2 * TLSChannel.recordSize)
        let count = try buffer.withUnsafeMutableBytes { try channel.decrypt(into: $0) }
        guard count > 0 else { return }
        ends[index].received += buffer.prefix(count)
      }
    } catch {
      ends[index].isOver = true
    }
  }

  private mutating func collect(_ index: Int) {
    let output = Array(ends[index].channel.output)
    ends[index].channel.consumeOutput(output.count)
    if ends[1 - index].wire.count < Self.limit { ends[1 - index].wire += output }
  }
}
