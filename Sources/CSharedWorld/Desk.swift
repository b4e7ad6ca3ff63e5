import SharedWorld
import Synchronization

/// All that waits for C: questions, and offers of resources.
struct Desk: Sendable {
  /// Answers to requests; nil for one that nobody waits for.
  typealias Requests = PendingAnswers<Result<MessageEnvelope, RemoteError>?>

  /// Invitations; nil when C is not asked.
  var invitations: PendingAnswers<InvitationDecision>?
  /// Codes; nil when C shows none.
  var codes: PendingAnswers<Bool>?
  /// The most that C wants of the log, `SW_LOG_…`; nil for nothing.
  var log: UInt32?
  /// Requests of other peers.
  let requests = Requests(withdrawn: nil)
  /// Questions about the role of the host and about anchors.
  let questions = QuestionDesk()
  /// Offers of resources that have not ended.
  let offers = OfferBook()

  /// Records what C is about to be told.
  func take(_ event: Session.Event) {
    if case .invitationReceived(let invitation) = event { invitations?.announce(invitation.id) }
    if case .invitationEnded(_, let id) = event { invitations?.withdraw(id) }
    if case .codeShown(let comparison) = event { codes?.announce(comparison.id) }
    if case .codeEnded(_, let id, _) = event { codes?.withdraw(id) }
    if case .resourceOffered(let offer) = event { offers.add(offer) }
    if case .resourceReceived(let receipt) = event { offers.remove(receipt.offer.id) }
    if case .resourceFailed(let offer, _) = event { offers.remove(offer.id) }
  }
}

/// The offers of resources that this peer can accept, which C names by their ids alone.
///
/// The session bounds how many stand.
final class OfferBook: Sendable {
  private let offers = Mutex<[ResourceID: ResourceOffer]>([:])

  /// An offer was made.
  func add(_ offer: ResourceOffer) { offers.withLock { $0[offer.id] = offer } }

  /// An offer has ended.
  func remove(_ id: ResourceID) { offers.withLock { _ = $0.removeValue(forKey: id) } }

  /// The offer with this id.
  func offer(_ id: ResourceID) throws -> ResourceOffer {
    guard let offer = offers.withLock({ $0[id] }) else {
      throw SessionError(.unknownResource, "no resource of this id is offered, or it is not any more")
    }
    return offer
  }
}
