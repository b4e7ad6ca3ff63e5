import Testing

@testable import BasicsLinux
@testable import PeerProtocol
@testable import PeerTransport
@testable import SharedWorld

@Suite("Announcements")
struct AnnouncementTests {
  private static let start = Instant(nanoseconds: 1_000_000_000)
  private static let sender = SocketAddress(host: .ipv4(0xc000_0207), port: 47_824)

  private static func identity(_ number: UInt8) throws -> TLSIdentity {
    try TLSIdentity(seed: [UInt8](repeating: number, count: 32))
  }

  private static func record(_ name: String? = "kitchen", _ standing: Candidate.Standing = .open) -> DiscoveryRecord {
    var record = DiscoveryRecord(showing: name)
    record.standing = standing
    return record
  }

  private static func datagram(
    _ sequence: UInt64 = 1, of number: UInt8 = 1, port: UInt16 = 4711, service: String = "demo",
    as record: DiscoveryRecord = record()
  ) throws -> [UInt8] {
    try Announcement.datagram(of: identity(number), number: sequence, port: port, service: service, record)
  }

  private static func book() throws -> AnnouncementBook {
    AnnouncementBook(service: "demo", me: try identity(9).peerID, at: start)
  }

  @Test("the datagram of the protocol's chapter is the one printed there, and says what was written")
  func vector() throws {
    var record = DiscoveryRecord(showing: "kitchen")
    record.asksForPasscode = true
    let tls = try TLSIdentity(seed: Array(0..<32))
    let bytes = try Announcement.datagram(of: tls, number: 7, port: 4711, service: "sharedworld", record)
    #expect(
      bytes.hexadecimal == """
        53574c410101070000000000000003a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b86712040b\
        736861726564776f726c64076b69746368656ecba03b88558052a92ff6a61d2e127eef43a11e25162bd792cfa533f5204420\
        f5a920fd8701797dc80bb963a728f0e28eec7e23a1da71ac511cb00f81dbb1d00e
        """)
    let read = try #require(Announcement(verifying: bytes))
    #expect(read.peer == tls.peerID && read.number == 7 && read.port == 4711 && read.service == "sharedworld")
    #expect(read.name == "kitchen" && read.standing == .open && read.asksForPasscode)
  }

  @Test("a changed bit anywhere, a cut and a further byte are refused")
  func forged() throws {
    let bytes = try Self.datagram()
    for bit in 0..<bytes.count * 8 {
      var forged = bytes
      forged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(Announcement(verifying: forged) == nil, "bit \(bit)")
    }
    for count in 0..<bytes.count { #expect(Announcement(verifying: Array(bytes.prefix(count))) == nil) }
    #expect(Announcement(verifying: bytes + [0]) == nil)
  }

  @Test("the longest one fits its bound, and a request is as long as that")
  func sizes() throws {
    let record = Self.record(String(repeating: "é", count: 40))
    let bytes = try Self.datagram(service: "fifteen-letters", as: record)
    #expect(bytes.count <= Announcement.largest && bytes.count >= Announcement.largest - 1)
    let request = AnnouncementRequest.datagram(service: "demo")
    #expect(request.count == Announcement.largest)
    #expect(AnnouncementRequest.isRequest(request, of: "demo") && !AnnouncementRequest.isRequest(request, of: "other"))
    #expect(!AnnouncementRequest.isRequest(Array(request.dropLast()), of: "demo"), "an answer is no longer than it")
  }

  @Test("a peer is found, told of again when it says something else, and lost by its goodbye or in silence")
  func life() throws {
    var book = try Self.book()
    let now = Self.start
    func kind(_ outcome: AnnouncementBook.Outcome) -> String {
      switch outcome {
      case .nothing: "nothing"
      case .answer: "answer"
      case .found(let announcement): "found \(announcement.name) \(announcement.standing)"
      case .lost: "lost"
      }
    }
    let datagrams = [
      try Self.datagram(5), try Self.datagram(5), try Self.datagram(4, as: Self.record("old")),
      try Self.datagram(6, as: Self.record("kitchen", .locked)), try Self.datagram(1, of: 9),
      try Self.datagram(7, service: "other"), try Self.datagram(8, port: 0), try Self.datagram(9, port: 0),
      try Self.datagram(9),
    ]
    // Only eight signatures of one sender are checked in a second.
    let told = datagrams.enumerated().map { index, bytes in
      kind(book.receive(bytes, from: Self.sender, at: now + .milliseconds(300) * index))
    }
    #expect(
      told == [
        "found kitchen open", "nothing", "nothing", "found kitchen locked", "nothing", "nothing", "lost", "nothing",
        "found kitchen open",
      ])
    let last = now + .milliseconds(2400) + AnnouncementBook.lifetime
    let gone = [book.expire(at: last - .milliseconds(1)), book.expire(at: last)]
    #expect(gone == [[], [try Self.identity(1).peerID]])
  }

  @Test("the addresses are those it was received from, the latest first, and few")
  func addresses() throws {
    var book = try Self.book()
    for number: UInt32 in 1...6 {
      let sender = SocketAddress(host: .ipv4(0xc000_0200 + number), port: 1)
      _ = book.receive(try Self.datagram(), from: sender, at: Self.start)
    }
    let entry = try #require(book.entries.values.first)
    #expect(entry.addresses.map(\.description) == (3...6).reversed().map { "192.0.2.\($0):4711" })
    let multicast = SocketAddress(host: .ipv4(0xe000_0001), port: 1)
    let outcome = book.receive(try Self.datagram(of: 2), from: multicast, at: Self.start)
    #expect(outcome == .nothing)
  }

  @Test("attack: a flood from one sender or from all costs few signatures and answers, and lists few peers")
  func flood() throws {
    var book = try Self.book()
    let request = AnnouncementRequest.datagram(service: "demo")
    func answers(_ hosts: Range<UInt32>) -> Int {
      hosts.count { book.receive(request, from: SocketAddress(host: .ipv4($0), port: 1), at: Self.start) == .answer }
    }
    #expect((0..<100).count { _ in answers(10 << 24..<10 << 24 + 1) == 1 } == AnnouncementBook.answers.toOne)
    #expect(answers(11 << 24..<11 << 24 + 1000) <= AnnouncementBook.answers.toAll)
    let datagrams = try (1...20).map { try Self.datagram(of: $0 + 20) }
    let found = datagrams.map { book.receive($0, from: Self.sender, at: Self.start) }.count { $0 != .nothing }
    #expect(found == AnnouncementBook.checks.ofOne)
    // An IPv6 machine has as many addresses as it likes.
    let many = (0..<20).map { SocketAddress(host: .ipv6(high: 0x2001_0db8 << 32, low: $0, scope: 0), port: 1) }
    let later = Self.start + .seconds(2)
    let others = zip(datagrams, many).count { book.receive($0, from: $1, at: later) != .nothing }
    #expect(others <= AnnouncementBook.checks.ofOne)
  }

  @Test("a datagram goes to each link once: the broadcast address of IPv4, all nodes of IPv6, this machine by loopback")
  func ways() {
    let linkLocal = SocketAddress.Host.ipv6(high: 0xfe80 << 48, low: 7, scope: 2)
    let addresses = [
      InterfaceAddress(interface: 1, flags: [.up, .loopback], host: .ipv4(0x7f00_0001)),
      InterfaceAddress(interface: 2, flags: [.up], host: .ipv4(0xc000_0201)),
      InterfaceAddress(interface: 2, flags: [.up], host: .ipv4(0xc000_0202)),
      InterfaceAddress(interface: 2, flags: [.up], host: linkLocal),
      InterfaceAddress(interface: 2, flags: [.up], host: .ipv6(high: 0x2001_0db8 << 32, low: 1, scope: 0)),
      InterfaceAddress(interface: 3, flags: [], host: .ipv4(0xc000_0301)),
      InterfaceAddress(interface: 4, flags: [.up, .pointToPoint], host: .ipv4(0x0a00_0001)),
    ]
    #expect(
      Announcer.ways(addresses) == [
        Announcer.Way(interface: 0, destination: .ipv4(0x7fff_ffff)),
        Announcer.Way(interface: 2, destination: .ipv4(.max)),
        Announcer.Way(interface: 2, destination: .ipv6(high: 0xff02 << 48, low: 1, scope: 2)),
      ])
  }

  @Test(
    "an address or a small network can be asked",
    arguments: [
      ("192.0.2.7", 1), ("2001:db8::7", 1), ("192.0.2.0/24", 254), ("192.0.2.9/30", 2), ("192.0.2.9/31", 2),
      ("192.0.2.9/32", 1), ("10.1.0.0/22", 1022),
    ])
  func probes(text: String, count: Int) throws {
    let probe = try #require(Session.Configuration.Probe(text))
    let addresses = probe.addresses(port: 5)
    #expect(addresses.count == count && Set(addresses).count == count && addresses.allSatisfy { $0.port == 5 })
    #expect(probe.description == text)
    if text == "192.0.2.9/30" { #expect(addresses.map(\.description) == ["192.0.2.9:5", "192.0.2.10:5"]) }
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "host", "192.0.2.0/21", "192.0.2.0/33", "192.0.2.0/+24", "192.0.2.0/", "2001:db8::/120", "0.0.0.0",
      "224.0.0.1",
    ])
  func noProbes(text: String) { #expect(Session.Configuration.Probe(text) == nil) }

  @Test("more than 1,024 addresses in all are refused, and known ones fill what is left")
  func bounded() throws {
    var settings = Session.Configuration.Announcements()
    settings.probes = try ["10.0.0.0/22", "10.0.0.5"].map { try #require(Session.Configuration.Probe($0)) }
    let error = #expect(throws: SessionError.self) { try Announcer.targets(settings, []) }
    #expect(error?.code == .invalidArgument)
    settings.probes.removeLast()
    let targets = try Announcer.targets(settings, (0..<9).map { .ipv4(0x0b00_0000 + $0) })
    #expect(targets.count == 1024 && Set(targets).count == 1024)
  }
}
