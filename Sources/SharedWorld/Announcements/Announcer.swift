import Basics
import BasicsLinux
import Glibc
import PeerProtocol
import PeerTransport
import ServiceDiscovery

/// Announces a session by datagrams and listens for those of others; confined to the session's loop.
final class Announcer {
  /// When the first announcements follow each other, and later ones (nanoseconds).
  private static let pauses: [UInt64] = [1_000_000_000, 2_000_000_000, 5_000_000_000]
  /// The pause between two requests: a network of 1,000 machines is asked within 20 s (nanoseconds).
  private static let requestPause: UInt64 = 20_000_000
  /// The pause between two rounds of requests (nanoseconds).
  private static let roundPause: UInt64 = 60_000_000_000

  /// A link of this machine: where a datagram to all of its machines goes.
  struct Way: Equatable {
    let interface: UInt32
    let destination: SocketAddress.Host
  }

  private let loop: EventLoop
  private let port: UInt16
  private let identity: TLSIdentity
  private let service: String
  private let sessionPort: UInt16
  private let onChange: (AnnouncementBook.Outcome) -> Void
  private let role: DiscoveryRole
  private var record: DiscoveryRecord
  private var targets: [SocketAddress]
  private(set) var book: AnnouncementBook
  private var listening: [DatagramSocket] = []
  private var asking: [DatagramSocket] = []
  private var timer: LoopTimer?
  private var number: UInt64 = 0
  private var announced = 0
  private var nextAnnouncement: UInt64 = 0
  private var asked = 0
  private var nextRequest: UInt64 = 0

  /// Opens the sockets and begins.
  ///
  /// - Parameters:
  ///   - settings: the port, and who is asked.
  ///   - known: further machines that are asked.
  ///   - role: Whether to announce, to listen, or both.
  ///   - sessionPort: the TCP port on which the session listens.
  ///   - onChange: receives the peers that are found and lost, on the loop.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for too many addresses, `discoveryUnavailable` when no socket can
  ///   be opened.
  init(
    _ settings: Session.Configuration.Announcements, also known: [SocketAddress.Host] = [], of identity: TLSIdentity,
    service: String, as role: DiscoveryRole, sessionPort: UInt16, record: DiscoveryRecord, loop: EventLoop,
    _ onChange: @escaping (AnnouncementBook.Outcome) -> Void
  ) throws(SessionError) {
    targets = role == .advertiser ? [] : try Self.targets(settings, known)
    (port, self.identity, self.service, self.sessionPort) = (settings.port, identity, service, sessionPort)
    (self.role, self.record, self.loop, self.onChange) = (role, record, loop, onChange)
    book = AnnouncementBook(service: service, me: identity.peerID, at: Instant(nanoseconds: Int64(clamping: loop.now)))
    var failure: (any Error)?
    for isIPv4 in [true, false] {
      do {
        listening.append(try socket(isIPv4, port: port))
        asking.append(try socket(isIPv4, port: 0))
      } catch {
        failure = error
      }
    }
    guard !listening.isEmpty else {
      throw SessionError(
        .discoveryUnavailable, "nothing can be announced on UDP port \(port): \(failure.map { "\($0)" } ?? "")")
    }
    timer = loop.makeTimer { [unowned self] in step() }
    step()
  }

  private func socket(_ isIPv4: Bool, port: UInt16) throws -> DatagramSocket {
    try DatagramSocket(isIPv4: isIPv4, port: port, loop: loop) { [unowned self] in receive($0, from: $1) }
  }

  /// The machines that are asked one by one.
  static func targets(
    _ settings: Session.Configuration.Announcements, _ known: [SocketAddress.Host]
  ) throws(SessionError) -> [SocketAddress] {
    let limit = Session.Configuration.Announcements.probeLimit
    guard settings.probes.map(\.count).reduce(0, +) <= limit else {
      throw SessionError(.invalidArgument, "at most \(limit) addresses can be asked for peers; name fewer networks")
    }
    let targets =
      settings.probes.flatMap { $0.addresses(port: settings.port) }
      + known.map { SocketAddress(host: $0, port: settings.port) }
    var seen: KeySet<SocketAddress> = []
    return Array(targets.filter { seen.insert($0) }.prefix(limit))
  }

