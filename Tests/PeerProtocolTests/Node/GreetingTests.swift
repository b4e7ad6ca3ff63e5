import Basics
@testable import PeerProtocol
import Testing
import WorldModel

@Suite("Greeting")
struct GreetingTests {
  private let other = NodeProbe.peer(1)

  @Test("a peer that speaks other versions is told ours, and both are named")
  func namesBothVersions() throws {
    var probe = NodeProbe()
    let link = probe.open(1, other)
    var hello = NodeProbe.hello(other)
    hello.versions = 7...9
    probe.send(.hello, on: link) { hello.write(to: &$0) }
    let frames = try probe.frames(on: link)
    let body = try #require(frames.last { $0.type == .goodbye }).body
    var reader = ByteReader(body.span)
    let goodbye = try Goodbye(reading: &reader)
    #expect(goodbye.reason.code == EndReason.versionMismatch(theirs: 7...9).code)
    #expect(goodbye.versions == ProtocolLimits.versions)
    #expect(probe.closed == [link])
  }

  @Test("an inviter learns which versions the other side speaks")
  func inviterLearnsVersions() throws {
    var probe = NodeProbe()
    let id = InvitationID(rawValue: 1)
    probe.input(.invite(id, [.loopback(port: 1)], context: [], timeout: .seconds(5)))
    let dial = try #require(probe.dials.first).dial
    let link = probe.open(1, other, dial: dial)
    probe.send(.goodbye, on: link) { Goodbye(.versionMismatch(theirs: 1...1), versions: 4...5).write(to: &$0) }
    let results = probe.takeEvents().compactMap { event -> InvitationResult? in
      if case .invitationEnded(id, let result) = event { result } else { nil }
    }
    #expect(results == [.failed(.versionMismatch(theirs: 4...5))])
  }

  @Test("Fault 5: an id that is not the certificate's ends the link")
  func refusesForeignIdentity() throws {
    var probe = NodeProbe()
    let link = probe.open(1, other)
    probe.send(.hello, on: link) { NodeProbe.hello(NodeProbe.peer(2)).write(to: &$0) }
    #expect(try probe.goodbye(on: link) == .identityMismatch)
    #expect(probe.closed == [link])
  }

  @Test("Fault 6: a reflected connection is refused")
  func refusesOwnIdentity() throws {
    var probe = NodeProbe()
    let link = probe.open(1, NodeProbe.me)
    #expect(try probe.goodbye(on: link) == .ownIdentity)
  }

  @Test("Fault 6: of two crossed dials exactly the one of the lower id is left, whichever greets first")
  func keepsOneOfCrossedDials() throws {
    for order in [[1, 2], [2, 1]] as [[UInt64]] {
      var probe = NodeProbe()
      let id = InvitationID(rawValue: 1)
      probe.input(.invite(id, [.loopback(port: 1)], context: [], timeout: .seconds(5)))
      let dial = try #require(probe.dials.first).dial
      let mine = probe.open(1, other, dial: dial)
      let theirs = probe.open(2, other)
      for number in order {
        probe.send(.hello, on: LinkID(rawValue: number)) { NodeProbe.hello(other).write(to: &$0) }
      }
      #expect(probe.closed == [NodeProbe.me < other ? theirs : mine])
      #expect(try probe.goodbye(on: NodeProbe.me < other ? theirs : mine) == .duplicate)
    }
  }

  /// `session 6010366 3`: of two members that restarted, one held a connection to the dead start of the other, with an
  /// invitation on it, and closed every new connection as a duplicate of that.
  @Test(
    "a link to an earlier start of a stranger gives way to that of the new start, whoever dialled; invitations go on")
  func newStartReplacesStranger() throws {
    let id = InvitationID(rawValue: 1)
    for stranger in [NodeProbe.peer(1), NodeProbe.peer(2), NodeProbe.peer(3)] {
      for isDialled in [true, false] {
        var probe = NodeProbe()
        probe.input(.invite(id, [.loopback(port: 1)], context: [], timeout: .seconds(60)))
        let dial = try #require(probe.dials.first).dial
        let old = probe.open(1, stranger, dial: isDialled ? dial : nil)
        probe.send(.hello, on: old) { NodeProbe.hello(stranger, incarnation: 7).write(to: &$0) }
        let new = probe.greet(2, stranger, incarnation: 8)
        #expect(try probe.goodbye(on: old) == .replaced)
        #expect(probe.closed == [old])
        #expect(try probe.frames(on: new).contains { $0.type == .invite } == isDialled)
        #expect(!probe.takeEvents().contains { if case .invitationEnded = $0 { true } else { false } })
      }
    }
  }

