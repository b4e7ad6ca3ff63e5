import Foundation
import PeerTransport
import TestSupport
import Testing

@testable import SharedWorld

@Suite("A network in memory", .endsHangs)
struct MemoryNetworkTests {
  private static func configuration(_ network: MemoryNetwork) -> Session.Configuration {
    var configuration = Session.Configuration(service: "swtest")
    configuration.transport = .inMemory(network)
    configuration.invitations.outgoing = .all
    configuration.invitations.incoming = .all
    return configuration
  }

  /// Runs `body` with so many sessions that find each other on a network.
  private static func sessions(
    _ count: Int, on network: MemoryNetwork, _ body: @escaping @Sendable ([Session]) async throws -> Void
  ) async throws {
    @Sendable func add(to sessions: [Session]) async throws {
      guard sessions.count < count else { return try await body(sessions) }
      let identity = try TestSessions.identity("peer\(sessions.count)")
      try await Session.withSession(as: identity, configuration: configuration(network)) {
        try await add(to: sessions + [$0])
      }
    }
    try await add(to: [])
  }

  /// Waits until a session has an anchor with this name.
  private static func wait(for name: String, at session: Session) async throws {
    for await element in session.world.changes() {
      if case .change(let change) = element, change.anchor.name == name { return }
    }
    throw EndedTooSoon()
  }

  @Test("ten sessions find each other without a socket, agree on a host, and get an anchor")
  func tenPeers() async throws {
    let network = try MemoryNetwork(speed: 100)
    try await Self.sessions(10, on: network) { sessions in
      _ = try await TestSessions.agreedHost(sessions)
      _ = try await sessions[0].place(Anchor(name: "lamp", transform: .identity))
      for session in sessions { try await Self.wait(for: "lamp", at: session) }
    }
  }

  @Test("sessions run by the network's clock, and a speed out of range is refused")
  func speed() async throws {
    for speed in [0, 101] {
      let error = #expect(throws: SessionError.self) { _ = try MemoryNetwork(speed: speed) }
      #expect(error?.code == .invalidArgument)
    }
    let network = try MemoryNetwork(speed: 100)
    try await Self.sessions(1, on: network) { sessions in
      #expect(sessions[0].loop.clock === network.clock && network.core.loop.clock === network.clock)
    }
  }

  @Test("a browser sees advertisers and sessions of its network, and says where they are")
  func browsing() async throws {
    let network = try MemoryNetwork()
    let advertiser = try Advertiser(service: "swtest", port: 9, name: "lamp", info: ["kind": "1"], on: network)
    let browser = try Browser(service: "swtest", on: network)
    try await Self.sessions(1, on: network) { sessions in
      var found: [String?: [UInt16]] = [:]
      for await case .found(let candidate) in browser {
        found[candidate.name] = try await browser.resolve(candidate.id).map(\.port)
        if found.count == 2 { break }
      }
      #expect(found == ["lamp": [9], nil: [sessions[0].port]])
    }
    advertiser.stop()
    let same = try Browser(service: "swtest", on: network)
    let other = try Browser(service: "swtest", on: MemoryNetwork())
    #expect(same == browser && other != browser)
  }

  @Test("what is placed in both halves of a divided network is everywhere once it is whole")
  func partition() async throws {
    let network = try MemoryNetwork(seed: 3, delay: .zero ... .milliseconds(5))
    try await Self.sessions(4, on: network) { sessions in
      _ = try await TestSessions.agreedHost(sessions)
      network.partition([sessions[0], sessions[1]])
      _ = try await sessions[0].place(Anchor(name: "left", transform: .identity))
      _ = try await sessions[3].place(Anchor(name: "right", transform: .identity))
      try await Self.wait(for: "left", at: sessions[1])
      try await Self.wait(for: "right", at: sessions[2])
      let anchors = await sessions[2].world.anchors
      #expect(!anchors.contains { $0.name == "left" })
      network.heal()
      for session in sessions {
        for name in ["left", "right"] { try await Self.wait(for: name, at: session) }
      }
    }
  }

