import AnchorReplication
import Authentication
import PeerProtocol
import PeerTransport
import WorldModel

extension Session {
  /// Translates what the node says for the app.
  func take(_ events: [NodeEvent]) {
    updateSnapshot()
    var translated: [Event] = []
    var end: EndReason?
    var (anchorsChanged, hasMessages, hasEnvelopes, hasRoom, hasOthers) = (false, false, false, false, false)
    for event in events {
      if case .envelopes = event {
        (hasMessages, hasEnvelopes) = (true, true)
        continue
      }
      take(event, into: &translated)
      if case .messages = event {
        hasMessages = true
        continue
      }
      if case .anchors = event {
        anchorsChanged = true
        continue
      }
      hasOthers = true
      if case .messageRoom = event { hasRoom = true }
      if case .ended(let reason) = event { end = reason }
      if case .handshake(let link, let news) = event { take(news, on: link) }
    }
    hub.publish(translated)
    if hasEnvelopes || hasOthers { takeEnvelopes(of: events) }
    if hasOthers { takeStreams(of: events) }
    if anchorsChanged { saveJournal() }
    // A member may be told before its record is here, and the limit changes without an event of its own.
    if hasOthers { advertiseStanding() }
    if hasMessages { reviewUnread() }
    if hasRoom { sendWaiting() }
    // Last, also where other events of the turn follow it.
    if let end { noteEnd(end) }
  }

  private func take(_ event: NodeEvent, into events: inout [Event]) {
    switch event {
    case .peerIdentified(let id, let name):
      identify(Peer(id: id, name: name))
      record(Peer(id: id, name: name))
    case .recognitionKey(let key, let id):
      record(key, of: id, into: &events)
    case .invitationReceived(let id, let from, let name, let context):
      receive(id, from: Peer(id: from, name: name), context, into: &events)
    case .invitationWithdrawn(let id, let peer):
      trust.invitations.end(id.rawValue)
      events.append(.invitationEnded(discovery.peer(peer), id: id.rawValue))
    case .invitationReached(let id, let peer):
      if let found = discovery.reached(peer, by: id.rawValue) { events.append(found) }
    case .invitationEnded(let id, let result): peerDesk.invitations.finish(id.rawValue, result)
    case .passcodeWrong(let id, let host, let left):
      events.append(.problem(.wrongPasscode(of: discovery.peer(id), at: host, left: left)))
    case .passcodeLocked: events.append(.problem(.roomLocked))
    case .unauthenticated(let id, let why): events.append(.problem(SessionError(ended: why, with: discovery.peer(id))))
    case .codeShown(let link, let id, let code): show(code, of: discovery.peer(id), on: link, in: &events)
    case .codeEnded(let link, let id, let isConfirmed):
      endComparison(on: link, with: discovery.peer(id), isConfirmed: isConfirmed, in: &events)
    case .peerJoined(let id, let name): noteJoin(of: Peer(id: id, name: name), in: &events)
    case .peerReconnecting(let id):
      discovery.reconfirmServices(of: id)
      events.append(.peerReconnecting(discovery.peer(id)))
    case .peerReconnected(let id): events.append(.peerReconnected(discovery.peer(id)))
    case .peerLeft(let id, let name, let reason):
      events.append(.peerLeft(Peer(id: id, name: name), reason: LeaveReason(reason)))
    case .hostChanged(let from, let to, let epoch, let reason):
      events.append(.hostChanged(from: (from?.peer).map(peer), to: (to?.peer).map(peer), epoch: epoch, reason: reason))
      if reason == .merged, let to { noteMerge(under: to.peer, instead: from?.peer, in: &events) }
    case .hostAwaited(let id, let result): peerDesk.hosts.finish(id.rawValue, result)
    case .hostRequested(let peer): askForHost(discovery.peer(peer))
    case .rulesChanged(let rules):
      if rules.isLocked != peerDesk.isLocked { events.append(.lockChanged(isLocked: rules.isLocked)) }
      peerDesk.isLocked = rules.isLocked
    case .roleChanged(let id, let role):
      events.append(.roleChanged(peer(id), role: role.map { PeerRole($0) }))
    case .anchors(let changes): publish(changes, after: &events)
    case .ephemeral(let update): take(update, into: &events)
    case .acknowledged(let id, let result): worldDesk.acknowledgements.finish(id.rawValue, result)
    case .ownershipSettled(let id, let result): worldDesk.ownership.finish(id.rawValue, result)
    case .ownershipRequested(let id, let anchor, let from):
      ask(id, OwnershipRequest(anchor: anchor, peer: discovery.peer(from)))
    case .identityInUse(let id):
      events.append(.problem(.identityInUse(by: discovery.peer(id), isOwn: id == localPeer.id)))
    case .divergence(let id): events.append(.problem(.divergence(from: discovery.peer(id))))
    case .mapProgress(let advance): events.append(.mapProgress(MapProgress(advance, from: peer(advance.from))))
    case .mapReceived(let map, _, let provider, let package): open(package, id: map, from: peer(provider))
    case .mapSourceRefused(let map, let from, let failure):
      events.append(.problem(.wrongPart(of: map, from: discovery.peer(from), failure)))
    case .mapRefused(let map, let provider, let refusal):
      events.append(refused(map, of: discovery.peer(provider).name, refusal))
    case .alignmentChanged(let id, let alignment): takeAlignment(of: discovery.peer(id), alignment, into: &events)
    // Maps that have arrived are reported first.
    case .synchronized(let digest): if !mapDesk.defers(digest) { events.append(.synchronized(digest)) }
    case .mapStatusChanged(let id, let status): events.append(.peerMapChanged(discovery.peer(id), status))
    case .messages(let messages, let from): publish(messages, from: from, after: &events)
    case .unreliable(let bytes, .bytes, let key, let from):
      events.append(.unreliableMessage(bytes, key: key, from: peer(from.peer)))
    case .unreliable(let bytes, .envelope, let key, let from): takeUnreliable(bytes, key: key, from: from)
    case .groupsChanged(let id, let groups): events.append(.groupsChanged(discovery.peer(id), groups: groups))
    case .messagesFailed(let lost):
      let failure = MessageFailure(receiver: peer(lost.receiver), messages: lost.messages, reason: lost.reason)
      events.append(.messagesFailed(failure))
    case .resource(let news): take(news, into: &events)
    case .unreliable(_, .stream, _, _), .envelopes, .stream, .streamsFailed, .messageRoom, .handshake, .ended: break
    }
  }

