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

/// A measurement is a word in ``WordTopic/measurements``: the frames are its key, and the observer is its author.
extension FrameMeasurement {
  /// Bytes of the body.
  static let bodySize = 8 + FrameEstimate.wireSize

  /// Appends the body of a word: session time and estimate.
  package static func write(sessionTime: UInt64, _ estimate: FrameEstimate, to writer: inout ByteWriter) {
    writer.write(sessionTime)
    estimate.write(to: &writer)
  }

  /// Reads a word; one of a frame to itself is an error.
  package init(_ word: SpreadWord) throws(DecodingFailure) {
    key = try Key(word)
    version = word.version
    let body = Array(word.body)
    var reader = ByteReader(body.span)
    sessionTime = try reader.read(UInt64.self)
    guard sessionTime <= ProtocolLimits.counter else { throw .invalid("a session time out of range", offset: 0) }
    estimate = try FrameEstimate(reading: &reader)
    try reader.finish()
  }
}

extension FrameMeasurement.Key {
  /// The key of the word: source and target.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    source.write(to: &writer)
    target.write(to: &writer)
    return writer.bytes
  }

  /// Reads the name of a word.
  init(_ word: SpreadWord) throws(DecodingFailure) {
    let bytes = Array(word.key)
    var reader = ByteReader(bytes.span)
    source = try WorldFrame(reading: &reader)
    target = try WorldFrame(reading: &reader)
    observer = word.author.actor
    try reader.finish()
    guard source != target else { throw .invalid("a measurement of a frame to itself", offset: 0) }
  }
}
