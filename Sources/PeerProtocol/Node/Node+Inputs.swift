import AnchorReplication
import Authentication
package import Basics
import WorldModel

/// Inputs: each is dispatched to its organ.
extension Node {
  /// Handles one input.
  @discardableResult
  package mutating func handle(_ input: Input, at now: Instant) -> Answer {
    notices.removeAll(keepingCapacity: true)
    guard !turn.hasEnded else { return .done }
    turn.now = now
    // Timers cost more than an edit, of which there may be thousands a second.
    guard !input.isTimeless else { return carryOut(input) }
    noteTime(now)
    let answer = carryOut(input)
    runTimers()
    return answer
  }

  private mutating func carryOut(_ input: Input) -> Answer {
    defer { settle() }
    switch input {
    case .tick: break
    case .linkOpened(let id, let peer, let dial, let remote, let secrets, let isInProcess):
      open(id, peer, dial, remote, secrets, isInProcess)
    case .linkClosed(let id): links.organ.lost(id, in: &turn)
    case .dialFailed(let dial, let refused): dialFailed(dial, refused: refused)
    case .dialConnected(let dial): membership.organ.dialConnected(dial, at: turn.now)
    case .writable(let id), .taken(let id): links.organ.regainRoom(on: id, in: &turn)
    case .clockJumped(let gap): clockJumped(by: gap)
    case .addresses(let addresses): changeAddresses(addresses)
    case .chunksFound(let content, let chunks, let isLast): found(chunks, of: content, isLast: isLast)
    case .chunkChecked(let verdict): settle(verdict)

    case .invite(let id, let addresses, let expected, let context, let timeout):
      membership.organ.invite(id, addresses, expecting: expected, context: context, timeout: timeout, in: &turn)
    case .cancelInvitation(let id): membership.organ.cancelInvitation(id, in: &turn)
    case .answer(let id, let decision): membership.organ.answer(id, decision, in: &turn)
    case .kick(let peer): return kick(peer)
    case .setLocked(let isLocked): return setLocked(isLocked)
    case .setRole(let role, let peer, let time): return governance.organ.setRole(role, of: peer, for: time, in: &turn)
    case .handover(let peer): handOver(to: peer)
    case .requestHost: turn.tell(.elect(.request))
    case .answerHostRequest(let peer, let accepts):
      coordination.organ.answerRequest(of: peer, accepts: accepts, in: &turn)
    case .awaitHost(let id, let peer, let timeout): coordination.organ.awaitHost(id, peer, timeout: timeout, in: &turn)
    case .cancelHostWait(let id): coordination.organ.cancelHostWait(id)
    case .unlockPasscode: pairing.organ.unlock()
    case .answerCode(let id, let isSame): comparison.organ.answer(id, isSame: isSame, in: &turn)
    case .driverStep(let id, let step): handshake.organ.take(step, on: id, in: &turn)
    case .leave: leave()
    case .send(let bytes, let kind, let mode, let peers):
      return messages.organ.send(bytes, as: kind, mode: mode, to: peers, in: &turn)
    case .setGroup(let group, let isIn): return messages.organ.setGroup(group, isIn: isIn, in: &turn)
    case .messagesUnread(let bytes, let peer): messages.organ.setUnread(bytes, from: peer, in: &turn)

    case .edit(let edit): return written { node throws(AnchorError) in try node.turn.edit(edit) }
    case .edits(let edits): return written { node throws(AnchorError) in try node.turn.edit(edits) }
    case .restoreAnchors(let records): return restoreAnchors(records)
    case .awaitAcknowledgement(let id, let level, let timeout): awaitAcknowledgement(id, level, timeout: timeout)
    case .cancelAcknowledgement(let id): replication.organ.cancelAcknowledgement(id)

    case .updatePose(let transform):
      return edited { node throws(AnchorError) in try node.poses.organ.updatePose(transform, in: &node.turn) }
    case .beginDrag(let anchor):
      return dragged { node throws(DragError) in .began(try node.poses.organ.beginDrag(anchor, in: &node.turn)) }
    case .drag(let id, let transform):
      return dragged { node throws(DragError) in try node.poses.organ.drag(id, to: transform, in: &node.turn) }
    case .endDrag(let id):
      return dragged { node throws(DragError) in try node.poses.organ.endDrag(id, in: &node.turn) }
    case .setInterest(let filter): poses.organ.setInterest(filter, in: &turn)
    case .beginFrame(let isShared): beginFrame(isShared: isShared)
    case .measure(let one, let other, let estimate, let isPrompt): return measure(one, other, estimate, isPrompt)
    case .wish(let id, let wish, let anchor, let timeout):
      ownership.organ.wish(id, wish, of: anchor, timeout: timeout, in: &turn)
    case .dropWish(let id): ownership.organ.dropWish(id)
    case .answerOwnership(let id, let accepts): ownership.organ.answer(id, accepts: accepts, in: &turn)
    case .share(let package, let anchors, let peer): return share(package, anchors, with: peer)
    case .offerResource(let package, let peers): return resources.organ.offer(package, to: peers, in: &turn)
    case .attach(let package): return attach(package)
    case .detach(let id): return resources.organ.detach(id.content, in: &turn)
    case .answerResource(let id, let accepts): return resources.organ.answer(id.content, accepts: accepts, in: &turn)
    case .endResource(let id, let failure): resources.organ.end(id.content, failure, in: &turn)
    case .chunkLoaded(let load, let chunk): resources.organ.loaded(load.content, load.index, chunk, in: &turn)
    case .cancelMap(let map): maps.organ.cancel(map, in: &turn)
    case .relocalized(let evidence): maps.organ.setPlace(evidence, in: &turn)
    }
    return .done
  }