  @Test(
    "a start that comes back after a later one was linked is refused, and the app is told once of the double identity")
  func reportsDoubleIdentity() throws {
    var probe = NodeProbe()
    _ = probe.greet(1, other, incarnation: 7)
    let new = probe.greet(2, other, incarnation: 8)
    for number: UInt64 in 3...5 {
      let old = probe.open(number, other)
      probe.send(.hello, on: old) { NodeProbe.hello(other, incarnation: 7).write(to: &$0) }
      #expect(try probe.goodbye(on: old) == .replaced)
    }
    #expect(!probe.closed.contains(new))
    #expect(probe.takeEvents().count { if case .identityInUse(other) = $0 { true } else { false } } == 1)
  }

  @Test("once the later start is gone, the earlier one that still runs is linked again")
  func earlierStartReturns() throws {
    var probe = NodeProbe()
    _ = probe.greet(1, other, incarnation: 7)
    let new = probe.greet(2, other, incarnation: 8)
    probe.input(.linkClosed(new))
    let old = probe.greet(3, other, incarnation: 7)
    #expect(!probe.closed.contains(old))
  }

  @Test("a hello that was on its way when a later start was linked does not replace it, and nobody is accused")
  func lateHello() throws {
    var probe = NodeProbe()
    let old = probe.open(1, other)
    let new = probe.greet(2, other, incarnation: 8)
    probe.send(.hello, on: old) { NodeProbe.hello(other, incarnation: 7).write(to: &$0) }
    #expect(probe.closed == [old])
    #expect(!probe.closed.contains(new))
    #expect(!probe.takeEvents().contains { if case .identityInUse = $0 { true } else { false } })
  }

  @Test("a process that is told that it was replaced tells its app that its identity runs twice")
  func ownDouble() throws {
    var probe = NodeProbe()
    for number: UInt64 in 1...2 {
      let link = probe.greet(number, NodeProbe.peer(Int(number)))
      probe.send(.goodbye, on: link) { Goodbye(.replaced).write(to: &$0) }
    }
    #expect(probe.takeEvents().count { if case .identityInUse(NodeProbe.me) = $0 { true } else { false } } == 1)
  }

  @Test("an invitation of an earlier start of a stranger is withdrawn")
  func newStartWithdrawsInvitations() throws {
    var probe = NodeProbe()
    let old = probe.greet(1, other)
    probe.send(.invite, on: old) { Invite(number: 5, wait: 30_000, context: []).write(to: &$0) }
    _ = probe.greet(2, other, incarnation: 8)
    #expect(probe.takeEvents().contains { if case .invitationWithdrawn(_, other) = $0 { true } else { false } })
  }

  @Test("another service is refused")
  func refusesOtherService() throws {
    var probe = NodeProbe()
    let link = probe.open(1, other)
    probe.send(.hello, on: link) { NodeProbe.hello(other, service: "chess").write(to: &$0) }
    #expect(try probe.goodbye(on: link) == .otherService)
  }

  @Test("whoever says nothing, or nothing more, is let go at the deadline")
  func letsSilentStrangersGo() throws {
    var probe = NodeProbe()
    let silent = probe.open(1, other)
    let greeted = probe.greet(2, NodeProbe.peer(2))
    probe.wait(ProtocolLimits.helloTime)
    #expect(probe.closed == [silent])
    for _ in 0..<9 {
      probe.wait(.seconds(1))
      #expect(probe.closed == [silent] || probe.now >= Instant(nanoseconds: 11_000_000_000))
      probe.send(.pong, on: greeted) { $0.write(UInt64(0)) }
    }
    #expect(try probe.goodbye(on: greeted) == .refused)
    #expect(probe.closed == [silent, greeted])
  }

