import SharedWorld
import PeerCLI

extension Viewer {
  /// The anchors a page shows; of more, the first in the order of their ids.
  static let shownAnchors = 5000

  /// Everything that a browser that is a member, or the program's own pages, show but for the points.
  func snapshot(for device: Device?, _ access: PageKey.Access) async -> JSON {
    let (state, lists) = await describeState(for: device, access)
    let members: JSON.Members = [
      "anchors": .array(lists.anchors.map(describe)), "filed": .array(lists.filed.map(describe)),
      "chat": .array(lists.chat.map(describe)),
    ]
    return .object(state + members)
  }

  /// The same for the pages of a browser that were told of some parts of the lists already: of those only what is new; nil for a
  /// browser that is no member any more.
  func snapshot(
    after told: ToldLists, for peer: PeerID?, _ access: PageKey.Access
  ) async -> (JSON, ToldLists)? {
    let device = peer.flatMap { devices[$0] }
    guard peer == nil || device?.author != nil else { return nil }
    let (state, lists) = await describeState(for: device, access)
    var told = told
    let id = { (anchor: AnchorID) in JSON.string(anchor.description) }
    let news: JSON.Members = [
      "anchors": told.anchors.tell(lists.anchors).json(describe, id),
      "filed": told.filed.tell(lists.filed).json(describe, id),
      "chat": told.chat.tell(lists.chat).json(describe, JSON.integer),
    ]
    return (.object(state + ["news": .object(news)]), told)
  }

  /// Everything but the points and the long lists, and the parts of those that a page shows.
  private func describeState(for device: Device?, _ access: PageKey.Access) async -> (JSON.Members, PageLists) {
    let author = device?.author ?? own
    await refreshScene()
    releaseAbandoned()
    let state = await session.state
    var peers = device == nil ? [] : [await describeProgram(to: author)]
    for peer in state.peers where peer.id != author.session.localPeer.id {
      let (alignment, role) = (await session.frames.alignment(of: peer.id), await session.peers.role(of: peer.id))
      peers.append(describe(peer.peer, Standing(peer), alignment, role))
    }
    // In the device's own world, where it has one.
    let anchors = await author.session.world.anchors
    let members: JSON.Members = [
      "me": describe(author.session.localPeer), "service": .string(options.peer.service),
      "port": .integer(Int(session.port)),
      "host": state.host.map { person($0.id) } ?? .null, "epoch": .integer(Int(state.epoch)),
      "peers": .array(peers), "map": describeMap(), "progress": progress.map(describe) ?? .null,
      "offer": offeredMap(state).map { describeOffer($0, state) } ?? .null,
      "gate": .optional(gate(state)), "candidates": describeCandidates(state),
      "asksForPasscode": .bool(trouble?.room != nil),
      "canUndo": .bool(author.edits.history.canUndo), "canRedo": .bool(author.edits.history.canRedo),
      "isDevice": .bool(device != nil), "isLooking": .bool(access == .looking),
      "frame": await describeFrame(of: author), "opened": .integer(pageKey.usedTokens),
      "log": .array(log.lines.map(JSON.string)),
      "anchorCount": .integer(anchors.count),
      "invitations": .array(desk.invitations.map(describe)), "codes": .array(codes.comparisons.map(describe)),
      "calls": describeCalls(state), "missed": .array(calls.missed.map(describe)),
      "colors": colors(of: state.peers.map(\.id) + anchors.compactMap(\.creator)),
      "digest": .string(await session.world.digest.description),
      "problem": .optional(trouble.flatMap { $0.isHint ? nil : $0.text }),
      "hint": .optional(trouble.flatMap { $0.isHint ? $0.text : nil }),
    ]
    let rights = await describeRights(of: author, state)
    let all = members + rights + (await live(for: author)) + describeCall()
    let filed = isShared ? [] : scene.map.anchors.prefix(Self.shownAnchors)
    return (all, PageLists(anchors: anchors.prefix(Self.shownAnchors), filed: filed, chat: people.talk.lines))
  }