  private mutating func awaitAcknowledgement(
    _ id: AcknowledgementID, _ level: AcknowledgementLevel, timeout: Duration
  ) {
    replication.organ.awaitAcknowledgement(
      id, level, timeout: timeout, messagesAreOpen: messages.state.areOpen, in: &turn)
  }

  private mutating func clockJumped(by gap: Duration) {
    excuse(gap)
    governance.organ.clockJumped(by: gap, in: &turn)
  }

  private mutating func attach(_ package: ResourcePackage) -> Answer {
    turn.heeds(turn.me.peer) ? resources.organ.attach(package, in: &turn) : .refused(.notPermitted)
  }

  private mutating func kick(_ peer: PeerID) -> Answer {
    if turn.mesh.governance.isOwned { return governance.organ.remove(peer, in: &turn) }
    return membership.organ.kick(peer, in: &turn) ? .done : .refused(.notHost)
  }

  private mutating func setLocked(_ isLocked: Bool) -> Answer {
    if turn.mesh.governance.isOwned { return governance.organ.setLocked(isLocked, in: &turn) }
    return membership.organ.setLocked(isLocked, in: &turn) ? .done : .refused(.notHost)
  }

  private mutating func handOver(to peer: PeerID) {
    if let node = turn.mesh.roster[peer]?.node { turn.tell(.elect(.handover(to: node))) }
  }

  private mutating func settle(_ verdict: ChunkVerdict) {
    switch verdict.check.content.family {
    case .map: takeMapNews { node in node.maps.organ.settle(verdict, in: &node.turn) }
    case .resource: resources.organ.settle(verdict, in: &turn)
    }
  }

  private mutating func found(_ chunks: [FoundChunk], of content: ContentID, isLast: Bool) {
    switch content.family {
    case .map: takeMapNews { node in node.maps.organ.found(chunks, of: MapID(content), isLast: isLast, in: &node.turn) }
    case .resource: resources.organ.found(chunks, of: content, isLast: isLast, in: &turn)
    }
  }

  private mutating func open(
    _ id: LinkID, _ peer: PeerID, _ dial: DialID?, _ remote: SocketAddress, _ secrets: LinkSecrets, _ isInProcess: Bool
  ) {
    let arrival = dial.map { membership.organ.dialOpened($0, peer: peer, in: &turn) } ?? .meant
    links.organ.open(
      id, peer: peer, dial: dial, remote: remote, arrival: arrival, isInProcess: isInProcess, in: &turn)
    pairing.organ.open(id, secrets: secrets.passcode, in: &turn)
    handshake.organ.open(id, binding: secrets.driver, in: &turn)
    comparison.organ.open(id, secrets: secrets.code, in: &turn)
  }

  private mutating func dialFailed(_ dial: DialID, refused: Bool) {
    links.organ.dialFailed(dial, in: turn)
    membership.organ.dialFailed(dial, refused: refused, in: turn)
  }

  private mutating func changeAddresses(_ addresses: [SocketAddress]) {
    links.organ.changeAddresses(addresses)
    membership.organ.changeAddresses(addresses, in: &turn)
  }

