package import AnchorReplication
package import Basics

/// A measured transform between two frames: one register for each pair of frames and observer.
package struct FrameMeasurement: Equatable, Sendable {
  /// The names of a register.
  package struct Key: Hashable, Sendable, Comparable {
    /// The frame whose points the transform moves.
    package var source: WorldFrame
    /// The frame into which it moves them.
    package var target: WorldFrame
    /// The process that measured.
    package var observer: ActorID

    package init(source: WorldFrame, target: WorldFrame, observer: ActorID) {
      (self.source, self.target, self.observer) = (source, target, observer)
    }

    /// Orders by observer, then by the frames.
    package static func < (left: Self, right: Self) -> Bool {
      (left.observer, left.source, left.target) < (right.observer, right.source, right.target)
    }
  }

  /// The names of the register.
  package var key: Key
  /// Counts the measurements of the observer from 1: of two in one register the higher one stands.
  package var version: UInt64
  /// When it was measured (milliseconds of session time).
  package var sessionTime: UInt64
  /// The measured transform with its quality.
  package var estimate: FrameEstimate

  package init(key: Key, version: UInt64, sessionTime: UInt64, estimate: FrameEstimate) {
    (self.key, self.version, self.sessionTime, self.estimate) = (key, version, sessionTime, estimate)
  }
}

extension FrameMeasurement {
  /// Bytes on the wire.
  static let wireSize = 2 * WorldFrame.wireSize + 16 + 8 + 8 + FrameEstimate.wireSize

  /// Appends source, target, observer, version, session time and the estimate.
  package func write(to writer: inout ByteWriter) {
    key.source.write(to: &writer)
    key.target.write(to: &writer)
    writer.write(key.observer)
    writer.write(version)
    writer.write(sessionTime)
    estimate.write(to: &writer)
  }

  /// Reads what ``write(to:)`` wrote; one of a frame to itself is an error.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    key = Key(
      source: try WorldFrame(reading: &reader), target: try WorldFrame(reading: &reader),
      observer: try reader.readActor())
    version = try reader.read(UInt64.self)
    sessionTime = try reader.read(UInt64.self)
    guard key.source != key.target, 1...ProtocolLimits.counter ~= version, sessionTime <= ProtocolLimits.counter else {
      throw .invalid("a measurement of a frame to itself, or a number out of range", offset: start)
    }
    estimate = try FrameEstimate(reading: &reader)
  }
}