  @Test("a connection that breaks comes back, and nothing is lost")
  func disconnect() async throws {
    let network = try MemoryNetwork()
    try await Self.sessions(2, on: network) { sessions in
      _ = try await TestSessions.agreedHost(sessions)
      network.disconnect(sessions[0], sessions[1])
      _ = try await sessions[0].place(Anchor(name: "lamp", transform: .identity))
      try await Self.wait(for: "lamp", at: sessions[1])
    }
  }

  @Test("where nobody listens an invitation fails as it does on a real network")
  func nobodyThere() async throws {
    let network = try MemoryNetwork(speed: 100)
    try await Self.sessions(1, on: network) { sessions in
      let nobody = InvitationTarget.address(MemoryNetworkCore.address(of: 99))
      let error = await #expect(throws: SessionError.self) { try await sessions[0].peers.invite(nobody) }
      #expect(error?.code == .unreachable)
    }
  }

  @Test("who is in sight and cannot be dialled is called by name, with its place, and the firewall is named")
  func blocked() async throws {
    let network = try MemoryNetwork(speed: 100)
    let advertiser = try Advertiser(service: "swtest", port: 9, name: "lamp", on: network)
    var configuration = Self.configuration(network)
    configuration.invitations.outgoing = .none
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { alice in
      let lamp = try await alice.first { event in
        if case .candidateFound(let candidate) = event { candidate.id } else { nil }
      }
      let error = await #expect(throws: SessionError.self) { try await alice.peers.invite(.candidate(lamp)) }
      #expect(error?.code == .unreachable)
      let text = error?.message ?? ""
      for word in ["'lamp'", ":9", "firewall"] { #expect(text.contains(word), "\(text)") }
    }
    advertiser.stop()
  }

  @Test("a network that nobody uses any more is gone, with connections that never came up and bytes that waited")
  func released() async throws {
    weak var core: MemoryNetworkCore?
    func use() async throws -> EventLoop {
      let network = try MemoryNetwork(speed: 100)
      core = network.core
      try await Self.sessions(3, on: network) { sessions in
        _ = try await TestSessions.agreedHost(sessions)
        network.partition([sessions[0]], [sessions[1]])
        let nobody = InvitationTarget.address(MemoryNetworkCore.address(of: 99))
        await #expect(throws: SessionError.self) { try await sessions[2].peers.invite(nobody) }
      }
      return network.core.loop
    }
    let loop = try await use()
    await withCheckedContinuation { done in
      Thread.detachNewThread {
        loop.join()
        done.resume()
      }
    }
    #expect(core == nil)
  }

  @Test("two devices that want one name get two")
  func takenNames() async throws {
    let network = try MemoryNetwork()
    let identity = try TestSessions.identity("twin")
    var configuration = Self.configuration(network)
    configuration.invitations.outgoing = .none
    try await Session.withSession(as: identity, configuration: configuration) { first in
      try await Session.withSession(as: identity, configuration: configuration) { second in
        let other: (Session.Event) -> Candidate.ID? = {
          if case .candidateFound(let candidate) = $0 { candidate.id } else { nil }
        }
        let (seconds, firsts) = (try await first.first(other), try await second.first(other))
        #expect(firsts != seconds)
      }
    }
  }

  // MARK: Connections

  /// Keeps the events of one end of a connection.
  private final class Ear: Sendable {
    let (events, teller) = AsyncStream.makeStream(of: TransportEvent.self)

    init(_ connection: any TransportConnection) {
      connection.open { [teller] in teller.yield($0) }
    }

    /// The bytes of the next pieces, until there are so many.
    func received(_ count: Int) async -> [UInt8] {
      var bytes: [UInt8] = []
      for await case .received(let piece) in events {
        bytes += piece
        if bytes.count >= count { break }
      }
      return bytes
    }
  }

  /// A connection from one peer of a network to another: both ends.
  private static func pair(
    on network: MemoryNetwork
  ) async throws -> (dialer: any TransportConnection, listener: any TransportConnection) {
    let (one, other) = (MemoryTransport(network), MemoryTransport(network))
    let (accepted, teller) = AsyncStream.makeStream(of: (any TransportConnection).self)
    let endpoint = try other.listen(at: PeerAddress(host: "::", port: 0)) { connection, _ in teller.yield(connection) }
    let dialer = try one.connect(to: endpoint)
    var iterator = accepted.makeAsyncIterator()
    return (dialer, try #require(await iterator.next()))
  }

  @Test("a connection opens also where everything takes its time")
  func slowOpening() async throws {
    let network = try MemoryNetwork(seed: 5, delay: .milliseconds(2) ... .milliseconds(4))
    let (dialer, _) = try await Self.pair(on: network)
    var events = Ear(dialer).events.makeAsyncIterator()
    guard case .opened = await events.next() else {
      Issue.record("the connection opens")
      return
    }
  }

  @Test("bytes arrive in order, however random the delays")
  func order() async throws {
    let network = try MemoryNetwork(seed: 11, delay: .zero ... .milliseconds(3))
    let (dialer, listener) = try await Self.pair(on: network)
    let ear = Ear(listener)
    let bytes = (0..<200).map { UInt8($0) }
    for byte in bytes { dialer.send([byte]) }
    #expect(await ear.received(200) == bytes)
  }

  @Test("delays are of the range, and follow from the seed, the connection, the direction and the number of the piece")
  func delays() {
    func delays(
      seed: UInt64 = 7, from: UInt16 = 1, to: UInt16 = 2, number: UInt32 = 0, isBack: Bool = false
    ) -> [UInt64] {
      let range = Duration.milliseconds(2) ... .milliseconds(5)
      var delays = MemoryDelays(range, seed: seed, from: from, to: to, number: number, isBack: isBack)
      return (0..<100).map { _ in delays.next() }
    }
    let one = delays()
    #expect(one == delays() && Set(one).count == 100)
    let range: ClosedRange<UInt64> = 2_000_000...5_000_000
    #expect(one.allSatisfy { range.contains($0) })
    let others = [
      one, delays(seed: 8), delays(from: 2, to: 1), delays(to: 3), delays(number: 1), delays(isBack: true),
    ]
    #expect(Set(others).count == others.count)
  }

  @Test("two networks of one seed deliver pieces in the same order, in whichever these are sent; another seed does not")
  func sameSeed() async throws {
    let numbers = Array(0..<UInt8(6))
    let one = try await Self.arrivals(seed: 19, numbers, sentAs: numbers)
    #expect(one.sorted() == numbers && one != numbers)
    #expect(try await Self.arrivals(seed: 19, numbers, sentAs: numbers.reversed()) == one)
    #expect(try await Self.arrivals(seed: 20, numbers, sentAs: numbers) != one)
  }

  /// Sends a piece on each of some connections, in an order, and returns the order in which they arrive.
  private static func arrivals(seed: UInt64, _ numbers: [UInt8], sentAs order: [UInt8]) async throws -> [UInt8] {
    let network = try MemoryNetwork(seed: seed, delay: .zero ... .seconds(2), speed: 100)
    let (arrived, teller) = AsyncStream.makeStream(of: UInt8.self)
    var dialers: [any TransportConnection] = []
    for _ in numbers {
      let (dialer, listener) = try await pair(on: network)
      listener.open { if case .received(let bytes) = $0 { teller.yield(bytes[0]) } }
      dialers.append(dialer)
    }
    let senders = dialers
    network.core.run { _ in for number in order { senders[Int(number)].send([number]) } }
    var found: [UInt8] = []
    for await number in arrived {
      found.append(number)
      if found.count == numbers.count { break }
    }
    return found
  }

  @Test("an end that does not receive holds up the other, which is told of room only later")
  func backPressure() async throws {
    let network = try MemoryNetwork()
    let (dialer, listener) = try await Self.pair(on: network)
    let (sender, receiver) = (Ear(dialer), Ear(listener))
    listener.setReceiving(false)
    dialer.send([1, 2, 3])
    listener.send([9])
    // What the other direction says comes first, for the bytes wait.
    var events = sender.events.makeAsyncIterator()
    guard case .opened = await events.next(), case .received([9]) = await events.next() else {
      Issue.record("the connection opens, and receives")
      return
    }
    listener.setReceiving(true)
    guard case .sent(3) = await events.next() else {
      Issue.record("the bytes have left")
      return
    }
    #expect(await receiver.received(3) == [1, 2, 3])
  }

  @Test("what was sent before the end still arrives, and then the end")
  func close() async throws {
    let network = try MemoryNetwork(seed: 1, delay: .milliseconds(1) ... .milliseconds(2))
    let (dialer, listener) = try await Self.pair(on: network)
    dialer.send([7])
    dialer.close()
    var events = Ear(listener).events.makeAsyncIterator()
    guard case .received([7]) = await events.next(), case .closed = await events.next() else {
      Issue.record("the bytes, then the end")
      return
    }
  }

  @Test("a connection that both sides have closed leaves nothing behind")
  func noLeak() async throws {
    let network = try MemoryNetwork()
    weak var left: AnyObject?
    weak var right: AnyObject?
    do {
      let (dialer, listener) = try await Self.pair(on: network)
      (left, right) = (dialer, listener)
      let ear = Ear(listener)
      dialer.close()
      for await case .closed in ear.events { break }
      listener.close()
    }
    // Twice: the loop holds what it has done in a round until that is over.
    for _ in 0..<2 { await withCheckedContinuation { done in network.core.run { _ in done.resume() } } }
    #expect(left == nil && right == nil)
  }

  @Test("a side that sends nothing more has ended, on both sides")
  func finish() async throws {
    let network = try MemoryNetwork()
    let (dialer, listener) = try await Self.pair(on: network)
    let stream = ConnectionStream(dialer, isOpen: true)
    stream.finishSending()
    var events = Ear(listener).events.makeAsyncIterator()
    guard case .closed = await events.next() else {
      Issue.record("the other side is told")
      return
    }
    var buffer: [UInt8] = [0]
    guard case .ended = buffer.withUnsafeMutableBytes({ stream.receive(into: $0) }) else {
      Issue.record("this side reads the end")
      return
    }
  }

  @Test("a connection that receives on and on although nobody reads is ended")
  func flood() async throws {
    /// A connection that hears nothing of `setReceiving`.
    final class Flood: TransportConnection {
      let bytes: Int
      init(_ bytes: Int) { self.bytes = bytes }
      func open(_ handler: @escaping @Sendable (TransportEvent) -> Void) {
        handler(.opened)
        for _ in 0..<(bytes / 65_536) { handler(.received([UInt8](repeating: 0, count: 65_536))) }
      }
      func send(_ bytes: [UInt8]) {}
      func setReceiving(_ isReceiving: Bool) {}
      func close() {}
    }
    let loop = try EventLoop()
    defer { loop.stop() }
    for (bytes, isEnded) in [(ConnectionStream.inboxLimit, false), (ConnectionStream.inboxLimit + 65_536, true)] {
      let stream = ConnectionStream(Flood(bytes), isOpen: false)
      let failure = try await withCheckedThrowingContinuation { done in
        loop.execute {
          done.resume(
            with: Result {
              try stream.open([], on: loop, handler: SilentHandler(), limits: .init())
              return stream.connectFailure
            })
        }
      }
      #expect((failure != nil) == isEnded)
    }
  }
}

/// Does nothing with what it is told.
private final class SilentHandler: EventHandler {
  func handle(_ readiness: Readiness) {}
}
