import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// What apps do with messages, maps, resources, poses and frames.
extension Play {
  /// The bytes of every resource.
  static let content = (0..<2000).map { UInt8(truncatingIfNeeded: $0 / 7) }

  private static let package: ResourcePackage = {
    let names = stride(from: 0, to: content.count, by: 500).map { start in
      let part = Array(content[start..<(start + 500)])
      return ChunkName(size: part.count, hash: SHA256Digest(hashing: part))
    }
    return ResourcePackage(name: "r", names: names)
  }()

  private static let map = MapPackage(map: (try? WorldMap(cloud: FeatureCloud()).encoded()) ?? [])

  /// Carries out the operations 20 to 32.
  mutating func useContents(_ operation: UInt8) {
    switch operation {
    case 20: say(.bytes, .reliable)
    case 21: say(.stream, .reliable)
    case 22: say(.envelope, .critical)
    case 23: say(.bytes, .unreliable(key: "k"))
    case 24: input(.setGroup("g", isIn: byte() & 1 == 0))
    case 25: input(.messagesUnread(Int(byte()) << 12, from: Self.peer(byte() % 5)))
    case 26: input(.share(Self.map, anchors: [], with: byte() & 1 == 0 ? nil : Self.peer(byte() % 5)))
    case 27: if let id = pick(maps) { input(.cancelMap(id)) }
    case 28: input(.offerResource(Self.package, to: [Self.peer(byte() % 5)]))
    case 29: input(.attach(Self.package))
    case 30: if let id = pick(resources) { input(.answerResource(id, accepts: byte() & 3 != 0)) }
    case 31: if let id = pick(resources) { input(.endResource(id, .cancelled)) }
    default: if let id = pick(resources) { input(.detach(id)) }
    }
  }

  /// Carries out the operations from 33.
  mutating func useAnchors(_ operation: UInt8) {
    switch operation {
    case 33: input(.updatePose(byte() & 1 == 0 ? Transform(translation: [1, 2, 3]) : nil))
    case 34: if let id = pick(anchors) { input(.beginDrag(id)) }
    case 35:
      if let id = pick(drags) {
        input(byte() & 1 == 0 ? .drag(id, to: Transform(translation: [3, 2, 1])) : .endDrag(id))
      }
    case 36: input(.beginFrame(isShared: byte() & 1 == 0))
    case 37: measure()
    case 38: wish()
    default: answerQuestion()
    }
  }

  /// Keeps what an answer names.
  mutating func note(_ answer: Answer) {
    switch answer {
    case .began(let id): drags.append(id)
    case .shared(let id): maps.append(id)
    case .offered(let id): resources.append(id)
    case .done, .sent, .refused: break
    }
  }

  private mutating func say(_ kind: MessageKind, _ mode: MessageMode) {
    let (size, receiver) = (Int(byte()) * 8, byte())
    let body = [UInt8](repeating: 9, count: size)
    input(.send(body, as: kind, mode: mode, to: receiver & 7 == 7 ? nil : [Self.peer(receiver % 5)]))
  }

  private mutating func measure() {
    let owner = ActorID(peer: Self.peer(byte() % 5), incarnation: 1)
    let frame = WorldFrame(owner: owner, number: 1 + UInt32(byte() % 2))
    guard
      let estimate = FrameEstimate(
        Transform(translation: [1, 0, 0]), center: .zero, position: Double(byte()) / 100 + 0.001, orientation: 0.1)
    else { return }
    input(.measure(from: frame, to: .shared, estimate))
  }

  private mutating func wish() {
    guard let id = pick(anchors) else { return }
    let number = OwnershipRequestID(rawValue: UInt64(byte()))
    let wishes: [OwnershipWish] = [.own(lease: nil), .own(lease: .seconds(2)), .release, .give(Self.peer(1))]
    input(.wish(number, wishes[Int(byte()) % wishes.count], of: id, timeout: .seconds(3)))
  }
}
