import Authentication
package import Basics
package import WorldModel

/// Every link as all organs see it; published by `Links` alone.
package struct LinkDirectory: Sendable {
  /// One link.
  struct Entry: Sendable {
    let link: LinkRef
    /// The peer at the other end, as its TLS certificate proves.
    let peer: PeerID
    /// The address of the other end.
    let remote: SocketAddress
    /// Whether this side dialled.
    let isDialled: Bool
    /// The start of the process at the other end, once both sides hold each other as members and the link carries the
    /// traffic between them.
    var member: NodeID?
    /// The start of the process at the other end, once it said hello.
    var node: NodeID?
    /// The capabilities that this side's hello says.
    let offered: Capabilities
    /// The capabilities of the other end, once it said hello.
    var capabilities: Capabilities = []
    /// The proofs that the two ends still owe each other; nil before the hello.
    var owed: Proofs?

    /// Whether nothing is owed: only then may the two ends invite and admit each other.
    var isProven: Bool { owed?.isEmpty ?? false }

    /// Which side of an exchange on this link `me` is, and the ids of both sides.
    func sides(of me: PeerID) -> (role: ExchangeRole, initiator: [UInt8], responder: [UInt8]) {
      isDialled ? (.initiator, me.bytes, peer.bytes) : (.responder, peer.bytes, me.bytes)
    }
  }

  /// The proofs that two ends owe each other before either invites or admits the other.
  package struct Proofs: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The proof that both know the passcode.
    static let passcode = Proofs(rawValue: 1 << 0)
    /// The comparison of a code by two people.
    static let code = Proofs(rawValue: 1 << 1)
    /// The word of both apps' drivers.
    static let driver = Proofs(rawValue: 1 << 2)

    /// The proofs that follow from the capabilities of both hellos.
    init(_ one: Capabilities, _ other: Capabilities) {
      self = one.contains(.passcode) && other.contains(.passcode) ? .passcode : []
      if one.union(other).contains(.asksForCode) { insert(.code) }
      if one.contains(.driver), other.contains(.driver) { insert(.driver) }
    }
  }

  /// By slot; nil where no link is.
  private var entries: [Entry?] = []
  /// The numbers by slot, 0 where no link is: scanning a hundred numbers is faster than hashing one.
  private var numbers: [UInt64] = []
  /// All links, oldest first.
  package private(set) var all: [LinkRef] = []
  /// The links that carry members' traffic, oldest first.
  package private(set) var members: [MemberLink] = []
  /// The link that carries each linked peer's traffic, or will when both hold each other as members.
  private var carriers: [PeerID: LinkRef] = [:]
  /// The second connection to a member, for pieces of maps alone.
  private var bulk: [PeerID: LinkRef] = [:]

  package init() {}

  /// The link with this number.
  @inline(__always)
  package func link(_ id: LinkID) -> LinkRef? {
    numbers.firstIndex(of: id.rawValue).map { LinkRef(id: id, slot: $0) }
  }

  /// Whether the link has not ended.
  func isOpen(_ link: LinkRef) -> Bool { numbers[link.slot] == link.id.rawValue }

  /// Whether one link was opened before another.
  func isOlder(_ link: LinkRef, than other: LinkRef) -> Bool {
    guard let index = all.firstIndex(of: link), let otherIndex = all.firstIndex(of: other) else { return false }
    return index < otherIndex
  }

  /// The entry of a link; nil when it has ended.
  subscript(link: LinkRef) -> Entry? { isOpen(link) ? entries[link.slot] : nil }

  /// The start of the process at the other end of a link, once it said hello.
  package func node(_ link: LinkRef) -> NodeID? { isOpen(link) ? entries[link.slot]?.node : nil }

  /// The link as that of the member whose traffic it carries.
  @inline(__always)
  package func sender(_ link: LinkRef) -> MemberLink? { member(link).map { MemberLink(link: link, node: $0) } }

  /// The member whose traffic a link carries.
  func member(_ link: LinkRef) -> NodeID? { isOpen(link) ? entries[link.slot]?.member : nil }

  /// The link that carries a peer's traffic, or will do so once both sides admit each other.
  func carrier(of peer: PeerID) -> LinkRef? { carriers[peer] }

  /// The link that carries the traffic of the peer at the other end of a link: that one, or the one besides it.
  func carrier(besides link: LinkRef) -> LinkRef? {
    guard let entry = self[link] else { return nil }
    return entry.member == nil ? carriers[entry.peer] : link
  }

  /// Whether the two ends of a link may invite and admit each other.
  func isProven(_ link: LinkRef) -> Bool { self[link]?.isProven ?? false }

  /// Whether the other end of a link said that it can do this.
  func offers(_ capability: Capabilities, on link: LinkRef) -> Bool {
    self[link]?.capabilities.contains(capability) ?? false
  }

  /// The bulk link to a peer.
  func bulk(to peer: PeerID) -> LinkRef? { bulk[peer] }

  /// Whether the member at the other end of a link has a bulk link too.
  func hasBulk(besides link: LinkRef) -> Bool {
    guard !bulk.isEmpty, let entry = self[link] else { return false }
    return bulk[entry.peer] != nil
  }

  /// The link to this very start of a peer's process.
  func carrier(of node: NodeID) -> LinkRef? {
    guard let link = carriers[node.peer], entries[link.slot]?.node == node else { return nil }
    return link
  }
}

