package import Basics
import WorldModel

extension Node {
  /// Takes bytes that arrived on a link.
  ///
  /// A broken frame ends that one link and nothing else.
  package mutating func receive(_ bytes: RawSpan, on id: LinkID, at now: Instant) {
    guard !hasEnded, var begun = links.update(id, { $0.beginReceiving(bytes.byteCount, at: now) }) else { return }
    notice(now)
    var used = begun.isEmpty ? 0 : finishFrame(&begun, with: bytes, on: id, at: now)
    if begun.isEmpty {
      used += takeFrames(bytes.extracting(used..<bytes.byteCount), on: id, at: now)
      begun.append(bytes.extracting(used..<bytes.byteCount))
    }
    links.update(id) { $0.inbound = begun }
    publishAnchorChanges()
    if !synchronisation.isReached { checkSynchronised() }
    runTimers(at: now)
  }

  /// Adds to the frame that has begun what belongs to it, takes it if it is whole, and returns how many bytes it used.
  private mutating func finishFrame(
    _ begun: inout [UInt8], with bytes: RawSpan, on id: LinkID, at now: Instant
  ) -> Int {
    var used = 0
    // First the head, if that is not whole: it tells how long the frame is.
    for _ in 0..<2 {
      let size = unsafe FrameHead.frameSize(begun.span.bytes)
      let more = min(size - begun.count, bytes.byteCount - used)
      begun.append(bytes.extracting(used..<(used + more)))
      used += more
      guard begun.count == size else { break }
      guard unsafe takeFrames(begun.span.bytes, on: id, at: now) == 0 else {
        begun.removeAll(keepingCapacity: true)
        break
      }
    }
    return used
  }

  /// Takes the complete frames in `bytes` and returns how many bytes they were.
  private mutating func takeFrames(_ bytes: RawSpan, on id: LinkID, at now: Instant) -> Int {
    var offset = 0
    while let phase = links.update(id, { $0.phase }) {
      do {
        guard let head = try FrameHead.find(in: bytes, at: offset, limit: phase.frameLimit) else { return offset }
        offset = head.body.upperBound
        try takeFrame(head.type, bytes.extracting(head.body), in: phase, on: id, at: now)
      } catch {
        end(id, .protocolError, at: now)
      }
    }
    return bytes.byteCount
  }

  private mutating func takeFrame(
    _ rawType: UInt8, _ body: RawSpan, in phase: Link.Phase, on id: LinkID, at now: Instant
  ) throws(DecodingFailure) {
    guard let type = FrameType(rawValue: rawType) else { return }
    if !type.leavesDeadlines { quiet = nil }
    var reader = ByteReader(body)
    switch (phase, type) {
    case (.bulk, .mapPiece): try receiveMapPiece(&reader, on: id, at: now)
    case (.bulk, .goodbye): drop(id, at: now)
    case (.bulk, _): throw .invalid("not a piece of a map", offset: 0)
    case (_, .goodbye): receiveGoodbye(try Goodbye(reading: &reader), on: id, at: now)
    case (.greeting, .hello): receiveHello(try Hello(reading: &reader), on: id, at: now)
    case (.greeting, .attach): receiveAttach(try BulkOffer.Token(reading: &reader), on: id, at: now)
    case (.greeting, _): throw .invalid("the first frame is not a hello", offset: 0)
    case (_, .hello): throw .invalid("a second hello", offset: 0)
    case (_, .admit): receiveAdmit(on: id, at: now)
    case (_, .ping): receivePing(try reader.read(UInt64.self), on: id)
    case (_, .pong): receivePong(try reader.read(UInt64.self), on: id, at: now)
    case (_, .invite): receiveInvite(try Invite(reading: &reader), on: id, at: now)
    case (_, .inviteAnswer): receiveAnswer(try InviteAnswer(reading: &reader), on: id, at: now)
    case (_, .inviteCancel): receiveCancel(try reader.read(UInt64.self), on: id)
    case (.stranger, _): throw .invalid("a member's frame from a stranger", offset: 0)
    case (.member, _): try takeMemberFrame(type, body, on: id, at: now)
    }
  }