  /// The links of this machine, by the addresses of its interfaces: of IPv4 the broadcast address, of IPv6 that of all nodes
  /// (RFC 4291 §2.7.1), which needs no membership of a group that a switch might not know of.
  static func ways(_ addresses: [InterfaceAddress]) -> [Way] {
    let usable = addresses.filter { $0.flags.contains(.up) && !$0.flags.contains(.pointToPoint) }
    var ways: [Way] = []
    for address in usable {
      let way: Way? =
        switch address.host {
        case .ipv4 where address.flags.contains(.loopback): Way(interface: 0, destination: .ipv4(0x7fff_ffff))
        case .ipv4: Way(interface: address.interface, destination: .ipv4(.max))
        case .ipv6 where address.host.isLinkLocal:
          Way(
            interface: address.interface,
            destination: .ipv6(high: 0xff02 << 48, low: 1, scope: address.interface))
        case .ipv6: nil
        }
      if let way, !ways.contains(way) { ways.append(way) }
    }
    return ways
  }

  private var now: Instant { Instant(nanoseconds: Int64(clamping: loop.now)) }

  // MARK: Sending

  /// Announces something else, soon.
  func update(_ record: DiscoveryRecord) {
    guard record != self.record else { return }
    self.record = record
    nextAnnouncement = 0
    timer?.deadline = loop.now
  }

  /// Says goodbye and closes the sockets.
  func stop() {
    announce(port: 0)
    timer = nil
    for socket in listening + asking { socket.stop() }
    (listening, asking) = ([], [])
  }

  private func step() {
    let time = loop.now
    if time >= nextAnnouncement {
      announce(port: sessionPort)
      nextAnnouncement = time + Self.pauses[min(announced, Self.pauses.count - 1)]
      announced += 1
    }
    if time >= nextRequest { ask(at: time) }
    for peer in book.expire(at: now) where role != .advertiser { onChange(.lost(peer)) }
    timer?.deadline = min(nextAnnouncement, nextRequest)
  }

  private func announce(port: UInt16) {
    guard let bytes = datagram(port: port) else { return }
    for way in Self.ways(InterfaceAddress.all()) {
      let destination = SocketAddress(host: way.destination, port: self.port)
      for socket in listening { socket.send(bytes, to: destination, by: way.interface) }
    }
  }

  /// Asks the next machine that is to be asked.
  private func ask(at time: UInt64) {
    guard !targets.isEmpty else { return nextRequest = .max }
    let request = AnnouncementRequest.datagram(service: service)
    for socket in asking { socket.send(request, to: targets[asked]) }
    asked = (asked + 1) % targets.count
    nextRequest = time + (asked == 0 ? Self.roundPause : Self.requestPause)
  }

  /// An announcement under a number higher than those before, also than those of an earlier start; nil for one who does not
  /// announce itself.
  private func datagram(port: UInt16) -> [UInt8]? {
    guard role != .browser else { return nil }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    number = max(number + 1, UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(time.tv_nsec) / 1_000)
    return try? Announcement.datagram(of: identity, number: number, port: port, service: service, record)
  }

  // MARK: Receiving

  private func receive(_ bytes: [UInt8], from sender: SocketAddress) {
    let outcome = book.receive(bytes, from: sender, at: now)
    switch outcome {
    case .nothing: return
    case .answer:
      if let bytes = datagram(port: sessionPort) { for socket in listening { socket.send(bytes, to: sender) } }
    case .found, .lost: if role != .advertiser { onChange(outcome) }
    }
  }
}