/// Changes, made by the organ that writes the directory.
extension LinkDirectory {
  /// Gives a new link a slot.
  package mutating func open(
    _ id: LinkID, peer: PeerID, remote: SocketAddress, isDialled: Bool, offering offered: Capabilities = []
  ) -> LinkRef {
    let slot = numbers.firstIndex(of: 0) ?? numbers.count
    if slot == numbers.count {
      numbers.append(0)
      entries.append(nil)
    }
    let link = LinkRef(id: id, slot: slot)
    numbers[slot] = id.rawValue
    entries[slot] = Entry(link: link, peer: peer, remote: remote, isDialled: isDialled, offered: offered)
    all.append(link)
    return link
  }

  /// Records the start of the process at the other end, and its capabilities.
  package mutating func identify(_ link: LinkRef, as node: NodeID, _ capabilities: Capabilities) {
    guard let offered = entries[link.slot]?.offered else { return }
    entries[link.slot]?.node = node
    entries[link.slot]?.capabilities = capabilities
    entries[link.slot]?.owed = Proofs(offered, capabilities)
  }

  /// The two ends have proven something.
  mutating func prove(_ link: LinkRef, _ proof: Proofs) {
    if isOpen(link) { entries[link.slot]?.owed?.subtract(proof) }
  }

  /// Makes a link the carrier of its peer's traffic.
  package mutating func carry(_ link: LinkRef) {
    guard let peer = entries[link.slot]?.peer else { return }
    carriers[peer] = link
  }

  /// Makes a link a member's.
  package mutating func admit(_ link: LinkRef) {
    guard let node = entries[link.slot]?.node else { return }
    entries[link.slot]?.member = node
    listMembers()
  }

  /// Makes a link the bulk link of its peer.
  mutating func attach(_ link: LinkRef) {
    guard let peer = entries[link.slot]?.peer else { return }
    bulk[peer] = link
  }

  /// Removes a link that has ended.
  package mutating func close(_ link: LinkRef) {
    guard let entry = self[link] else { return }
    if carriers[entry.peer] == link { carriers[entry.peer] = nil }
    if bulk[entry.peer] == link { bulk[entry.peer] = nil }
    numbers[link.slot] = 0
    entries[link.slot] = nil
    all.removeAll { $0 == link }
    if entry.member != nil { listMembers() }
  }

  private mutating func listMembers() {
    members = all.compactMap { link in entries[link.slot]?.member.map { MemberLink(link: link, node: $0) } }
  }
}
