import Foundation
import SharedWorld
import Synchronization

/// The one `Session` behind the objects of ``MCPeerID``: it starts with the first of advertiser and browser, and what
/// happens in it is told to their delegates, one after the other.
final class MCLink: Sendable {
  private struct State {
    weak var session: MCSession?
    weak var advertiser: MCNearbyServiceAdvertiser?
    weak var browser: MCNearbyServiceBrowser?
    var life: Task<Void, Never>?
    /// What the app wants of the session, in its order.
    var orders: AsyncStream<Order>.Continuation?
    var found: [Candidate.ID: MCPeerID] = [:]
    var peers: [PeerID: MCPeerID] = [:]
    var connected: [MCPeerID] = []
    var progress: [ResourceID: Progress] = [:]
  }

  private typealias Order = @Sendable (Session) async -> Void

  private let name: String
  private let configuration: Session.Configuration
  private let state = Mutex(State())
  /// Delegates are told here, as Apple's are: in order, and not on the main thread.
  private let queue = DispatchQueue(label: "MCSession")

  init(named name: String, _ configuration: Session.Configuration) {
    (self.name, self.configuration) = (name, configuration)
  }

  deinit { state.withLock { $0.life?.cancel() } }

  var connectedPeers: [MCPeerID] { state.withLock { $0.connected } }

  func attach(_ session: MCSession) { state.withLock { $0.session = session } }

  func advertise(_ advertiser: MCNearbyServiceAdvertiser?) {
    state.withLock { $0.advertiser = advertiser }
    if let advertiser { start(advertiser.serviceType) }
    let info = advertiser?.discoveryInfo ?? [:]
    order { try? await $0.peers.setDiscoveryInfo(info) }
  }

  func browse(_ browser: MCNearbyServiceBrowser?) {
    state.withLock { $0.browser = browser }
    guard let browser else { return }
    start(browser.serviceType)
    order { [weak self] session in
      for candidate in await session.state.candidates { self?.tellFound(candidate) }
    }
  }

  func stop() { state.withLock { $0.life?.cancel() } }

  // MARK: What the app asks for

  func invite(_ peer: MCPeerID, context: [UInt8], timeout: TimeInterval) {
    let id = state.withLock { $0.found.first { $0.value === peer }?.key }
    guard let id else { return }
    // Others are invited while this one thinks.
    order { session in
      Task { _ = try? await session.peers.invite(.candidate(id), context: context, timeout: .seconds(timeout)) }
    }
  }

  func send(_ bytes: [UInt8], to peers: [MCPeerID], mode: MessageMode) throws {
    let ids = try ids(of: peers)
    order { session in _ = try? await session.messages.send(bytes, to: .peers(ids), mode: mode) }
  }

  func sendResource(
    at path: String, named name: String, to peer: MCPeerID, completion: @escaping @Sendable ((any Error)?) -> Void
  ) -> Progress? {
    guard let id = try? ids(of: [peer]) else { return nil }
    let progress = Progress(totalUnitCount: 1)
    order { [queue] session in
      Task {
        do {
          for try await update in try await session.files.send(at: path, named: name, to: id) {
            switch update {
            case .progress(let news): progress.take(news)
            case .received: queue.async { completion(nil) }
            case .failed(_, let failure): queue.async { completion(failure) }
            @unknown default: break
            }
          }
        } catch {
          queue.async { completion(error) }
        }
      }
    }
    return progress
  }

  private func ids(of peers: [MCPeerID]) throws -> [PeerID] {
    try state.withLock { state in
      try peers.map { peer in
        guard state.connected.contains(peer), let id = state.peers.first(where: { $0.value === peer })?.key else {
          throw MCError.notConnected
        }
        return id
      }
    }
  }

  private func order(_ order: @escaping Order) { state.withLock { _ = $0.orders?.yield(order) } }

  // MARK: The session

  private func start(_ service: String) {
    state.withLock { state in
      guard state.life == nil else { return }
      let (orders, continuation) = AsyncStream.makeStream(of: Order.self)
      state.orders = continuation
      state.life = Task { [weak self, name, configuration] in
        var configuration = configuration
        configuration.service = service
        configuration.discovery.advertising.showsName = true
        configuration.invitations.incoming = .ask { [weak self] in await self?.answer($0) ?? .decline(reason: "") }
        do {
          try await Session.withSession(named: name, configuration: configuration) { session in
            await withTaskGroup { group in
              group.addTask { for await order in orders { await order(session) } }
              for await event in session.events { await self?.take(event, of: session) }
              group.cancelAll()
            }
          }
        } catch {
          self?.tellNotStarted(error)
        }
      }
    }
  }

