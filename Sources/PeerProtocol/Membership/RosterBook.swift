import AnchorReplication
import Basics
import WorldModel

/// The roster as this node holds it; all organs see every change of it at once.
struct RosterBook: Sendable {
  /// One record a peer.
  private(set) var roster = Roster()
  /// Where this peer listens.
  var addresses: [SocketAddress]
  /// Records of others that were accepted and not handed on yet.
  private var news: [RosterEntry] = []

  init(addresses: [SocketAddress]) {
    self.addresses = addresses
  }

  /// Begins with the records that an earlier start of this peer held.
  mutating func restore(_ entries: [RosterEntry], in turn: inout Turn) {
    roster = Roster(restoring: entries)
    turn.mesh.publish(roster: roster)
    _ = assertSelf(in: &turn)
  }

  /// Accepts a record, of the member that sent it, if it wins over the known one; whether it did.
  mutating func merge(_ entry: RosterEntry, from teller: PeerID? = nil, in turn: inout Turn) -> Bool {
    change(in: &turn) { $0.merge(entry, from: teller) }
  }

  /// Changes the roster; all organs see it at once.
  private mutating func change<R>(in turn: inout Turn, _ body: (inout Roster) -> R) -> R {
    // While others hold it too each change would copy a thousand records.
    turn.mesh.releaseRoster()
    defer { turn.mesh.publish(roster: roster) }
    return body(&roster)
  }

  /// Accepts a record that has to be handed on.
  mutating func take(_ entry: RosterEntry, from teller: PeerID?, in turn: inout Turn) -> Bool {
    guard merge(entry, from: teller, in: &turn) else { return false }
    news.append(entry)
    return true
  }

  /// Takes out the records that were not handed on yet.
  mutating func takeNews() -> [RosterEntry] { exchange(&news, with: []) }

  /// Changes a record, with its next version; nil when there is none or it is right already.
  mutating func update(
    _ peer: PeerID, in turn: inout Turn, _ change: (inout RosterEntry) -> Void
  ) -> RosterEntry? {
    self.change(in: &turn) { $0.update(peer, change) }
  }

  /// Admits a peer; the new record, or nil when there is no room for another one.
  mutating func admit(_ peer: PeerID, _ applicant: Applicant, in turn: inout Turn) -> RosterEntry? {
    var entry = RosterEntry(
      peerID: peer, version: 1, incarnation: applicant.hello.incarnation, name: applicant.hello.name,
      addresses: applicant.addresses)
    if let known = roster[peer] { entry.version = RecordVersion.next(after: known.version) }
    return merge(entry, in: &turn) ? entry : nil
  }

  /// Records a new start of a peer; nil when it is known already.
  mutating func renew(
    _ peer: PeerID, _ hello: Hello, at addresses: [SocketAddress], in turn: inout Turn
  ) -> RosterEntry? {
    update(peer, in: &turn) {
      $0.incarnation = hello.incarnation
      $0.name = hello.name
      $0.addresses = addresses
    }
  }

  /// Corrects what others say of this peer, such as what an earlier start of it left behind; nil when it is right.
  mutating func reassert(in turn: inout Turn) -> RosterEntry? {
    turn.configuration.rules.contains(.reassertion) ? assertSelf(in: &turn) : nil
  }

  /// Makes what this peer says of itself the newest of its records; nil when it is already.
  mutating func assertSelf(in turn: inout Turn) -> RosterEntry? {
    let entry = RosterEntry(
      peerID: turn.me.peer, version: 0, incarnation: turn.me.incarnation, name: turn.configuration.name,
      addresses: addresses)
    return change(in: &turn) { $0.restate(entry) }
  }
}

extension Turn {
  /// Sends records to all members but one.
  mutating func gossip(_ entries: [RosterEntry], except peer: PeerID? = nil) {
    for member in mesh.links.members where member.peer != peer { send(entries, on: member.link) }
  }

  /// Sends records to one member.
  mutating func send(_ entries: [RosterEntry], on link: LinkRef) {
    outbox.append(frames: { Roster.writeFrames(entries, to: &$0) }, on: link)
  }

  /// Sends witnesses to all members but one.
  mutating func gossip(_ witnesses: [RemovalWitness], except peer: PeerID? = nil) {
    for member in mesh.links.members where member.peer != peer { send(witnesses, on: member.link) }
  }

  /// Sends witnesses to one member.
  mutating func send(_ witnesses: [RemovalWitness], on link: LinkRef) {
    for start in stride(from: 0, to: witnesses.count, by: RemovalWitnesses.limit) {
      let frame = RemovalWitnesses(Array(witnesses[start...].prefix(RemovalWitnesses.limit)))
      send(.removalWitnesses, on: link) { frame.write(to: &$0) }
    }
  }
}
