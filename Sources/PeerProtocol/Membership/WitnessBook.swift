import Basics
import WorldModel

/// The signed words of members on who was removed, as far as this node has checked them.
struct WitnessBook: Sendable {
  /// Witnesses of one removal that are kept, and members that sign one besides the host.
  static let most = 4
  static let signers = 3

  /// By the removed peer and the witness.
  private var witnesses: Table<PeerID, Table<PeerID, RemovalWitness>> = [:]

  /// The members that have witnessed the removal of a peer.
  func signers(of subject: PeerID) -> [PeerID] { witnesses[subject]?.keys ?? [] }

  /// Whether the word of this start of a witness is news, and may be kept.
  func mayTake(_ signer: NodeID, of subject: PeerID) -> Bool {
    guard let known = witnesses[subject] else { return true }
    return known[signer.peer].map { $0.incarnation != signer.incarnation } ?? (known.count < Self.most)
  }

  /// Keeps a witness; of peers that are out of the roster, or have left, none are kept when there are many.
  ///
  /// Returns whether there was room. A word that is not kept must not be handed on: it would go round without an end.
  mutating func take(_ witness: RemovalWitness, of signer: PeerID, in roster: borrowing Roster) -> Bool {
    if witnesses[witness.subject] == nil, witnesses.count >= ProtocolLimits.members {
      for subject in witnesses.keys {
        if roster[subject].map({ $0.status == .left }) ?? true { witnesses[subject] = nil }
      }
      guard witnesses.count < ProtocolLimits.members else { return false }
    }
    witnesses[witness.subject, default: [:]][signer] = witness
    return true
  }

  /// All of them, in the order of the peers and the witnesses.
  var all: [RemovalWitness] {
    witnesses.values.flatMap(\.values)
  }
}
