import Basics
import PeerProtocol

/// The peers that have announced themselves, and what strangers may cost by datagrams.
///
/// A pure value: it is handed the time.
struct AnnouncementBook {
  /// Peers listed at a time; a further one has to wait until the place of one is free.
  static let capacity = 256
  /// Addresses of one peer, the latest first.
  static let addressCapacity = 4
  /// A peer of which nothing was heard for this long is gone.
  static let lifetime: Duration = .seconds(16)
  /// Signatures that are checked in a second, of all senders and of one.
  static let checks = (ofAll: 64, ofOne: 8)
  /// Answers in a second, to all that ask and to one.
  static let answers = (toAll: 16, toOne: 2)
  /// Senders whose rates are remembered.
  private static let senders = 256

  /// A listed peer.
  struct Entry: Equatable, Sendable {
    var announcement: Announcement
    var addresses: [SocketAddress]
    var expiry: Instant
  }

  /// The consequence of a datagram.
  enum Outcome: Equatable {
    case nothing
    /// Announce oneself to the sender.
    case answer
    /// A peer is new, or says something else.
    case found(Announcement)
    /// It left.
    case lost(PeerID)
  }

  private struct Rates {
    var checks: RateLimit
    var answers: RateLimit

    init(_ checks: Int, _ answers: Int, at now: Instant) {
      (self.checks, self.answers) = (RateLimit(checks, at: now), RateLimit(answers, at: now))
    }
  }

  private let service: String
  private let me: PeerID
  private(set) var entries: Table<PeerID, Entry> = [:]
  private var all: Rates
  private var rates: Table<SocketAddress.Host, Rates> = [:]

  /// The book of a peer of a service.
  init(service: String, me: PeerID, at now: Instant) {
    (self.service, self.me) = (service, me)
    all = Rates(Self.checks.ofAll, Self.answers.toAll, at: now)
  }

  /// Takes a datagram.
  mutating func receive(_ bytes: [UInt8], from sender: SocketAddress, at now: Instant) -> Outcome {
    if AnnouncementRequest.isRequest(bytes, of: service) {
      return admits(sender, \.answers, at: now) ? .answer : .nothing
    }
    guard bytes.starts(with: Announcement.magic), sender.host.isUnicast, admits(sender, \.checks, at: now),
      let announcement = Announcement(verifying: bytes), announcement.service == service, announcement.peer != me
    else { return .nothing }
    return record(announcement, from: sender, at: now)
  }

  private mutating func record(_ announcement: Announcement, from sender: SocketAddress, at now: Instant) -> Outcome {
    let (peer, known) = (announcement.peer, entries[announcement.peer])
    // One that was sent over several ways arrives several times; an older one is a repetition.
    if let known, announcement.number < known.announcement.number { return .nothing }
    if announcement.port == 0 { return entries.removeValue(forKey: peer) == nil ? .nothing : .lost(peer) }
    guard known != nil || entries.count < Self.capacity else { return .nothing }
    let address = sender.with(port: announcement.port)
    let others = known?.addresses.filter { $0 != address && $0.port == announcement.port } ?? []
    let entry = Entry(
      announcement: announcement, addresses: Array(([address] + others).prefix(Self.addressCapacity)),
      expiry: now + Self.lifetime)
    entries[peer] = entry
    return known.map { $0.says(announcement) } == true ? .nothing : .found(announcement)
  }

  /// Takes out the peers of which nothing was heard for long.
  mutating func expire(at now: Instant) -> [PeerID] {
    let gone = entries.filter { $0.value.expiry <= now }.keys.inOrder()
    for peer in gone { entries[peer] = nil }
    return gone
  }

  private mutating func admits(_ sender: SocketAddress, _ rate: WritableKeyPath<Rates, RateLimit>, at now: Instant)
    -> Bool
  {
    // The rate of all still bounds those that are forgotten.
    if rates.count >= Self.senders { rates.removeAll() }
    let fresh = Rates(Self.checks.ofOne, Self.answers.toOne, at: now)
    let isAdmitted = rates[sender.host.network, default: fresh][keyPath: rate].admits(at: now)
    return isAdmitted && all[keyPath: rate].admits(at: now)
  }
}

extension AnnouncementBook.Entry {
  /// Whether a later announcement of the peer says the same.
  fileprivate func says(_ later: Announcement) -> Bool {
    let earlier = announcement
    return (earlier.port, earlier.name, earlier.standing, earlier.asksForPasscode)
      == (later.port, later.name, later.standing, later.asksForPasscode)
  }
}
