import AnchorReplication
import Basics
import WorldModel

/// Named groups of members, to which messages can be sent.
extension Messages {
  /// Joins a group, or leaves it; refused while this node is in as many as it may be in.
  mutating func setGroup(_ group: String, isIn: Bool, in turn: inout Turn) -> Answer {
    let known = groups[turn.me]
    var names = KeySet(known?.groups ?? [])
    guard names.contains(group) != isIn else { return .done }
    if isIn {
      guard names.count < ProtocolLimits.groups else { return .refused(.tooManyGroups) }
      names.insert(group)
    } else {
      names.remove(group)
    }
    let version = RecordVersion.next(after: known?.version ?? 0)
    take(GroupWord(node: turn.me, version: version, groups: names), from: nil, in: &turn)
    return .done
  }

  /// Tells a new neighbour everything that is known.
  func tellGroups(on link: LinkRef, in turn: inout Turn) {
    guard turn.configuration.rules.contains(.groupsOnNewLinks) else { return }
    for word in groups.words { send(word, on: link, in: &turn) }
  }

  /// Takes the word of a member that it says itself, or that others pass on.
  mutating func receive(_ word: GroupWord, from sender: MemberLink, in turn: inout Turn) {
    guard word.node == turn.me else { return take(word, from: sender, in: &turn) }
    // Somebody spreads a word in this node's name that it did not say: a newer one replaces it.
    let own = groups[turn.me] ?? GroupWord(node: turn.me, version: 1, groups: [])
    guard word != own, word.version >= own.version else { return }
    let version = RecordVersion.next(after: word.version)
    take(GroupWord(node: turn.me, version: version, groups: KeySet(own.groups)), from: nil, in: &turn)
  }

  /// Records a word and passes it on, as far as it is news; its author gets it too, to correct what it did not say.
  private mutating func take(_ word: GroupWord, from sender: MemberLink?, in turn: inout Turn) {
    let isOwnWord = sender.map { $0.node == word.node } ?? true
    let isNews = groups.take(word, isOwnWord: isOwnWord, isMember: turn.mesh.isMember)
    guard isNews else { return }
    for member in turn.mesh.links.members where member != sender { send(word, on: member.link, in: &turn) }
    showGroups(in: &turn)
  }

  private func send(_ word: GroupWord, on link: LinkRef, in turn: inout Turn) {
    turn.send(.groups, on: link) { word.write(to: &$0) }
  }

  /// Tells the app of peers that it was told of, and whose groups are not those that it knows; it learns elsewhere who is gone.
  mutating func showGroups(in turn: inout Turn) {
    guard !groups.words.isEmpty else { return }
    let now = groupsOfPeers(in: turn)
    for peer in KeySet(now.keys).union(KeySet(shownGroups.keys)) where peer != turn.me.peer {
      let names = now[peer] ?? []
      guard names != shownGroups[peer] ?? [], turn.isPresent(peer) else { continue }
      turn.report(.groupsChanged(peer, names))
    }
    shownGroups = now
  }

  /// The groups of the peers that the app was told of and that have ever been in one, this one included.
  func groupsOfPeers(in turn: borrowing Turn) -> Table<PeerID, [String]> {
    var found = groupsOfMembers(in: turn)
    for peer in found.keys where !turn.isPresent(peer) { found[peer] = nil }
    return found
  }

  /// The groups of all members that have ever been in one, by the word of the present start of each; a word about a new member may
  /// come through others before the member itself is reached.
  private func groupsOfMembers(in turn: borrowing Turn) -> Table<PeerID, [String]> {
    var found: Table<PeerID, [String]> = [:]
    for word in groups.words where word.node == turn.me || turn.mesh.isMember(word.node) {
      found[word.node.peer] = word.groups
    }
    return found
  }

  /// The other members in a group that messages can be sent to, in the order of their ids.
  func receivers(in group: String, in turn: borrowing Turn) -> [PeerID] {
    let members = groupsOfMembers(in: turn).filter { $0.key != turn.me.peer && $0.value.contains(group) }.keys
    return members.filter { peer in start(of: peer, in: turn).map { isListed($0, in: turn) } == true }.inOrder()
  }
}
