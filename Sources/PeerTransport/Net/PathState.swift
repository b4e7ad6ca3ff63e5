/// The kernel's state of the path to a peer (`struct tcp_info` of linux/tcp.h).
package struct PathState {
  /// Bytes of the kernel's answer up to the last field used here; the header of the C library ends before it.
  static let infoSize = Offset.leastRoundTrip + 4

  /// Where the fields are; they have never moved, new ones are added at the end.
  private enum Offset {
    static let segmentSize = 16
    static let unacknowledged = 24
    static let roundTrip = 68
    static let leastRoundTrip = 148
  }

  /// Nanoseconds to the peer and back of late, an average.
  let roundTrip: UInt64
  /// The shortest round trip of the last minutes, in nanoseconds.
  let leastRoundTrip: UInt64
  /// Bytes sent and not acknowledged.
  let inFlight: Int

  /// Reads the kernel's answer; nil if it lacks the shortest round trip: an old kernel, or nothing measured yet.
  init?(info: UnsafeRawBufferPointer) {
    guard info.count >= Self.infoSize else { return nil }
    func field(_ offset: Int) -> UInt32 { info.load(fromByteOffset: offset, as: UInt32.self) }
    let least = field(Offset.leastRoundTrip)
    // All ones before the first sample.
    guard least != .max else { return nil }
    leastRoundTrip = UInt64(least) * 1_000
    roundTrip = UInt64(field(Offset.roundTrip)) * 1_000
    inFlight = Int(field(Offset.unacknowledged)) * Int(field(Offset.segmentSize))
  }
}