  /// The numbers of the colors of peers, by their ids.
  private func colors(of peers: [PeerID]) -> JSON {
    let ids = [session.localPeer.id] + Set(peers).sorted()
    return .object(JSON.Members(ids.map { ($0.description, .integer(people.color(of: $0))) }))
  }

  func person(_ id: PeerID) -> JSON { describe(Peer(id: id, name: people.name(of: id))) }

  /// The program's own peer as a member sees it that is in this process.
  private func describeProgram(to author: Author) async -> JSON {
    let (peer, role) = (session.localPeer, await session.peers.role(of: session.localPeer.id))
    return describe(peer, Standing(), await author.session.frames.alignment(of: peer.id), role)
  }

  /// The session's map that the user is asked about, and who shares it where that is known.
  private func describeOffer(_ id: MapID, _ state: Session.State) -> JSON {
    let provider = receipt.flatMap { $0.mapID == id ? person($0.from.id) : nil }
    return ["id": .string(id.description), "points": .integer(state.mapPoints), "from": provider ?? .null]
  }

  private func describe(_ peer: Peer) -> JSON {
    ["id": .string(peer.id.description), "name": .string(peer.name)]
  }

  private func describe(_ invitation: Invitation) -> JSON {
    [
      "id": .string(invitation.peer.id.description), "name": .string(invitation.peer.name),
      "context": .string(invitation.plainContext),
      "recognition": .string(invitation.recognition.rawValue),
    ]
  }

  private func describe(_ comparison: CodeComparison) -> JSON {
    [
      "id": .string(comparison.peer.id.description), "name": .string(comparison.peer.name),
      "code": .string("\(comparison)"), "recognition": .string(comparison.recognition.rawValue),
    ]
  }

  /// How a peer stands to this one.
  private struct Standing {
    var state = PeerStatus.State.connected
    var isDirect = true
    var recognition = Recognition.known
    var map: MapStatus?
    var roundTrip: Duration?

    /// That of a peer in this process.
    init() {}

    init(_ status: PeerStatus) {
      (state, isDirect, recognition) = (status.state, status.isDirect, status.recognition)
      (map, roundTrip) = (status.map, status.roundTrip)
    }
  }

  private func describe(_ peer: Peer, _ standing: Standing, _ alignment: PeerAlignment, _ role: PeerRole?) -> JSON {
    var percent: Int?
    if case .transferring(let share)? = standing.map?.stage { percent = Int(share) }
    return [
      "id": .string(peer.id.description), "name": .string(peer.name),
      "state": .string(standing.state.rawValue), "isDirect": .bool(standing.isDirect),
      "recognition": .string(standing.recognition.rawValue), "map": .optional(standing.map.flatMap(Self.words)),
      "percent": percent.map(JSON.integer) ?? .null, "role": .optional(role?.rawValue),
      "alignment": describe(alignment),
      "roundTrip": standing.roundTrip.map { .number($0 / .milliseconds(1)) } ?? .null,
    ]
  }

  private func describe(_ alignment: PeerAlignment) -> JSON {
    [
      "state": .string(alignment.state.rawValue), "residual": .number(alignment.residual),
      "position": .number(alignment.position), "contradictions": .integer(alignment.contradictions),
    ]
  }

  private func describe(_ progress: Session.MapProgress) -> JSON {
    [
      "from": ["id": .string(progress.from.id.description), "name": .string(progress.from.name)],
      "verifiedBytes": .integer(progress.verifiedBytes),
      "totalBytes": .integer(progress.totalBytes),
    ]
  }

  /// How far a peer has come with the session's map, in words; nil without one.
  private static func words(_ status: MapStatus) -> String? {
    switch status.stage {
    case .none: nil
    case .transferring(let percent): "map \(percent) %"
    case .received: "has the map"
    case .relocalized: "in the map"
    case .claimed: "in the map, it says"
    }
  }

  func describe(_ anchor: Anchor) -> JSON {
    [
      "id": .string(anchor.id.description), "name": .string(anchor.name), "transform": Self.numbers(anchor.transform),
      "isPlane": .bool(Plane(anchor) != nil), "rim": Plane(anchor).map(Self.rim) ?? .null,
      "creator": anchor.creator.map(person) ?? .null,
    ]
  }

