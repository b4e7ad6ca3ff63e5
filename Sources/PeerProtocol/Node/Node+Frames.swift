package import Basics
import WorldModel

/// Frames: each goes to the organ that ``FrameType/rule`` names.
extension Node {
  /// Receives bytes of a link.
  ///
  /// A broken frame ends that one link and nothing else.
  /// - Parameter isSpent: Asked after each frame; true leaves the rest of the bytes to the next call.
  /// - Returns: How many of the bytes were used: all of them, unless `isSpent` said so before.
  @discardableResult
  package mutating func receive(
    _ bytes: RawSpan, on id: LinkID, at now: Instant, until isSpent: () -> Bool = { false }
  ) -> Int {
    notices.removeAll(keepingCapacity: true)
    guard !turn.hasEnded, let arrival = links.organ.beginReceiving(on: id, at: now) else { return bytes.byteCount }
    let link = arrival.link
    var begun = arrival.begun
    turn.now = now
    noteTime(now)
    var used = 0
    var mayGoOn = true
    if !begun.isEmpty {
      used = finishFrame(&begun, with: bytes, on: link)
      mayGoOn = used == bytes.byteCount || !isSpent()
    }
    if begun.isEmpty, mayGoOn {
      let rest = takeFrames(bytes.extracting(used..<bytes.byteCount), on: link, until: isSpent)
      used += rest.used
      if !rest.isSpent {
        begun.append(bytes.extracting(used..<bytes.byteCount))
        used = bytes.byteCount
      }
    }
    links.organ.endReceiving(begun, after: used, on: link)
    turn.reportAnchors()
    if !replication.state.isSynchronized { replication.organ.checkSynchronized(in: &turn) }
    runTimers()
    return used
  }

  /// Completes the frame that has begun, dispatches it once it is whole, and returns how many bytes it used.
  private mutating func finishFrame(_ begun: inout [UInt8], with bytes: RawSpan, on link: LinkRef) -> Int {
    var used = 0
    // First the head, if it is incomplete: it has the length of the frame.
    for _ in 0..<2 {
      let size = unsafe FrameHead.frameSize(begun.span.bytes)
      let more = min(size - begun.count, bytes.byteCount - used)
      begun.append(bytes.extracting(used..<(used + more)))
      used += more
      guard begun.count == size else { break }
      guard unsafe takeFrames(begun.span.bytes, on: link, until: { false }).used == 0 else {
        begun.removeAll(keepingCapacity: true)
        break
      }
    }
    return used
  }

  /// Dispatches the complete frames in `bytes` until `isSpent`, and returns how many bytes they were.
  private mutating func takeFrames(
    _ bytes: RawSpan, on link: LinkRef, until isSpent: () -> Bool
  ) -> (used: Int, isSpent: Bool) {
    var offset = 0
    while let kind = links.state.kind(of: link) {
      do {
        let type = FrameHead.type(in: bytes, at: offset)
        if type == FrameType.message.rawValue, kind == .member, let sender = turn.mesh.links.sender(link) {
          let run = try messages.organ.receiveRun(
            bytes.extracting(offset..<bytes.byteCount), from: sender.node, in: &turn, until: isSpent)
          settle()
          offset += run.used
          // Without one whole message there is none.
          if run.isSpent || run.used == 0 { return (offset, run.isSpent) }
          continue
        }
        let limit = type.map { FrameType.limit(of: $0, on: kind) } ?? 0
        guard let head = try FrameHead.find(in: bytes, at: offset, limit: limit) else { return (offset, false) }
        offset = head.body.upperBound
        if kind == .stranger, !links.organ.countFrame(on: link) {
          links.organ.end(link, .limitExceeded, in: &turn)
          settle()
          continue
        }
        try take(head.type, bytes.extracting(head.body), on: link, kind)
      } catch .unknownKind {
        // Only its frame is lost, as one with an unknown number is.
      } catch {
        links.organ.end(link, .protocolError, in: &turn)
      }
      settle()
      if offset < bytes.byteCount, isSpent() { return (offset, true) }
    }
    return (bytes.byteCount, false)
  }

  /// Dispatches a frame to its organ; one with an unknown number is skipped.
  private mutating func take(
    _ number: UInt8, _ body: RawSpan, on link: LinkRef, _ kind: LinkKind
  ) throws(DecodingFailure) {
    guard let rule = FrameType(rawValue: number)?.rule else { return }
    guard rule.links.contains(LinkKinds(kind)) else {
      throw .invalid("a frame that is not legal on this kind of link", offset: 0)
    }
    switch rule.destination {
    case .links(let frame): try links.organ.receive(frame, body, on: link, in: &turn)
    case .pairing(let frame): try pairing.organ.receive(frame, body, on: link, in: &turn)
    case .comparison(let frame): try comparison.organ.receive(frame, body, on: link, in: &turn)
    case .handshake: try handshake.organ.receive(body, on: link, in: &turn)
    case .membership(let frame):
      guard turn.mesh.links.isProven(link) else {
        throw .invalid("an invitation or admission before both ends have proven what they owe", offset: 0)
      }
      try membership.organ.receive(frame, body, on: link, in: &turn)
    case .governance(let frame):
      guard turn.mesh.links.isProven(link) else {
        throw .invalid("a charter before both ends have proven what they owe", offset: 0)
      }
      try governance.organ.receive(frame, body, on: link, in: &turn)
    case .coordination(let frame):
      if let sender = turn.mesh.links.sender(link) {
        try coordination.organ.receive(frame, body, from: sender, in: &turn)
      }
    case .registers(let frame):
      if let sender = turn.mesh.links.sender(link) { try registers.organ.receive(frame, body, from: sender, in: &turn) }
    case .replication(let frame):
      if let sender = turn.mesh.links.sender(link) {
        try replication.organ.receive(frame, body, from: sender, in: &turn)
      }
    case .poses(let frame):
      if let sender = turn.mesh.links.sender(link) { try poses.organ.receive(frame, body, from: sender, in: &turn) }
    case .ownership:
      if let sender = turn.mesh.links.sender(link) { try ownership.organ.receive(body, from: sender, in: &turn) }
    case .chunks(let frame):
      guard let sender = turn.mesh.links.sender(link) else { return }
      switch try ContentFamily(firstIn: body) {
      case .map: try maps.organ.receive(frame, body, from: sender, in: &turn)
      case .resource: try resources.organ.receive(frame, body, from: sender, in: &turn)
      }
    case .chunkPiece:
      guard let peer = turn.mesh.links[link]?.peer else { return }
      switch try ContentFamily(firstIn: body) {
      case .map: try maps.organ.receivePiece(body, from: peer, in: &turn)
      case .resource: try resources.organ.receivePiece(body, from: peer, in: &turn)
      }
    case .maps(let frame):
      if let sender = turn.mesh.links.sender(link) { try maps.organ.receive(frame, body, from: sender, in: &turn) }
    case .resources(let frame):
      if let sender = turn.mesh.links.sender(link) { try resources.organ.receive(frame, body, from: sender, in: &turn) }
    case .messages(let frame):
      if let sender = turn.mesh.links.sender(link) { try messages.organ.receive(frame, body, from: sender, in: &turn) }
    }
  }
}

extension [UInt8] {
  /// Copies borrowed bytes.
  init(_ bytes: RawSpan) { self = unsafe bytes.withUnsafeBytes { unsafe Self($0) } }

  /// Appends borrowed bytes.
  package mutating func append(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }
}
