package import AnchorReplication
import Basics

/// A coordinate frame: that of the session, or one that a device has of its own.
///
/// A device that loses its world and begins another one has a new frame, so the transform between two frames is constant but for
/// drift. The frame of an actor is not used by any later start of the same peer.
package struct WorldFrame: Hashable, Sendable, Comparable {
  /// The start of the process that owns the frame; of zeros for the shared one.
  package let owner: ActorID
  /// Counts the owner's frames from 1; 0 for the shared one.
  package let number: UInt32

  /// The frame of the session's map and of every app that aligns nothing.
  package static let shared = WorldFrame(owner: ActorID(peerPrefix: 0, incarnation: 0), number: 0)

  /// The frame of `owner` with this number, from 1.
  package init(owner: ActorID, number: UInt32) {
    self.owner = owner
    self.number = number
  }

  /// Orders by owner, then by number.
  package static func < (left: Self, right: Self) -> Bool {
    (left.owner, left.number) < (right.owner, right.number)
  }
}

extension WorldFrame {
  /// Bytes of a frame on the wire: 16 of the owner and 4 of the number.
  static let wireSize = 20

  /// Appends owner and number.
  func write(to writer: inout ByteWriter) {
    writer.write(owner)
    writer.write(number)
  }

  /// Reads what ``write(to:)`` wrote; a shared frame with an owner, or another one without, is an error.
  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    owner = try reader.readActor()
    number = try reader.read(UInt32.self)
    guard (number == 0) == (owner == Self.shared.owner) else {
      throw .invalid("a frame has an owner and a number, or neither", offset: start)
    }
  }
}

extension NodeID {
  /// This start as the author of operations.
  package var actor: ActorID { ActorID(peer: peer, incarnation: incarnation) }
}