  private func noteJoin(of peer: Peer, in events: inout [Event]) {
    discovery.note(peer)
    warn(of: peer, in: &events)
    protest(against: peer, in: &events)
    events.append(.peerJoined(peer))
    record(peer)
  }

  /// Tells readers of messages, after the events before them.
  private func publish(_ run: MessageRun, from sender: PeerID, after earlier: inout [Event]) {
    hub.publish(exchange(&earlier, with: []))
    messageDesk.received(run.cost, from: sender)
    hub.publish(run, from: peer(sender))
  }

  /// Asks the app about an invitation.
  private func receive(_ id: InvitationID, from peer: Peer, _ context: [UInt8], into events: inout [Event]) {
    let recognition = trust.recognition(of: peer)
    let invitation = Invitation(id: id.rawValue, peer: peer, context: context, recognition: recognition)
    warn(of: peer, in: &events)
    events.append(.invitationReceived(invitation))
    ask(id, invitation)
  }

  /// Tells of a merge; a side that lost hears of the new host and then of its new epoch, and that is one.
  private func noteMerge(under host: PeerID, instead former: PeerID?, in events: inout [Event]) {
    guard former != host || host == identity.peerID else { return }
    let others = driver?.read { node, _ in node.memberSummaries.count { $0.status == .connected } } ?? 0
    events.append(.sessionMerged(size: others + 1, host: peer(host)))
  }

  /// Passes news of a handshake to the app's driver for that link.
  private func take(_ news: HandshakeNews, on link: LinkID) {
    guard let make = configuration.authentication.authenticator else { return }
    switch news {
    case .began(let opening):
      let context = AuthenticationContext(opening, with: discovery.peer(opening.peer), at: localPeer)
      let isRunning = trust.drivers.open(link, jobs: jobs) {
        make(context)
      } answer: { [weak self] step in
        await self?.input(.driverStep(link, step))
      }
      if !isRunning { input(.driverStep(link, HandshakeStep(.refused(reason: "busy")))) }
    case .received(let data): trust.drivers.take(data, on: link)
    case .ended: trust.drivers.end(link)
    }
  }

  /// Asks the user to compare a code.
  private func show(_ code: ComparisonCode, of peer: Peer, on link: LinkID, in events: inout [Event]) {
    warn(of: peer, in: &events)
    let recognition = trust.recognition(comparing: peer)
    let comparison = CodeComparison(
      id: link.rawValue, peer: peer, code: code.description, recognition: recognition)
    events.append(.codeShown(comparison))
    ask(link, comparison)
  }

  /// Asks no more about a code, and records a key that was compared.
  private func endComparison(on link: LinkID, with peer: Peer, isConfirmed: Bool, in events: inout [Event]) {
    let store = trust.endComparison(link.rawValue, with: peer.id, isConfirmed: isConfirmed)
    if let store { add(peer, to: store) }
    events.append(.codeEnded(peer, id: link.rawValue, isConfirmed: isConfirmed))
  }

