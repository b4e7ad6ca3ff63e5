package import Basics
package import WorldModel

/// How far a peer has come with the session's map.
package struct MapStatus: Sendable, Hashable, FrameBody {
  /// How far.
  package enum Stage: Sendable, Hashable {
    /// It has no map.
    case none
    /// It is fetching it and has verified so many percent, 0…100.
    case transferring(percent: Int)
    /// It has it, whole.
    case received
    /// It has it, and its app has found where it is in it.
    case relocalised
  }

  /// Bytes of the longest one on the wire, under its header.
  package static let largestFrame = FloodHeader.largest + 34

  /// Which map; nil when there is none.
  package var map: MapID?
  package var stage: Stage

  package init(map: MapID?, stage: Stage) {
    self.map = map
    self.stage = stage
  }

  /// No map.
  package static let none = MapStatus(map: nil, stage: .none)

  /// Appends the map's id, or zeros, the stage's number and the percentage.
  package func write(to writer: inout ByteWriter) {
    writer.write(map?.digest ?? SHA256Digest(words: .zero))
    let (code, percent): (UInt8, Int) =
      switch stage {
      case .none: (0, 0)
      case .transferring(let percent): (1, percent)
      case .received: (2, 100)
      case .relocalised: (3, 100)
      }
    writer.write(code)
    writer.write(UInt8(percent))
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let id = MapID(try reader.readDigest())
    let start = reader.offset
    let (code, percent) = (try reader.readByte(), try reader.readByte())
    guard percent <= 100 else { throw .invalid("more than all", offset: start + 1) }
    switch code {
    case 0: stage = .none
    case 1: stage = .transferring(percent: Int(percent))
    case 2: stage = .received
    case 3: stage = .relocalised
    default: throw .invalid("unknown stage of a map", offset: start)
    }
    map = stage == .none ? nil : id
    let isConsistent =
      switch stage {
      case .none: percent == 0 && id == MapID(SHA256Digest(words: .zero))
      case .transferring: true
      case .received, .relocalised: percent == 100
      }
    guard isConsistent else { throw .invalid("a map or a percentage that the stage does not have", offset: start) }
  }
}
