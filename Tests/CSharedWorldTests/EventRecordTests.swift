import CSharedWorldHeaders
import Testing

@testable import CSharedWorld
@testable import SharedWorld

/// Events as C sees them, above all those that a test program brings about only by luck.
@Suite("Events for C")
struct EventRecordTests {
  let anchor = AnchorID()
  let peer = PeerID(SHA256Digest(hashing: [1]))
  var bob: Peer { Peer(id: peer, name: "bob") }

  /// What C gets of an event.
  private func record(_ event: Session.Event, _ check: (sw_event) -> Void) {
    let place = UnsafeMutablePointer<sw_event>.allocate(capacity: 1)
    place.initialize(to: sw_event(event))
    check(place.pointee)
    sw_event_destroy(place)
  }

  private func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

  private func transform(_ anchor: sw_anchor) -> [Float] {
    withUnsafeBytes(of: anchor.transform) { Array($0.bindMemory(to: Float.self)) }
  }

  @Test("a lost edit says which field, whose edit stands, and the value that is gone")
  func lostEdits() {
    let payload = Anchor.Payload(contentType: "text/plain", bytes: [1, 2, 3])
    let values: [LostEdit.Value] = [
      .transform(Transform(translation: [1, 2, 3])), .name("lamp"), .payload(payload), .payload(nil), .flags(5),
      .ownership, .kind(.plain),
    ]
    for value in values {
      let edit = LostEdit(anchor: anchor, value: value, author: bob)
      for (event, kind) in [
        (Session.Event.fieldOverwritten(edit), SW_EVENT_FIELD_OVERWRITTEN),
        (.editSuperseded(edit), SW_EVENT_EDIT_SUPERSEDED),
      ] {
        record(event) { event in
          #expect(event.type == UInt32(kind))
          #expect(event.anchor.id.anchor == anchor && event.peer.peer == peer && event.anchor.name == nil)
          #expect(text(event.name) == "bob")
          switch value {
          case .transform:
            #expect(event.field == UInt32(SW_FIELD_TRANSFORM))
            #expect(transform(event.anchor)[12...] == [1, 2, 3, 1])
          case .name: #expect(event.field == UInt32(SW_FIELD_NAME) && text(event.text) == "lamp")
          case .payload(let lost):
            #expect(event.field == UInt32(SW_FIELD_PAYLOAD) && text(event.text) == lost?.contentType)
            #expect(event.data_size == lost?.bytes.count ?? 0)
          case .flags: #expect(event.field == UInt32(SW_FIELD_FLAGS) && event.flags == 5)
          case .ownership: #expect(event.field == UInt32(SW_FIELD_OWNERSHIP) && event.text == nil)
          case .kind: #expect(event.field == UInt32(SW_FIELD_KIND) && event.text == nil)
          }
        }
      }
    }
  }

  @Test("a prompt says whether the key was seen before, and a warning has both keys")
  func keys() {
    let bob = Peer(id: peer, name: "bob")
    record(.invitationReceived(Invitation(id: 4, peer: bob, context: [7], recognition: .neverSeen))) { event in
      #expect(event.operation == 4)
      #expect(event.type == UInt32(SW_EVENT_INVITATION) && event.recognition == UInt32(SW_RECOGNITION_NEVER_SEEN))
    }
    let known = PeerID(SHA256Digest(hashing: [2]))
    record(.newDevice(bob, known: Peer(id: known, name: "bob"))) { event in
      #expect(event.type == UInt32(SW_EVENT_NEW_DEVICE) && event.peer.peer == peer && text(event.name) == "bob")
      #expect(Array(UnsafeBufferPointer(start: event.data, count: event.data_size)) == known.bytes)
    }
  }

  @Test("a code has its number, its digits and what is known of the key; its end says whether both have confirmed")
  func codes() {
    let bob = Peer(id: peer, name: "bob")
    record(.codeShown(CodeComparison(id: 5, peer: bob, code: "042317", recognition: .newDevice))) { event in
      #expect(event.operation == 5)
      #expect(event.type == UInt32(SW_EVENT_CODE) && event.peer.peer == peer && text(event.name) == "bob")
      #expect(text(event.text) == "042317" && event.recognition == UInt32(SW_RECOGNITION_NEW_DEVICE))
    }
    for isConfirmed in [true, false] {
      record(.codeEnded(bob, id: 5, isConfirmed: isConfirmed)) { event in
        #expect(event.type == UInt32(SW_EVENT_CODE_ENDED) && event.peer.peer == peer)
        #expect(event.flags == (isConfirmed ? 1 : 0) && event.operation == 5)
      }
    }
    record(.invitationEnded(bob, id: 4)) { event in
      #expect(event.type == UInt32(SW_EVENT_INVITATION_ENDED) && event.peer.peer == peer && event.operation == 4)
    }
  }

