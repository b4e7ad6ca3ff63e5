import SharedWorld

/// Apple's sample "Creating a multiuser AR experience": its view controller, whose screen is a value instead of a picture.
actor MultiuserExperience {
  struct Screen: Hashable, Sendable {
    /// The text of the bar at the top, which is hidden when there is none.
    var message: String
    var mappingStatus: MappingStatus
    var isSendMapEnabled: Bool
    /// Where the pandas stand in this device's frame.
    var pandas: [SIMD3<Float>]
  }

  /// How well the device knows where it is, in ARKit's words.
  enum Tracking: Hashable {
    case notAvailable, limited(Reason), normal
    enum Reason { case initializing, relocalizing, excessiveMotion, insufficientFeatures }
  }

  nonisolated let screens: AsyncStream<Screen>
  private let display: AsyncStream<Screen>.Continuation
  private let session: Session
  /// All that the device has mapped so far, and the planes in it, in its own frame.
  private var scan = WorldMap()
  private var tracking = Tracking.limited(.initializing)
  private var mapProvider: Peer?

  private init(_ session: Session) {
    self.session = session
    (screens, display) = AsyncStream.makeStream()
  }

  /// Launches the app: it advertises, browses, invites whom it finds and accepts all.
  static func launch(
    _ name: String, on network: MemoryNetwork, storage: String,
    _ body: @Sendable (MultiuserExperience) async throws -> Void
  ) async throws {
    var configuration = Session.Configuration(service: "ar-multi-sample")
    configuration.transport = .inMemory(network)
    configuration.invitations.outgoing = .all
    configuration.invitations.incoming = .all
    configuration.storage.folder = storage
    try await Session.withSession(named: name, configuration: configuration) { session in
      try await session.frames.begin()
      let app = MultiuserExperience(session)
      try await withThrowingTaskGroup { tasks in
        tasks.addTask { await app.run() }
        try await body(app)
        tasks.cancelAll()
      }
    }
  }

  private func run() async {
    await refresh()
    for await event in session.events {
      if case .mapReceived(let receipt) = event { mapProvider = receipt.from }
      await refresh()
    }
  }

  /// The device has mapped more; once a map of another one is here it looks for its place in that.
  func update(_ scan: WorldMap, _ tracking: Tracking = .normal) async {
    (self.scan, self.tracking) = (scan, tracking)
    if mapProvider != nil { _ = try? await session.frames.keepAligned(by: MapScan(scan.cloud)) }
    await refresh()
  }

  /// The button "Send World Map".
  func sendMap() async throws { try await session.maps.shareCapture(of: scan.cloud, views: scan.views) }

  /// A tap puts a panda on what is there.
  func tap(at point: SIMD2<Float>, through camera: PinholeCamera) async throws {
    guard let hit = HitTest(scan).results(at: point, through: camera).first else { return }
    try await session.place(Anchor(name: "panda", transform: hit.transform))
  }

  private func refresh() async {
    let peers = await session.state.peers.filter { $0.state == .connected }.map(\.peer)
    let anchors = await session.world.anchors
    let isPlaced = await session.frames.alignmentOfShared.state == .aligned
    let isLost = mapProvider != nil && !isPlaced && tracking == .normal
    let text = MessageBar.text(
      isLost ? .limited(.relocalizing) : tracking, peers: peers, mapProvider: mapProvider,
      isEmpty: scan.anchors.isEmpty && anchors.isEmpty)
    display.yield(
      Screen(
        message: text, mappingStatus: scan.mappingStatus,
        isSendMapEnabled: scan.mappingStatus.allowsSharing && !peers.isEmpty,
        pandas: anchors.filter { $0.name == "panda" }.map(\.transform.translation)))
  }
}
