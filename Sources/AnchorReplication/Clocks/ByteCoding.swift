package import Basics
package import WorldModel

extension ByteWriter {
  /// Appends the 16 bytes of an actor.
  package mutating func write(_ actor: ActorID) {
    write(actor.peerPrefix.bigEndian)
    write(actor.incarnation.bigEndian)
  }

  /// Appends the 16 bytes of an anchor's id.
  package mutating func write(_ id: AnchorID) {
    write(id.high.bigEndian)
    write(id.low.bigEndian)
  }

  /// Appends 48 bytes: the three axes and the position.
  package mutating func write(_ pose: Pose) {
    for lane in [pose.lanes.0, pose.lanes.1, pose.lanes.2] {
      for index in 0..<4 { write(lane[index]) }
    }
  }
}

extension ByteReader {
  /// Reads the 16 bytes of an actor.
  @_lifetime(self: copy self)
  package mutating func readActor() throws(DecodingFailure) -> ActorID {
    ActorID(
      peerPrefix: UInt64(bigEndian: try read(UInt64.self)), incarnation: UInt64(bigEndian: try read(UInt64.self)))
  }

  /// Reads the 16 bytes of an anchor's id.
  @_lifetime(self: copy self)
  package mutating func readAnchorID() throws(DecodingFailure) -> AnchorID {
    AnchorID(high: UInt64(bigEndian: try read(UInt64.self)), low: UInt64(bigEndian: try read(UInt64.self)))
  }

  /// Reads 48 bytes of a pose and refuses one that is not rigid.
  @_lifetime(self: copy self)
  package mutating func readPose() throws(DecodingFailure) -> Pose {
    let start = offset
    guard let pose = Pose(wire: try readSpan(Pose.byteCount), at: 0) else {
      throw .invalid("pose is not a rigid transform of normal numbers", offset: start)
    }
    return pose
  }

  /// Reads a clock, refusing one with the top bit set.
  @_lifetime(self: copy self)
  package mutating func readClock() throws(DecodingFailure) -> UInt64 {
    let start = offset
    let clock = try read(UInt64.self)
    guard clock <= HybridClock.maximum else { throw .invalid("clock out of range", offset: start) }
    return clock
  }

  /// Reads a sequence number, refusing zero and anything over 48 bits.
  @_lifetime(self: copy self)
  mutating func readSequence() throws(DecodingFailure) -> UInt64 {
    let start = offset
    let sequence = try read(UInt64.self)
    guard 1...Dot.maximumSequence ~= sequence else { throw .invalid("sequence out of range", offset: start) }
    return sequence
  }
}