  private func take(_ event: Session.Event, of session: Session) async {
    switch event {
    case .candidateFound(let candidate): tellFound(candidate)
    case .candidateLost(let candidate): tellLost(candidate)
    case .peerJoined(let peer): await change(peer, to: .connected, in: session)
    case .peerLeft(let peer, _): await change(peer, to: .notConnected, in: session)
    case .message(let bytes, let peer), .unreliableMessage(let bytes, _, let peer):
      let sender = await object(for: peer, in: session)
      tell { $0.session($1, didReceive: Data(bytes), fromPeer: sender) }
    case .resourceOffered(let offer): await accept(offer, in: session)
    case .resourceProgress(let news): state.withLock { $0.progress[news.id] }?.take(news)
    case .resourceReceived(let receipt):
      await finish(receipt.offer, at: URL(filePath: receipt.path), error: nil, in: session)
    case .resourceFailed(let offer, let failure): await finish(offer, at: nil, error: failure, in: session)
    default: break
    }
  }

  /// One object for each peer: that of the candidate by which this device knows it.
  private func object(for peer: Peer, in session: Session) async -> MCPeerID {
    let candidate = await session.state.candidates.first { $0.peer?.id == peer.id }
    return object(for: peer, foundAs: candidate?.id)
  }

  private func object(for peer: Peer, foundAs candidate: Candidate.ID? = nil) -> MCPeerID {
    state.withLock { state in
      if let known = state.peers[peer.id] { return known }
      let object = candidate.flatMap { state.found[$0] } ?? MCPeerID(other: peer.name)
      state.peers[peer.id] = object
      return object
    }
  }

  private func change(_ peer: Peer, to news: MCSessionState, in session: Session) async {
    let object = await object(for: peer, in: session)
    state.withLock { state in
      state.connected.removeAll { $0 === object }
      if news == .connected { state.connected.append(object) }
    }
    tell { $0.session($1, peer: object, didChange: news) }
  }

  private func accept(_ offer: ResourceOffer, in session: Session) async {
    let sender = await object(for: offer.from, in: session)
    let progress = Progress(totalUnitCount: Int64(offer.size))
    state.withLock { $0.progress[offer.id] = progress }
    tell { $0.session($1, didStartReceivingResourceWithName: offer.name, fromPeer: sender, with: progress) }
    do { try await session.files.accept(offer) } catch { await finish(offer, at: nil, error: error, in: session) }
  }

  private func finish(_ offer: ResourceOffer, at url: URL?, error: (any Error)?, in session: Session) async {
    let sender = await object(for: offer.from, in: session)
    state.withLock { $0.progress[offer.id] = nil }
    tell {
      $0.session(
        $1, didFinishReceivingResourceWithName: offer.name, fromPeer: sender, at: url, withError: error)
    }
  }

  // MARK: The delegates

  private func answer(_ invitation: Invitation) async -> InvitationDecision {
    guard let advertiser = state.withLock({ $0.advertiser }), let delegate = advertiser.delegate else {
      return .decline(reason: "")
    }
    let sender = object(for: invitation.peer)
    return await withCheckedContinuation { answer in
      queue.async {
        delegate.advertiser(
          advertiser, didReceiveInvitationFromPeer: sender, withContext: Data(invitation.context)
        ) { isAccepted, _ in
          answer.resume(returning: isAccepted ? .accept : .decline(reason: ""))
        }
      }
    }
  }

  private func tellFound(_ candidate: Candidate) {
    let (browser, peer): (MCNearbyServiceBrowser?, MCPeerID?) = state.withLock { state in
      // It tells more of itself each time; the delegate is told once.
      guard let browser = state.browser, state.found[candidate.id] == nil else { return (nil, nil) }
      let peer = candidate.peer.flatMap { state.peers[$0.id] } ?? MCPeerID(other: candidate.name ?? candidate.id)
      state.found[candidate.id] = peer
      return (browser, peer)
    }
    guard let browser, let peer else { return }
    queue.async { browser.delegate?.browser(browser, foundPeer: peer, withDiscoveryInfo: candidate.info) }
  }

  private func tellLost(_ candidate: Candidate) {
    let (browser, peer) = state.withLock { ($0.browser, $0.found.removeValue(forKey: candidate.id)) }
    guard let browser, let peer else { return }
    queue.async { browser.delegate?.browser(browser, lostPeer: peer) }
  }

  private func tellNotStarted(_ error: any Error) {
    let (advertiser, browser) = state.withLock { ($0.advertiser, $0.browser) }
    queue.async {
      if let advertiser { advertiser.delegate?.advertiser(advertiser, didNotStartAdvertisingPeer: error) }
      if let browser { browser.delegate?.browser(browser, didNotStartBrowsingForPeers: error) }
    }
  }

  private func tell(_ call: @escaping @Sendable (any MCSessionDelegate, MCSession) -> Void) {
    guard let session = state.withLock({ $0.session }) else { return }
    queue.async { if let delegate = session.delegate { call(delegate, session) } }
  }
}

extension Progress {
  /// Shows how far a resource is.
  fileprivate func take(_ news: ResourceProgress) {
    (totalUnitCount, completedUnitCount) = (Int64(news.totalBytes), Int64(news.bytes))
  }
}