  private mutating func takeMapNews(_ body: (inout Node) -> Void) {
    body(&self)
    settle()
    replication.organ.checkSynchronized(in: &turn)
  }

  /// Sends goodbye on every link, and ends.
  private mutating func leave() {
    // The successor is named while there are links to say so.
    turn.tell(.elect(.resign))
    repeat { settle() } while links.organ.endNext(.left, in: &turn)
    turn.tell(.finish(.left))
  }

  /// Imports the anchors of a map, then shares it.
  private mutating func share(_ package: MapPackage, _ anchors: [Anchor], with peer: PeerID?) -> Answer {
    guard peer != nil || turn.mayShareMap else { return .refused(.mayNotShare) }
    guard turn.heeds(turn.me.peer) else { return .refused(.notPermitted) }
    do throws(AnchorError) {
      // First, since a refused anchor must leave no map behind. A map for one peer is no way to give anchors to all.
      if turn.mayShareMap { try replication.organ.importAnchors(of: package, anchors, in: &turn) }
    } catch {
      return .refused(.edit(error))
    }
    return .shared(maps.organ.share(package, with: peer, in: &turn))
  }

  /// Restores the anchors of an earlier session.
  ///
  /// Session time continues from the latest stamp in them, so that new edits do not count as older ones and other
  /// members do not refuse them as edits from the future.
  private mutating func restoreAnchors(_ records: [JournalRecord]) -> Answer {
    var answer = Answer.done
    do throws(ReplicationError) { try turn.anchors.restore(records) } catch { answer = .refused(.journal(error)) }
    governance.organ.review(in: &turn)
    turn.tell(.elect(.resumeTime(turn.anchors.latestSessionTime)))
    settle()
    turn.reportAnchors()
    return answer
  }

  private mutating func beginFrame(isShared: Bool) {
    let sequence = poses.organ.endAll(in: &turn)
    frames.organ.begin(isShared: isShared, sequence: sequence, in: &turn)
  }

  private mutating func measure(
    _ source: WorldFrame, _ target: WorldFrame, _ estimate: FrameEstimate, _ isPrompt: Bool
  ) -> Answer {
    do throws(FrameRefusal) {
      try frames.organ.measure(from: source, to: target, estimate, isPrompt: isPrompt, in: &turn)
    } catch { return .refused(.measurement(error)) }
    return .done
  }

  /// Carries out edits, which a guest has none of.
  private mutating func written(_ body: (inout Node) throws(AnchorError) -> Void) -> Answer {
    turn.heeds(turn.me.peer) ? edited(body) : .refused(.notPermitted)
  }

  private mutating func edited(_ body: (inout Node) throws(AnchorError) -> Void) -> Answer {
    do throws(AnchorError) { try body(&self) } catch { return .refused(.edit(error)) }
    return .done
  }

  private mutating func dragged(_ body: (inout Node) throws(DragError) -> Void) -> Answer {
    do throws(DragError) { try body(&self) } catch { return .refused(.drag(error)) }
    return .done
  }

  /// Begins a drag, which a guest does not.
  private mutating func dragged(_ body: (inout Node) throws(DragError) -> Answer) -> Answer {
    guard turn.heeds(turn.me.peer) else { return .refused(.notPermitted) }
    do throws(DragError) { return try body(&self) } catch { return .refused(.drag(error)) }
  }
}

extension Input {
  /// Whether the input skips the timers, because no time need have passed.
  ///
  /// These are the app's own edits, poses, messages and requests, thousands a second, and a driver's reports in the
  /// middle of a round.
  package var isTimeless: Bool {
    switch self {
    case .edit, .edits, .restoreAnchors, .awaitAcknowledgement, .cancelAcknowledgement, .updatePose, .beginDrag, .drag,
      .endDrag, .setInterest, .wish, .dropWish, .answerOwnership, .taken, .send, .setGroup, .messagesUnread:
      true
    case .tick, .linkOpened, .linkClosed, .dialFailed, .dialConnected, .writable, .clockJumped, .addresses,
      .chunksFound, .chunkChecked, .invite, .cancelInvitation, .answer, .kick, .setLocked, .setRole, .handover,
      .requestHost,
      .answerHostRequest, .awaitHost, .cancelHostWait, .unlockPasscode, .answerCode, .driverStep, .leave, .share,
      .cancelMap, .relocalized, .beginFrame, .measure, .offerResource, .answerResource, .endResource, .chunkLoaded,
      .attach,
      .detach:
      false
    }
  }
}
