package import Basics
public import WorldModel

/// The ground on which a peer's place in the session's map is known.
package enum PlaceEvidence: Sendable {
  /// The library has measured it.
  case measured
  /// The app has said so.
  case claimed
}

/// How far a peer has come with the session's map: whether all see the same world.
public struct MapStatus: Sendable, Hashable, FrameBody {
  /// How far.
  @nonexhaustive
  public enum Stage: Sendable, Hashable {
    /// It has no map.
    case none
    /// It is fetching the map and has verified so many percent, 0…100.
    case transferring(percent: Int)
    /// It has the map.
    case received
    /// It has the map, and has measured where it is in it.
    case relocalized
    /// It has the map, and its app has said that it knows where it is in it: no measurement is behind that.
    case claimed
  }

  /// Bytes on the wire: the body of a word in ``WordTopic/mapStatus``.
  static let size = 34

  /// Which map; nil when there is none.
  public let mapID: MapID?
  /// How far.
  public let stage: Stage

  package init(map: MapID?, stage: Stage) {
    mapID = map
    self.stage = stage
  }

  /// No map.
  package static let none = MapStatus(map: nil, stage: .none)

  /// Appends the map's id, or zeros, the stage's number and the percentage.
  package func write(to writer: inout ByteWriter) {
    writer.write(mapID?.digest ?? SHA256Digest(words: .zero))
    let (code, percent): (UInt8, Int) =
      switch stage {
      case .none: (0, 0)
      case .transferring(let percent): (1, percent)
      case .received: (2, 100)
      case .relocalized: (3, 100)
      case .claimed: (4, 100)
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
    case 3: stage = .relocalized
    case 4: stage = .claimed
    default: throw .unknownKind(offset: start)
    }
    mapID = stage == .none ? nil : id
    let isConsistent =
      switch stage {
      case .none: percent == 0 && id == MapID(SHA256Digest(words: .zero))
      case .transferring: true
      case .received, .relocalized, .claimed: percent == 100
      }
    guard isConsistent else { throw .invalid("a map or a percentage that the stage does not have", offset: start) }
  }
}

extension MapStatus: CustomStringConvertible {
  /// How far a peer has come, for the end of a line that begins with its name.
  public var description: String {
    switch stage {
    case .none: "has no map"
    case .transferring(let percent): "has \(percent) % of the map"
    case .received: "has the map"
    case .relocalized: "knows where it is in the map"
    case .claimed: "says that it knows where it is in the map"
    }
  }
}
