import Testing

@testable import PeerProtocol
@testable import SharedWorld

@Suite("The words of events")
struct EventDescriptionTests {
  private static let kitchen = Peer(id: PeerID(SHA256Digest(hashing: [1])), name: "kitchen")
  private static let map = MapID(SHA256Digest(hashing: [2]))
  private static let lamp = Anchor(name: "lamp", transform: .identity)
  private static let offer = ResourceOffer(
    id: ResourceID(SHA256Digest(hashing: [3])), from: kitchen, name: "plan.pdf", size: 12)
  private static let progress = ResourceProgress(
    id: offer.id, peer: kitchen, direction: .sending, bytes: 3, totalBytes: 12, bytesPerSecond: 0)

  @Test(
    "an event says in a line what happened, by the names that people know",
    arguments: [
      (.peerJoined(kitchen), "kitchen joined"),
      (.hostChanged(from: nil, to: kitchen, epoch: 2, reason: .elected), "kitchen hosts"),
      (.hostChanged(from: kitchen, to: nil, epoch: 2, reason: .expired), "no host: an election runs"),
      (.roleChanged(kitchen, role: nil), "kitchen is not admitted any more"),
      (.candidateFound(Candidate(id: "sw-1", name: nil, peer: kitchen)), "found kitchen"),
      (.candidateLost(Candidate(id: "sw-1", name: nil, peer: nil)), "sw-1 is out of sight"),
      (.message([1, 2], from: kitchen), "kitchen sent 2 bytes"),
      (.peerMapChanged(kitchen, MapStatus(map: map, stage: .transferring(percent: 40))), "kitchen has 40 % of the map"),
      (
        .mapReceived(Session.MapReceipt(from: kitchen, mapID: map, points: 3, anchors: 2, bytes: 1)),
        "map from kitchen received: 2 anchors, 3 points, 1 bytes"
      ),
      (.anchorAdded(lamp, origin: .remote), "lamp placed by another peer"),
      (.anchorRemoved(lamp, origin: .local), "lamp removed"),
      (.dragEnded(lamp.id, by: kitchen), "kitchen let go of \(lamp.id)"),
      (.resourceFailed(offer, .diskFull), "'plan.pdf' (12 bytes) does not come: disk-full"),
      (
        .resourceSettled(progress, .cancelled),
        "3 of 12 bytes of a resource are at kitchen, and no more: cancelled"
      ),
      (.resourceOffered(offer), "kitchen offers 'plan.pdf' (12 bytes)"),
      (.resourceSettled(progress, nil), "kitchen has all of a resource"),
      (
        .messagesFailed(MessageFailure(receiver: kitchen, messages: [MessageID(1), MessageID(2)], reason: .lost)),
        "2 messages may not have reached kitchen: lost"
      ),
      (
        .messageReturned(
          MessageReturn(message: MessageID(7), receiver: kitchen, reason: .unhandled, text: "no reader")),
        "kitchen returned message 7, unhandled: no reader"
      ),
      (.groupsChanged(kitchen, groups: ["a", "b"]), "kitchen is in a, b"),
      (.problem(SessionError(.limitExceeded, "too much")), "too much"),
      (.ended(.kicked), "the session is over: kicked"),
    ] as [(Session.Event, String)])
  func lines(_ event: Session.Event, _ line: String) { #expect("\(event)" == line) }
}
