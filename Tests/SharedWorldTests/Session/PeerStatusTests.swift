import Basics
@testable import PeerProtocol
import Testing
import WorldModel

@testable import SharedWorld

@Suite("The state of a peer")
struct PeerStatusTests {
  @Test(
    "is reconnecting from the event that says so",
    arguments: [(false, PeerStatus.State.connected), (true, .reconnecting)])
  func reconnecting(isNoticed: Bool, state: PeerStatus.State) {
    let member = MemberSummary(
      peerID: PeerID(SHA256Digest(hashing: [1])), name: "bob", status: .reconnecting(since: .zero),
      isNoticed: isNoticed,
      roundTrip: nil, isDirect: false, bytesSent: 0, bytesReceived: 0, link: nil, bytesWaiting: 0)
    #expect(PeerStatus(member, map: .none, recognition: .untracked).state == state)
  }
}