  /// Tells the app of a peer that its policy makes remarkable.
  private func warn(of peer: Peer, in events: inout [Event]) {
    if let known = trust.warning(about: peer) { events.append(.newDevice(peer, known: known)) }
  }

  /// Tells the app of a member that its policy refuses.
  private func protest(against peer: Peer, in events: inout [Event]) {
    guard trust.recognition(of: peer) == .refused else { return }
    let why = trust.compared == nil ? "which is not on this session's list" : "whose code was not compared here"
    let message =
      "another member has admitted \(peer.name), \(peer.id.short), \(why); this peer makes no connection to it, but the "
      + "anchors of both travel through other members. Leave the session if that must not be"
    events.append(.problem(SessionError(.notPermitted, message)))
  }

  /// Records the key and the addresses of a member that this peer is linked to, if the policy asks for it.
  private func record(_ peer: Peer) {
    let linked = driver?.read { node, _ in
      node.isMember(peer.id) && node.isLinked(to: peer.id) ? node.roster[peer.id]?.addresses : nil
    }
    guard let addresses = linked ?? nil else { return }
    if let store = trust.storeToRecord(peer.id) { add(peer, to: store) }
    guard let book = trust.addressBook(for: peer.id) else { return }
    _ = jobs.add(priority: .utility) { [hub] in
      do throws(SessionError) { try book.record(addresses, of: peer.id) } catch { hub.publish([.problem(error)]) }
    }
  }

  /// Records the key by which a member is recognised later, and recognises its service.
  private func record(_ key: RecognitionKey, of id: PeerID, into events: inout [Event]) {
    guard let store = trust.storeToRecord(key, of: id) else { return }
    add(discovery.peer(id), to: store, recognizedBy: key)
    recognizeServices(into: &events)
  }

  /// Records a key, beside the event loop.
  private func add(_ peer: Peer, to store: PinStore, recognizedBy key: RecognitionKey? = nil) {
    _ = jobs.add(priority: .utility) { [hub] in
      do throws(SessionError) {
        try store.add(peer.id, name: peer.name, recognitionKey: key)
      } catch {
        hub.publish([.problem(error)])
      }
    }
  }

  /// A peer by its id, with the name that it gives itself.
  func peer(_ id: PeerID) -> Peer { id == identity.peerID ? localPeer : discovery.peer(id) }

  /// A peer said what it calls itself.
  func identify(_ peer: Peer) {
    discovery.identify(peer) {
      Set(driver?.read { node, _ in node.roster.entries.map(\.peerID) } ?? [])
    }
  }
}

// MARK: - Waits for what the node tells

extension Session {
  /// Lets the node begin something under a number of its own, and waits until it tells how that ended.
  ///
  /// - Parameters:
  ///   - begin: The input that begins it.
  ///   - giveUp: The input that ends it early, when the task is cancelled.
  func wait<Value>(
    in pending: Pending<Value>, _ begin: (UInt64) -> Input, givingUp giveUp: @escaping @Sendable (UInt64) -> Input
  ) async -> Waited<Value> {
    let number = pending.nextNumber()
    return await wait(in: pending, number) {
      (try? handle(begin(number))) == nil ? .left : nil
    } givingUp: {
      $0.input(giveUp(number))
    }
  }

  /// Begins something under a number that was not used before, and waits for its outcome.
  ///
  /// - Parameters:
  ///   - begin: Begins it, or returns why that is not possible any more; it is not called in a cancelled task.
  ///   - giveUp: Ends it early, when the task is cancelled.
  func wait<Value>(
    in pending: Pending<Value>, _ number: UInt64, _ begin: () -> EndReason?,
    givingUp giveUp: @escaping @Sendable (isolated Session) -> Void = { _ in }
  ) async -> Waited<Value> {
    await suspend { caller in
      pending.add(number, caller)
      if !Task.isCancelled, let reason = begin() { pending.resume(number, .ended(reason)) }
    } cancel: {
      giveUp($0)
      pending.resume(number, .cancelled)
    }
  }

  /// Waits until a desk resumes the caller that it was given.
  ///
  /// - Parameters:
  ///   - begin: Gives the caller to its desk.
  ///   - cancel: Has the desk resume it, when the task is cancelled or was before.
  ///   - proceed: Does what the caller's arrival asks for, after that.
  func suspend<Value: Sendable>(
    _ begin: (CheckedContinuation<Value, Never>) -> Void, cancel: @escaping @Sendable (isolated Session) -> Void,
    then proceed: () -> Void = {}
  ) async -> Value {
    await withTaskCancellationHandler {
      await withCheckedContinuation { caller in
        begin(caller)
        if Task.isCancelled { cancel(self) }
        proceed()
      }
    } onCancel: {
      loop.execute { self.assumeIsolated { cancel($0) } }
    }
  }
}