  @Test(
    "a stranger whose invitation waits is pinged, and let go after four seconds of silence", arguments: [true, false])
  func noticesDeadStrangers(hasInvited: Bool) throws {
    var probe = NodeProbe()
    probe.input(.invite(InvitationID(rawValue: 1), [.loopback(port: 1)], context: [], timeout: .seconds(60)))
    let dial = try #require(probe.dials.first).dial
    let link = probe.open(1, other, dial: hasInvited ? nil : dial)
    probe.send(.hello, on: link) { NodeProbe.hello(other).write(to: &$0) }
    if hasInvited { probe.send(.invite, on: link) { Invite(number: 5, wait: 60_000, context: []).write(to: &$0) } }
    for _ in 0..<20 {
      probe.wait(.seconds(1))
      probe.send(.pong, on: link) { $0.write(UInt64(0)) }
    }
    #expect(probe.closed.isEmpty)
    #expect(try probe.frames(on: link).count { $0.type == .ping } >= 15)
    _ = probe.takeEvents()
    probe.wait(.seconds(3.9))
    #expect(probe.closed.isEmpty)
    probe.wait(.seconds(1.1))
    #expect(try probe.goodbye(on: link) == .timedOut)
    let events = probe.takeEvents()
    let isWithdrawn = events.contains { if case .invitationWithdrawn(_, other) = $0 { true } else { false } }
    let hasFailed = events.contains { if case .invitationEnded(_, .failed(.timedOut)) = $0 { true } else { false } }
    #expect(isWithdrawn == hasInvited && hasFailed == !hasInvited)
  }

  @Test("every known frame is refused on a link whose state does not allow it")
  func refusesFramesOutOfPlace() throws {
    for type in FrameType.allCases {
      for kind in [LinkKind.greeting, .stranger, .member] where !type.rule.links.contains(LinkKinds(kind)) {
        var probe = NodeProbe()
        let link =
          kind == .greeting
          ? probe.open(1, other) : kind == .stranger ? probe.greet(1, other) : probe.join(1, other)
        probe.send(type, on: link)
        #expect(try probe.goodbye(on: link) == .protocolError, "\(type) on a \(kind) link")
      }
    }
  }

  @Test("a connection that said attach says nothing else, neither hello nor another token")
  func attachStandsAlone() throws {
    for second in [FrameType.hello, .attach] {
      var probe = NodeProbe()
      let link = probe.open(1, other)
      probe.send(.attach, on: link) { Sample.token.write(to: &$0) }
      #expect(probe.closed.isEmpty)
      probe.send(second, on: link) { body in
        if second == .hello { NodeProbe.hello(other).write(to: &body) } else { Sample.token.write(to: &body) }
      }
      #expect(try probe.goodbye(on: link) == .protocolError)
    }
  }

  @Test("a peer that cannot do maps hears of none, and one without zstd gets raw chunks")
  func honorsCapabilities() throws {
    let map = [UInt8](repeating: 7, count: 40_000)
    for capabilities in [Capabilities.current, [.zstdChunks, .bulk], [.maps]] {
      var probe = NodeProbe()
      let link = probe.open(1, other)
      var hello = NodeProbe.hello(other)
      hello.capabilities = capabilities
      probe.send(.hello, on: link) { hello.write(to: &$0) }
      probe.send(.invite, on: link) { Invite(number: 1, wait: 30_000, context: []).write(to: &$0) }
      for event in probe.takeEvents() {
        if case .invitationReceived(let id, _, _, _) = event { probe.input(.answer(id, .accept)) }
      }
      probe.send(.admit, on: link)
      let package = MapPackage(map: map)
      #expect(package.chunks[0].codec == .zstd)
      guard case .shared(let id) = probe.input(.share(package, anchors: [], with: nil)) else {
        Issue.record("the map was not shared")
        return
      }
      let hasMaps = capabilities.contains(.maps)
      #expect(try probe.frames(on: link).contains { $0.type == .mapAnnounce } == hasMaps)
      probe.send(.chunkRequest, on: link) { body in
        id.content.write(to: &body)
        body.write(UInt32(0))
      }
      let pieces = try probe.frames(on: link).filter { $0.type == .chunkPiece }
      #expect(pieces.isEmpty == !hasMaps)
      let codec = pieces.first.map { $0.body[37] }
      #expect(codec == (hasMaps ? capabilities.contains(.zstdChunks) ? 1 : 0 : nil))
      guard codec == 0 else { continue }
      #expect(pieces.flatMap { $0.body.dropFirst(46) } == map)
    }
  }