  private mutating func takeMemberFrame(
    _ type: FrameType, _ body: RawSpan, on id: LinkID, at now: Instant
  ) throws(DecodingFailure) {
    guard isMemberLink(id) else { return }
    // By far the most frequent: it needs no copy of the link.
    if type == .operations { return receiveOperations(body, on: id, at: now) }
    var reader = ByteReader(body)
    if type == .mapPiece { return try receiveMapPiece(&reader, on: id, at: now) }
    guard let link = links[id] else { return }
    switch type {
    case .roster: receiveRoster(try Roster.readEntries(from: &reader), from: link.peer, at: now)
    case .rules: receiveRules(try SessionRules(reading: &reader), from: link.peer)
    case .election: try receiveElection(body, from: link, at: now)
    case .linkState: try receiveLinkState(&reader, from: link, at: now)
    case .vector: try receiveVector(body, on: id, at: now)
    case .snapshot: try receiveSnapshot(body, on: id, at: now)
    case .bulk: receiveBulk(try BulkOffer(reading: &reader), from: link, at: now)
    case .ephemeral: try receiveEphemeral(&reader, from: link, at: now)
    case .acknowledgement: receiveAcknowledgement(try AcknowledgementFrame(reading: &reader), from: link, at: now)
    case .interest: receiveInterest(try InterestFrame(reading: &reader), from: link)
    case .ownership: receiveOwnership(try OwnershipFrame(reading: &reader), from: link, at: now)
    case .mapAnnounce: receiveMapAnnouncement(try MapAnnouncement(reading: &reader), from: link, at: now)
    case .mapManifestRequest: try receiveManifestRequest(&reader, on: id)
    case .mapManifest: try receiveManifest(&reader, from: link, at: now)
    case .mapRequest: try receiveMapRequest(&reader, on: id)
    case .mapHave: try receiveMapHave(&reader, from: link, at: now)
    case .mapStatus: try receiveMapStatus(&reader, from: link)
    case .mapCancel: receiveMapCancel(MapID(try reader.readDigest()), on: id)
    case .message: tell(.message(try reader.readBytes(reader.remaining), from: link.peer))
    default: break
    }
  }

  private mutating func receiveAdmit(on id: LinkID, at now: Instant) {
    guard let link = links[id] else { return }
    links[id]?.theyAdmit = true
    if let node = link.node { takeBack(node, at: now) }
    // An invitation of ours is answered by admission alone when the other side was a member all along.
    if outgoing.contains(where: { $0.peer == link.peer }), !roster.admits(link.peer) {
      join(link, isEntering: true, at: now)
    }
    promote(id, at: now)
  }

  private mutating func receivePing(_ token: UInt64, on id: LinkID) {
    sendControl(.pong, on: id) { $0.write(token) }
  }

  private mutating func receivePong(_ token: UInt64, on id: LinkID, at now: Instant) {
    let sent = Instant(nanoseconds: Int64(bitPattern: token))
    guard sent <= now, now - sent < .seconds(60) else { return }
    links[id]?.roundTrip = now - sent
  }

  private mutating func receiveGoodbye(_ goodbye: Goodbye, on id: LinkID, at now: Instant) {
    guard let link = links[id] else { return }
    let wasMember = link.phase == .member && controlLinks[link.peer] == id
    let isRemoval = goodbye.reason == .kicked && roster.admits(link.peer)
    noteEnd(of: link, goodbye.reason)
    drop(id, at: now)
    switch goodbye.reason {
    case .left where wasMember || link.weAdmit:
      if wasMember { departed[link.peer] = link.node?.incarnation }
      markOut(link.peer, .left, reason: .left, at: now)
    case .kicked where isRemoval && believesOwnRemoval(from: link.peer): finish(.kicked)
    case .refused where link.weAdmit, .locked where link.weAdmit, .limitExceeded where link.weAdmit && !wasMember:
      markOut(link.peer, .left, reason: goodbye.reason, at: now)
      failInvitations(with: link, goodbye.reason)
    case .duplicate: break
    default: failInvitations(with: link, goodbye.reason)
    }
  }
}

extension [UInt8] {
  /// Appends borrowed bytes.
  fileprivate mutating func append(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }
}