  @Test("messages that failed name the receiver, the reason and each message")
  func messagesFailed() {
    let failure = MessageFailure(receiver: bob, messages: [MessageID(3), MessageID(1 << 40)], reason: .restarted)
    record(.messagesFailed(failure)) { event in
      #expect(event.type == UInt32(SW_EVENT_MESSAGES_FAILED) && event.peer.peer == peer && event.total == 2)
      #expect(text(event.text) == "restarted" && text(event.name) == "bob")
      let numbers = UnsafeRawBufferPointer(start: event.data, count: event.data_size).bindMemory(to: UInt64.self)
      #expect(Array(numbers) == [3, 1 << 40])
    }
  }

  @Test("an unreliable message is a message with its key, and groups come one a line")
  func messagesOfModes() {
    record(.message([1, 2], from: bob)) { event in
      #expect(text(event.text) == nil && event.data_size == 2 && text(event.name) == "bob")
    }
    record(.unreliableMessage([1], key: "pointer", from: bob)) { event in
      #expect(event.type == UInt32(SW_EVENT_MESSAGE) && event.peer.peer == peer && event.data_size == 1)
      #expect(text(event.text) == "pointer")
    }
    record(.groupsChanged(bob, groups: ["a", "b"])) { event in
      #expect(event.type == UInt32(SW_EVENT_GROUPS_CHANGED) && event.peer.peer == peer)
      #expect(text(event.text) == "a\nb")
    }
  }