  @Test("an unknown frame is skipped")
  func skipsUnknownFrames() throws {
    var probe = NodeProbe()
    let link = probe.greet(1, other)
    probe.send(bytes: [3, 0, 0, 0, 250, 1, 2, 3], on: link)
    probe.send(.ping, on: link) { $0.write(UInt64(5)) }
    #expect(try probe.frames(on: link).contains { $0.type == .pong && $0.body == [5, 0, 0, 0, 0, 0, 0, 0] })
    #expect(probe.closed.isEmpty)
  }

  @Test("a member's frame from a stranger, a frame before hello and a frame too long end the link")
  func endsLinksThatBreakTheRules() throws {
    var probe = NodeProbe()
    let stranger = probe.greet(1, other)
    probe.send(.roster, on: stranger) { $0.writeVarint(0) }
    let early = probe.open(2, NodeProbe.peer(2))
    probe.send(.ping, on: early) { $0.write(UInt64(1)) }
    let long = probe.open(3, NodeProbe.peer(3))
    probe.send(bytes: [0xff, 0xff, 0xff, 0xff, 1], on: long)
    for link in [stranger, early, long] { #expect(try probe.goodbye(on: link) == .protocolError) }
    #expect(probe.closed == [stranger, early, long])
  }

  @Test("frames may arrive byte by byte")
  func takesFragments() throws {
    var probe = NodeProbe()
    let link = probe.open(1, other)
    var writer = ByteWriter()
    writer.writeFrame(.hello) { NodeProbe.hello(other).write(to: &$0) }
    writer.writeFrame(.ping) { $0.write(UInt64(9)) }
    for byte in writer.bytes { probe.send(bytes: [byte], on: link) }
    #expect(try probe.frames(on: link).map(\.type) == [.hello, .pong])
  }

  @Test("a 33rd stranger is turned away")
  func boundsStrangers() throws {
    var probe = NodeProbe()
    for number in 1...32 { _ = probe.open(UInt64(number), NodeProbe.peer(number)) }
    #expect(probe.closed.isEmpty)
    let last = probe.open(33, NodeProbe.peer(33))
    #expect(try probe.goodbye(on: last) == .limitExceeded)
  }

  @Test("the round trip is measured on a link that is never idle too, every five seconds")
  func measuresWhenBusy() throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    var pings: [Instant] = []
    while probe.now < Instant(nanoseconds: 16_000_000_000) {
      probe.wait(.milliseconds(100), keeping: [link])
      // The app sends all the time.
      probe.input(.send([1], to: nil))
      for frame in try probe.frames(on: link) where frame.type == .ping {
        pings.append(probe.now)
        probe.wait(.milliseconds(20))
        probe.send(.pong, on: link) { $0.write(bytes: frame.body) }
      }
    }
    #expect(zip(pings, pings.dropFirst()).allSatisfy { $1 - $0 < .milliseconds(5_300) && $1 - $0 > .seconds(4) })
    #expect(pings.count == 3)
    let measured = try #require(probe.node.memberSummaries.first?.roundTrip)
    #expect(measured >= .milliseconds(20) && measured < .milliseconds(200))
  }
}

@Suite("Map frames")
struct MapFrameTests {
  @Test("a joiner asks for the manifest and the chunks in the frames of the golden vectors' layout")
  func asksInOrder() throws {
    var probe = NodeProbe()
    let other = NodeProbe.peer(1)
    let link = probe.join(1, other)
    let package = MapPackage(map: [UInt8](repeating: 7, count: 1000))
    let manifest = ContentManifest(.map, epoch: 1, revision: 1, names: package.names)
    let announcement = MapAnnouncement(manifest, provider: other, isPrivate: false)
    _ = try probe.frames(on: link)
    probe.send(.mapAnnounce, on: link) { announcement.write(to: &$0) }
    let asked = try probe.frames(on: link).filter { $0.type != .words }
    #expect(asked.map(\.type) == [.manifestRequest])
    #expect(asked.first?.body == [0] + manifest.id.digest.bytes + [0, 0, 0, 0])
    probe.send(.manifest, on: link) {
      manifest.id.write(to: &$0)
      $0.write(UInt32(0))
      for name in manifest.names { name.write(to: &$0) }
    }
    let requests = try probe.frames(on: link).filter { $0.type != .words }
    #expect(requests.map(\.type) == [.chunkRequest])
    #expect(requests.first?.body == [0] + manifest.id.digest.bytes + [0, 0, 0, 0])
    probe.sendFirstChunk(of: package, as: manifest.id, on: link)
    #expect(probe.node.currentMap?.content == manifest.id)
  }
}