  /// The corners of a surface: x and z of each, along the anchor's axes (metres); none of one without end.
  private static func rim(_ plane: Plane) -> JSON {
    let half = (plane.extent ?? .zero) / 2
    let rectangle = plane.extent == nil ? [] : [-half, [half.x, -half.y], half, [-half.x, half.y]]
    let corners = plane.outline.count < 3 ? rectangle : plane.outline
    return .array(corners.flatMap { [JSON.single($0.x), JSON.single($0.y)] })
  }

  /// The device of a peer that shows where it is.
  func describeDevice(_ device: Anchor) -> JSON {
    [
      "id": .string(device.id.description), "name": .string(device.name), "transform": Self.numbers(device.transform),
      "peer": .optional(device.creator?.description),
    ]
  }

  /// The places at which users of others than a peer point.
  func describePointers(but own: PeerID) -> [JSON] {
    people.pointers.filter { $0.key != own }.sorted { $0.key < $1.key }.map { peer, place in
      [
        "id": .string("pointer \(peer)"), "name": .string(people.name(of: peer)), "transform": Self.numbers(place),
        "peer": .string(peer.description),
      ]
    }
  }

  /// Sixteen numbers, column by column.
  static func numbers(_ transform: Transform) -> JSON {
    let columns = transform.columns
    return .array(
      [columns.0, columns.1, columns.2, columns.3].flatMap { column in (0..<4).map { JSON.single(column[$0]) } })
  }

  // MARK: Peers

  /// The invitations of this peer that nobody has answered: those of the page's users, and those that the session repeats.
  func describeCalls(_ state: Session.State) -> JSON {
    var asked = state.inviting
    var calls: [(call: Calls.Call, peer: Peer?)] = calls.open.map { call in
      let key = call.target.link?.peer ?? state.candidates.first { $0.id == call.target.candidate }?.likelyPeer
      guard let index = asked.firstIndex(where: { $0.id == key }) else { return (call, nil) }
      return (call, asked.remove(at: index))
    }
    // An address names no peer: whose it is can be told where one alone is left.
    if let index = calls.firstIndex(where: { $0.peer == nil }), calls.count(where: { $0.peer == nil }) == 1,
      asked.count == 1
    {
      calls[index].peer = asked.removeFirst()
    }
    return .array(
      calls.map { call, peer in
        [
          "number": .integer(call.number), "target": .string(call.name), "name": .optional(peer?.name),
          "id": .string("call \(call.number)"),
        ]
      }
        + asked.map { peer in
          ["number": .null, "target": .null, "name": .string(peer.name), "id": .string(peer.id.description)]
        })
  }

  /// The services in sight that are not in the session.
  func describeCandidates(_ state: Session.State) -> JSON {
    let members = Set(state.peers.map(\.id)).union([session.localPeer.id])
    let strangers = state.candidates.filter { candidate in
      !(candidate.likelyPeer.map(members.contains) ?? false)
    }
    return .array(
      strangers.map { candidate in
        [
          "id": .string(candidate.id), "name": .string(candidate.seenBefore?.name ?? candidate.name ?? candidate.id),
          "isKnown": .bool(candidate.seenBefore != nil), "standing": .string(candidate.standing.rawValue),
          "asksForPasscode": .bool(candidate.asksForPasscode),
        ]
      })
  }

  /// The rights of this peer over members, and the role of who asks.
  func describeRights(of author: Author, _ state: Session.State) async -> JSON.Members {
    let role = await session.peers.role(of: session.localPeer.id)
    let shown = await session.peers.role(of: author.session.localPeer.id)
    let isOwned = await session.peers.creator != nil
    let rules = role == .creator || role == .moderator
    return [
      "isOwned": .bool(isOwned), "isLocked": .bool(state.isLocked), "role": .optional(shown?.rawValue),
      "mayRule": .bool(isOwned ? rules : state.host?.id == session.localPeer.id),
      "isPasscodeClosed": .bool(trouble?.isPasscodeClosed == true),
    ]
  }
}