  @Test("a role is a word, and none is empty")
  func roles() {
    record(.roleChanged(Peer(id: peer, name: "bob"), role: .moderator)) { event in
      #expect(event.type == UInt32(SW_EVENT_ROLE_CHANGED) && event.peer.peer == peer)
      #expect(text(event.text) == "moderator")
    }
    record(.roleChanged(Peer(id: peer, name: "bob"), role: nil)) { event in #expect(text(event.text) == "") }
  }

  @Test("an object that came back names the receiver, the reason and the message")
  func messageReturned() {
    let returned = MessageReturn(message: MessageID(7), receiver: bob, reason: .undecodable, text: "no")
    record(.messageReturned(returned)) { event in
      #expect(event.type == UInt32(SW_EVENT_MESSAGE_RETURNED) && event.peer.peer == peer && event.sequence == 7)
      #expect(text(event.text) == "undecodable" && text(event.name) == "bob")
    }
  }

  @Test("an anchor comes with its kind and its payload")
  func payload() {
    let image = Anchor.Image(referenceName: "poster", physicalSize: [1, 2])
    let lamp = Anchor(
      name: "lamp", kind: .image(image), payload: Anchor.Payload(contentType: "text/plain", bytes: [7]))
    for event in [
      Session.Event.anchorAdded(lamp, origin: .local), .anchorUpdated(lamp, origin: .local),
      .anchorRemoved(lamp, origin: .local), .anchorRestored(lamp, from: anchor),
    ] {
      record(event) { event in
        #expect(text(event.content_type) == "text/plain" && event.data_size == 1 && event.data[0] == 7)
        let content = event.content?.pointee
        #expect(content?.kind == UInt32(SW_KIND_IMAGE) && text(content?.reference) == "poster")
        #expect(content?.extent.1 == 2 && text(content?.content_type) == "text/plain" && content?.payload_size == 1)
      }
    }
  }

  @Test("an anchor that was brought back names the removed one")
  func restored() {
    let back = Anchor(name: "lamp")
    record(.anchorRestored(back, from: anchor)) { event in
      #expect(event.content_type == nil && event.data_size == 0)
      #expect(event.type == UInt32(SW_EVENT_ANCHOR_RESTORED))
      #expect(event.anchor.id.anchor == back.id && event.other.anchor == anchor && text(event.anchor.name) == "lamp")
    }
  }

  @Test("a merge tells the host and how many peers there are")
  func merged() {
    record(.sessionMerged(size: 5, host: bob)) { event in
      #expect(event.type == UInt32(SW_EVENT_SESSION_MERGED) && event.peer.peer == peer && event.total == 5)
      #expect(text(event.name) == "bob")
    }
  }

  @Test("how far a peer has come with the map")
  func mapStatus() {
    let map = MapID(SHA256Digest(hashing: [2]))
    let stages: [(MapStatus.Stage, Int, UInt32)] = [
      (.none, SW_MAP_NONE, 0), (.transferring(percent: 40), SW_MAP_TRANSFERRING, 40), (.received, SW_MAP_RECEIVED, 0),
      (.relocalized, SW_MAP_RELOCALIZED, 0), (.claimed, SW_MAP_CLAIMED, 0),
    ]
    for (stage, kind, percent) in stages {
      let status = MapStatus(map: stage == .none ? nil : map, stage: stage)
      record(.peerMapChanged(Peer(id: peer, name: "bob"), status)) { event in
        #expect(event.type == UInt32(SW_EVENT_PEER_MAP_CHANGED) && text(event.name) == "bob" && event.peer.peer == peer)
        #expect(event.stage == UInt32(kind) && event.percent == percent)
        #expect(event.map.array == (stage == .none ? [UInt8](repeating: 0, count: 32) : map.digest.bytes))
      }
    }
  }

  /// What C gets of an event of the library itself.
  private func record(_ event: OwnEvent, _ check: (sw_event) -> Void) {
    let place = UnsafeMutablePointer<sw_event>.allocate(capacity: 1)
    place.initialize(to: sw_event(event))
    check(place.pointee)
    sw_event_destroy(place)
  }

  @Test("the end of an operation has its number, its status and what came of it")
  func done() {
    var event = OwnEvent(SW_EVENT_DONE, 7)
    let resource = ResourceID(SHA256Digest(hashing: [3])), map = MapID(SHA256Digest(hashing: [4]))
    (event.peer, event.name, event.resource, event.map, event.anchor) = (peer, "bob", resource, map, anchor)
    (event.flags, event.text) = (1, "a\nb")
    record(event) { event in
      #expect(event.type == UInt32(SW_EVENT_DONE) && event.operation == 7 && event.status == sw_status(SW_OK))
      #expect(event.peer.peer == peer && text(event.name) == "bob" && text(event.text) == "a\nb" && event.flags == 1)
      #expect(event.digest.array == resource.digest.bytes && event.map.array == map.digest.bytes)
      #expect(event.anchor.id.anchor == anchor && event.has_transform == 0 && event.endpoint == nil)
    }
  }

  @Test("the end of an operation by an error has the words of the other program, else those of the library")
  func doneByError() {
    let remote = RemoteError("too-hard", "ask another")
    record(.done(8, SessionError(.requestFailed, "the handler failed", cause: remote))) { event in
      #expect(event.operation == 8 && event.status == sw_status(SW_REQUEST_FAILED))
      #expect(text(event.name) == "too-hard" && text(event.text) == "ask another")
    }
    record(.done(9, SessionError(.declined, "bob declined: no"))) { event in
      #expect(event.status == sw_status(SW_DECLINED) && text(event.text) == "bob declined: no" && event.name == nil)
    }
  }

  @Test("an object and a request come with their envelope", arguments: [SW_EVENT_OBJECT, SW_EVENT_REQUEST])
  func objects(kind: Int) {
    var event = OwnEvent(kind, 5)
    let place = Transform(translation: [1, 2, 3])
    event.peer = peer
    event.envelope = MessageEnvelope(
      endpoint: "draw", type: "Stroke", contentType: "application/json", fields: ["b": "2", "a": "1"], transform: place,
      bytes: [9, 8])
    record(event) { event in
      #expect(event.type == UInt32(kind) && event.operation == 5 && event.peer.peer == peer)
      #expect(text(event.endpoint) == "draw" && text(event.object_type) == "Stroke")
      #expect(text(event.content_type) == "application/json" && event.data_size == 2 && event.data[1] == 8)
      let fields = UnsafeBufferPointer(start: event.fields, count: event.field_count)
      #expect(fields.map { text($0.key) } == ["a", "b"] && fields.map { text($0.value) } == ["1", "2"])
      #expect(event.has_transform == 1 && transform(event.anchor)[12...] == [1, 2, 3, 1])
    }
    record(OwnEvent(SW_EVENT_REQUEST_WITHDRAWN, 5)) { event in
      #expect(event.type == UInt32(SW_EVENT_REQUEST_WITHDRAWN) && event.operation == 5 && event.fields == nil)
    }
  }

  @Test("an invitation that is repeated says whom it was for, why it failed and whether it goes on")
  func invitationFailed() {
    let error = SessionError(.unreachable, "nobody answers")
    for isRetried in [true, false] {
      record(.invitationFailed(.address(PeerAddress(host: "192.0.2.7", port: 5)), error, isRetried: isRetried)) {
        event in
        #expect(event.type == UInt32(SW_EVENT_INVITATION_FAILED) && event.status == sw_status(SW_UNREACHABLE))
        #expect(text(event.name) == "192.0.2.7:5" && text(event.text) == "nobody answers")
        #expect(event.flags == (isRetried ? 1 : 0))
      }
    }
  }

  @Test("a resource tells its name for people, its path, its rate and how it ended")
  func resources() {
    let id = ResourceID(SHA256Digest(hashing: [3]))
    let offer = ResourceOffer(id: id, from: bob, name: "../room", size: 10)
    record(.resourceReceived(ResourceReceipt(offer: offer, path: "/tmp/x"))) { event in
      #expect(event.type == UInt32(SW_EVENT_RESOURCE_RECEIVED) && event.digest.array == id.digest.bytes)
      #expect(text(event.name) == "../room" && text(event.text) == "/tmp/x" && event.total == 10)
    }
    record(.resourceFailed(offer, .diskFull)) { event in
      #expect(text(event.text) == "disk-full" && text(event.name) == "../room" && event.peer.peer == peer)
      #expect(text(event.peer_name) == "bob")
    }
    let progress = ResourceProgress(
      id: id, peer: bob, direction: .sending, bytes: 4, totalBytes: 10, bytesPerSecond: 99)
    record(.resourceProgress(progress)) { event in
      #expect(event.done == 4 && event.total == 10 && event.rate == 99 && event.flags == 1)
      #expect(event.name == nil && text(event.peer_name) == "bob")
    }
  }

  @Test("an attachment has two names: its own and that of the peer that attached it")
  func attachments() {
    let offer = ResourceOffer(id: ResourceID(SHA256Digest(hashing: [3])), from: bob, name: "plan", size: 10)
    record(.attachmentChanged(SessionAttachment(offer, .here, path: "/tmp/x"))) { event in
      #expect(event.type == UInt32(SW_EVENT_ATTACHMENT_CHANGED) && event.peer.peer == peer && event.total == 10)
      #expect(text(event.name) == "plan" && text(event.peer_name) == "bob" && text(event.text) == "/tmp/x")
    }
  }

  @Test("a map on its way, and one that is here, name the peer and count their bytes")
  func maps() {
    let map = MapID(SHA256Digest(hashing: [2]))
    let progress = MapProgress(
      from: bob, mapID: map, verifiedBytes: 3, totalBytes: 9, bytesPerSecond: 0, requestedBytes: 9, receivedBytes: 3)
    record(.mapProgress(progress)) { event in
      #expect(event.type == UInt32(SW_EVENT_MAP_PROGRESS) && event.peer.peer == peer && text(event.name) == "bob")
      #expect((event.done, event.total) == (3, 9) && event.map.array == map.digest.bytes)
    }
    let receipt = Session.MapReceipt(from: bob, mapID: map, points: 1, anchors: 0, bytes: 9)
    record(.mapReceived(receipt)) { event in
      #expect(event.type == UInt32(SW_EVENT_MAP_RECEIVED) && event.peer.peer == peer && text(event.name) == "bob")
      #expect((event.done, event.total) == (9, 9) && event.map.array == map.digest.bytes)
    }
  }

  @Test("a candidate that was seen before names the known peer")
  func seenBefore() {
    let known = Candidate(id: "sw-1", name: "x", peer: nil, seenBefore: Peer(id: peer, name: "bob"))
    record(.candidateFound(known)) { event in
      #expect(text(event.text) == "sw-1" && text(event.name) == "x" && event.peer.peer == peer)
      #expect(event.recognition == UInt32(SW_RECOGNITION_KNOWN))
    }
    record(.candidateLost(Candidate(id: "sw-1", name: nil, peer: nil))) { event in
      #expect(event.recognition == UInt32(SW_RECOGNITION_UNTRACKED) && event.name == nil)
      #expect(event.peer.array == [UInt8](repeating: 0, count: 32))
    }
  }
}
