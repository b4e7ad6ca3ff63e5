import SharedWorld
import TestSupport
import Testing

/// The app of Carrot's README: who taps leaves a label where the device is, and everybody sees it there.
///
/// Carrot's server sent each label to all clients, and its Picnic Protocol moved it into the frame of each: two devices met
/// once, over beacons, and were taken to be turned alike. Here the peers are the server, and a meeting measures the turn too.
@Suite("Carrot's labels", .endsHangs)
struct CarrotLabels {
  struct LabelEvent: Codable, Hashable, Sendable {
    var text: String
  }

  /// What Carrot's view controller does: it has a `CarrotSession`, and labels by their anchors.
  actor App {
    let session: Session
    /// The device's place in its own world, as its camera tells it.
    private(set) var currentTransform: Transform
    private(set) var labels: [(text: String, place: Transform)] = []

    init(_ session: Session, at start: Transform) { (self.session, currentTransform) = (session, start) }

    /// Starts a world of this device's own, which begins anywhere.
    func start() async throws {
      try await session.frames.begin()
      try await move(to: currentTransform)
    }

    func move(to place: Transform) async throws {
      currentTransform = place
      try await session.world.updatePose(place)
    }

    /// Two users hold their devices together: the picnic.
    func picnic(with peer: Peer) async throws -> PeerAlignment {
      // An edit that everybody has acknowledged: so the pose that was told before it is there too.
      let sign = try await session.world.place(Anchor(name: "here"), acknowledgement: .everyPresentMember)
      try await session.world.remove(sign, acknowledgement: .everyPresentMember)
      return try await session.frames.meet(peer.id)
    }

    func tap(_ text: String) async throws {
      let label = Message(LabelEvent(text: text), transform: currentTransform)
      try await session.messages.send(label, to: .all, at: "draw")
    }

    /// Carrot's `messageHandler`, until there are `count` labels.
    func receive(_ results: MessageStream<LabelEvent>, until count: Int) async {
      for await result in results {
        // Without a transform the two frames are not aligned: Carrot could not tell.
        guard let place = result.transform else { continue }
        labels.append((result.object.text, place))
        if labels.count == count { return }
      }
    }
  }

  @Test func `after one meeting a label hangs where its device was, though the worlds are turned`() async throws {
    try await Peers.joined(2) { sessions in
      // Bob's world begins two metres away and is turned by about 53°.
      let origin = Transform(x: [0.6, 0, -0.8], y: [0, 1, 0], z: [0.8, 0, 0.6], translation: [2, 0, -1])
      let blanket = Transform(translation: [1, 1, 1])
      let ada = App(sessions[0], at: blanket)
      let bob = App(sessions[1], at: origin.inverse * blanket)
      let labels = sessions.map { $0.messages.of(LabelEvent.self, at: "draw") }
      for app in [ada, bob] { try await app.start() }
      // A label before the meeting has no place in the other's world.
      try await bob.tap("too early")
      async let one = ada.picnic(with: sessions[1].localPeer)
      async let other = bob.picnic(with: sessions[0].localPeer)
      let residuals = try await [one.residual, other.residual]
      #expect(residuals.allSatisfy { $0 < 1e-3 })

      let (tree, rock) = (Transform(translation: [4, 1.5, 0]), Transform(translation: [-3, 0.5, 2]))
      try await bob.move(to: origin.inverse * tree)
      try await bob.tap("🥕")
      try await ada.move(to: rock)
      try await ada.tap("🥗")
      await ada.receive(labels[0], until: 1)
      await bob.receive(labels[1], until: 1)
      let (seenByAda, seenByBob) = (await ada.labels[0], await bob.labels[0])
      #expect(seenByAda.text == "🥕" && Self.gap(seenByAda.place, tree) < 0.01)
      #expect(seenByBob.text == "🥗" && Self.gap(origin * seenByBob.place, rock) < 0.01)
    }
  }

  private static func gap(_ one: Transform, _ other: Transform) -> Float {
    let gap = one.translation - other.translation
    return (gap * gap).sum().squareRoot()
  }
}
