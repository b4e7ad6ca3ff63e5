import AnchorReplication
import Basics
import PeerProtocol
import Testing
import WorldModel

/// Numbers at the edge of what is accepted: what a node derives from one must not overflow, nor be refused by everybody.
@Suite("Hostile numbers")
struct HostileNumberTests {
  private static let other = NodeProbe.peer(1)
  private static let stranger = NodeProbe.peer(9)
  private static let lamp = AnchorID(high: 9, low: 1)
  /// Up to here an epoch may be anything.
  private static let plain: UInt64 = 1 << 32

  /// A host, and a member that places an anchor and grants it to a peer that nobody knows.
  private func meeting(lockedBy lock: AnchorLock? = nil) throws -> (NodeProbe, LinkID) {
    var probe = NodeProbe()
    let link = probe.join(1, Self.other)
    for _ in 0..<6 {
      probe.wait(.seconds(1))
      probe.send(.ping, on: link) { $0.write(UInt64(1)) }
    }
    let actor = ActorID(peer: Self.other, incarnation: 7)
    let anchor = NewAnchor(id: Self.lamp, creator: nil, pose: try #require(Pose(.identity)), name: "lamp")
    var operations = [AnchorOperation(dot: Dot(actor: actor, sequence: 1), clock: 1, action: .add(anchor))]
    if let lock {
      let key = operations[0].dot
      let set = AnchorOperation.Action.set(key: key, base: 1, .lock(lock))
      operations.append(AnchorOperation(dot: Dot(actor: actor, sequence: 2), clock: 2, action: set))
    }
    probe.send(.operations, on: link) { AnchorDelta(operations).encode(into: &$0) }
    #expect(probe.node.anchors.count == 1 && probe.node.host == probe.node.me)
    return (probe, link)
  }

  private func lock(_ probe: NodeProbe) -> AnchorLock? { probe.node.anchors.lock(of: Self.lamp) }

  @Test(
    "a grant with the last number is followed by one of the next epoch, and one with the last epoch too by none",
    arguments: [5, UInt64.max])
  func lastGrant(epoch: UInt64) throws {
    let lie = AnchorLock(owner: Self.stranger, leaseUntil: 0, epoch: epoch, number: .max)
    var (probe, _) = try meeting(lockedBy: lie)
    // Its lease is over: the host frees it by itself.
    probe.wait(.seconds(3))
    let freed = AnchorLock(owner: nil, leaseUntil: 0, epoch: 6, number: 1)
    #expect(lock(probe) == (epoch == 5 ? freed : lie))
  }

  @Test(
    "a lease of any length is one that the wire can carry, and none is without end but the one that says so",
    arguments: [
      Duration.seconds(Int64.max), .seconds(1 << 40), .seconds(-1), .seconds(Int64.min), .zero, .nanoseconds(1),
    ])
  func leases(_ lease: Duration) throws {
    var (probe, _) = try meeting()
    let id = OwnershipRequestID(rawValue: 1)
    probe.node.handle(.wish(id, .own(lease: lease), of: Self.lamp, timeout: lease), at: probe.now)
    let time = probe.node.sessionTime(at: probe.now)
    // A request without patience is over before it is made.
    guard lease > .zero else { return #expect(lock(probe)?.leaseUntil ?? 0 <= time + 1) }
    #expect(lock(probe)?.leaseUntil == time + (lease < .seconds(1) ? 1 : UInt64(UInt32.max)))
  }

  /// A map of one chunk under these numbers.
  private static func manifest(_ epoch: UInt64, _ revision: UInt64, of map: MapPackage) -> ContentManifest {
    ContentManifest(.map, epoch: epoch, revision: revision, names: map.names)
  }

  /// A member announces a map, and brings it if it is asked to.
  private func bring(
    _ map: MapPackage, _ epoch: UInt64, _ revision: UInt64, to probe: inout NodeProbe, on link: LinkID
  ) {
    let manifest = Self.manifest(epoch, revision, of: map)
    probe.send(.mapAnnounce, on: link) {
      MapAnnouncement(manifest, provider: Self.other, isPrivate: false).write(to: &$0)
    }
    probe.send(.manifest, on: link) {
      manifest.id.write(to: &$0)
      $0.write(UInt32(0))
      for name in manifest.names { name.write(to: &$0) }
    }
    probe.sendFirstChunk(of: map, as: manifest.id, on: link)
  }

  @Test("after a map with the last numbers that are believed the next one takes its place, also at others")
  func lastMapNumbers() throws {
    let lie = MapPackage(map: [1])
    for (epoch, revision) in [(0, ProtocolLimits.counter), (Self.plain, ProtocolLimits.counter), (7, 1)] {
      var (probe, link) = try meeting()
      bring(lie, epoch, revision, to: &probe, on: link)
      #expect(probe.node.currentMap?.content == Self.manifest(epoch, revision, of: lie).id)
      _ = try probe.frames(on: link)
      let answer = probe.input(.share(MapPackage(map: [1, 2, 3]), anchors: [], with: nil))
      #expect(probe.node.currentMap.map { .shared($0) } == answer)
      let body = try #require(try probe.frames(on: link).first { $0.type == .mapAnnounce }?.body)
      var (other, up) = try meeting()
      bring(lie, epoch, revision, to: &other, on: up)
      _ = try other.frames(on: up)
      other.send(.mapAnnounce, on: up) { $0.write(bytes: body) }
      #expect(try other.frames(on: up).contains { $0.type == .manifestRequest })
    }
  }

  @Test("a map of an epoch that no session can have come to is not taken, but from the host or after one that is here")
  func implausibleEpochs() throws {
    let map = MapPackage(map: [1])
    var (probe, link) = try meeting()
    bring(map, ProtocolLimits.counter, 1, to: &probe, on: link)
    bring(map, Self.plain + 1, 1, to: &probe, on: link)
    #expect(probe.node.currentMap == nil)
    bring(map, Self.plain, 1, to: &probe, on: link)
    bring(map, Self.plain + 1, 1, to: &probe, on: link)
    #expect(probe.node.currentMap?.content == Self.manifest(Self.plain + 1, 1, of: map).id)
    var newcomer = NodeProbe()
    let first = newcomer.join(1, Self.other)
    #expect(newcomer.node.host == nil)
    bring(map, Self.plain + 1, 1, to: &newcomer, on: first)
    #expect(newcomer.node.currentMap != nil)
  }

  @Test("after rules with the last number the host's next ones begin again, in a way that can be kept")
  func lastRules() throws {
    var record = NodeProbe().node.record
    var writer = ByteWriter()
    writer.write(UInt32(1) << 31)
    writer.write(bytes: [0, 64])
    var reader = ByteReader(writer.bytes.span)
    record.rules = try SessionRules(reading: &reader)
    var probe = NodeProbe(incarnation: 2, restoring: record)
    probe.input(.setLocked(true))
    #expect(probe.node.rules.isLocked && probe.node.rules.version == 1)
    #expect(try NodeRecord(decoding: probe.node.record.encoded) == probe.node.record)
  }

  @Test("a peer that comes back with its own record at the last number has one that others believe")
  func lastOwnRecord() throws {
    var record = NodeProbe().node.record
    record.roster[0].version = 1 << 31
    var probe = NodeProbe(incarnation: 2, restoring: record)
    #expect(probe.node.roster[NodeProbe.me]?.incarnation == 2)
    let link = probe.join(1, Self.other)
    let body = try #require(try probe.frames(on: link).first { $0.type == .roster }?.body)
    var reader = ByteReader(body.span)
    let told = try RosterFrame(reading: &reader).entries.first { $0.peerID == NodeProbe.me }
    var roster = Roster(restoring: record.roster)
    let isBelieved = roster.merge(try #require(told), from: NodeProbe.me)
    #expect(isBelieved && roster[NodeProbe.me]?.incarnation == 2)
  }
}
