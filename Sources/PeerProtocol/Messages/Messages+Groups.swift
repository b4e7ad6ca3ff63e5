import AnchorReplication
import Basics
import WorldModel

/// Named groups of members, to which messages can be sent.
extension Messages {
  /// Joins a group, or leaves it; refused while this node is in as many as it may be in.
  mutating func setGroup(_ group: String, isIn: Bool, in turn: inout Turn) -> Answer {
    var names = KeySet(groups[turn.me] ?? [])
    guard names.contains(group) != isIn else { return .done }
    if isIn {
      guard names.count < ProtocolLimits.groups else { return .refused(.tooManyGroups) }
      names.insert(group)
    } else {
      names.remove(group)
    }
    turn.say(.groups) { GroupList(names).write(to: &$0) }
    return .done
  }

  /// A member is in other groups; a word that does not count any more is empty.
  mutating func changed(_ word: SpreadWord, in turn: inout Turn) {
    groups[word.author] = try? word.value(as: GroupList.self).groups
    showGroups(in: &turn)
  }

  /// Tells the app of peers that it was told of, and whose groups are not those that it knows; it learns elsewhere who is gone.
  mutating func showGroups(in turn: inout Turn) {
    guard !groups.isEmpty else { return }
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
    for (node, names) in groups where node == turn.me || turn.mesh.isMember(node) { found[node.peer] = names }
    return found
  }

  /// The other members in a group that messages can be sent to, in the order of their ids.
  func receivers(in group: String, in turn: borrowing Turn) -> [PeerID] {
    let members = groupsOfMembers(in: turn).filter { $0.key != turn.me.peer && $0.value.contains(group) }.keys
    return members.filter { peer in start(of: peer, in: turn).map { isListed($0, in: turn) } == true }.inOrder()
  }
}
