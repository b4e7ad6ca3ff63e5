import Basics
import WorldModel

/// The other end of a link that has said hello, and how far the two sides have admitted each other.
struct Applicant: Sendable {
  let hello: Hello
  /// Where it listens: what it says, and where it was seen.
  let addresses: [SocketAddress]
  /// Whether this side has said that it holds the other as a member.
  private(set) var weAdmit = false
  /// Whether the other side has said so.
  var theyAdmit = false
  /// How often it has invited this node.
  private var invitations = 0
  /// The signed words on removals of it that were checked.
  private var witnesses: RateLimit?
  /// Those of its signed words that wait until more may be checked.
  private var waiting: [RemovalWitness] = []
  /// When the link became a member's.
  private(set) var memberSince: Instant?

  init(_ hello: Hello, on entry: LinkDirectory.Entry) {
    self.hello = hello
    addresses = Self.addresses(of: entry, hello)
  }

  /// Where a peer listens: what it says, and the address it was seen at when that carries a port it listens on.
  private static func addresses(of entry: LinkDirectory.Entry, _ hello: Hello) -> [SocketAddress] {
    var addresses = entry.isDialled ? [entry.remote] : []
    for address in hello.addresses where !addresses.contains(address) && address.isCredible(from: entry.remote) {
      addresses.append(address)
    }
    if !entry.isDialled, let port = hello.addresses.first?.port, port > 0 {
      let seen = entry.remote.with(port: port)
      if !addresses.contains(seen) { addresses.insert(seen, at: 0) }
    }
    return Array(addresses.prefix(ProtocolLimits.addresses))
  }

  /// This side holds the other as a member; whether that is still to be said.
  mutating func admit() -> Bool { !exchange(&weAdmit, with: true) }

  /// Counts an invitation; whether it may make so many.
  mutating func invites() -> Bool {
    invitations += 1
    return invitations <= ProtocolLimits.strangerInvitations
  }

  /// Counts a signature that it hands on; whether it is to be checked.
  mutating func mayWitness(at now: Instant) -> Bool {
    var limit = witnesses ?? RateLimit(ProtocolLimits.removalWitnesses, at: now)
    defer { witnesses = limit }
    return limit.admits(at: now)
  }

  /// Lets a signed word wait until it may be checked; one more than any honest member has is dropped.
  mutating func wait(_ witness: RemovalWitness) {
    if waiting.count < WitnessBook.most * ProtocolLimits.members { waiting.append(witness) }
  }

  /// Takes out the signed words that wait.
  mutating func takeWaiting() -> [RemovalWitness] { exchange(&waiting, with: []) }

  /// Whether the link becomes a member's now, because both sides have said so.
  mutating func promote(at now: Instant) -> Bool {
    guard weAdmit, theyAdmit, memberSince == nil else { return false }
    memberSince = now
    return true
  }
}
