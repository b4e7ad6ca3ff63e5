package import AnchorReplication
package import Basics
package import WorldModel

/// The subject of an ephemeral update.
package enum EphemeralSubject: Hashable, Sendable {
  /// The sender's own device.
  case participant
  /// An anchor the sender drags.
  case anchor(AnchorID)
}

/// A pose that is worth something only until the next one: of a dragged anchor, or of a peer's device.
///
/// It has no dot, is never repeated and may be lost. Of two updates of one sender about one subject the one with the
/// higher sequence stands.
package struct EphemeralUpdate: Hashable, Sendable {
  /// The node that moves it.
  package var origin: NodeID
  /// The thing that moves.
  package var subject: EphemeralSubject
  /// Counts the origin's updates of all subjects, from 1.
  package var sequence: UInt64
  /// When the pose was right, in session time (milliseconds): what a reader interpolates by.
  package var sessionTime: UInt64
  /// Where it is; nil when the drag, or the telling of poses, has ended.
  package var pose: Pose?

  package init(origin: NodeID, subject: EphemeralSubject, sequence: UInt64, sessionTime: UInt64, pose: Pose?) {
    self.origin = origin
    self.subject = subject
    self.sequence = sequence
    self.sessionTime = sessionTime
    self.pose = pose
  }

  /// Whether `other` has the same sender and subject.
  func hasSameSlot(as other: Self) -> Bool { origin == other.origin && subject == other.subject }
}

extension EphemeralUpdate {
  private static let hasAnchor: UInt8 = 1
  private static let hasPose: UInt8 = 2
  /// The latest session time accepted, so that arithmetic never overflows.
  private static let greatestTime: UInt64 = 1 << 62

  /// Bytes of the longest update.
  package static let largest = 1 + NodeID.wireSize + 16 + 16 + 48

  /// Appends bits, origin, sequence, session time, and what of anchor and pose there is.
  package func write(to writer: inout ByteWriter) {
    var bits: UInt8 = pose == nil ? 0 : Self.hasPose
    if case .anchor = subject { bits |= Self.hasAnchor }
    writer.write(bits)
    origin.write(to: &writer)
    writer.write(sequence)
    writer.write(sessionTime)
    if case .anchor(let id) = subject { writer.write(id) }
    if let pose { writer.write(pose) }
  }

  /// Reads what ``write(to:)`` wrote; a pose that is not rigid is an error.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let bits = try reader.readByte()
    guard bits & ~(Self.hasAnchor | Self.hasPose) == 0 else { throw .invalid("unknown bits", offset: start) }
    origin = try NodeID(reading: &reader)
    sequence = try reader.read(UInt64.self)
    sessionTime = try reader.read(UInt64.self)
    guard sequence > 0, sessionTime <= Self.greatestTime else {
      throw .invalid("sequence or session time out of range", offset: start)
    }
    subject = bits & Self.hasAnchor == 0 ? .participant : .anchor(try reader.readAnchorID())
    pose = bits & Self.hasPose == 0 ? nil : try reader.readPose()
  }
}
