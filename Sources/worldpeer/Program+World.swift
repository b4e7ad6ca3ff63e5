import SharedWorld
import WorldFormats
import PeerCLI

extension Program {
  /// Brings the shared map into view if it is another one than before.
  func refreshView() async {
    guard let id = await session.state.mapID, id != view.sharedID, let map = await session.maps.latest() else {
      return
    }
    guard options.frame != nil else { return view.show(map, id: id) }
    // In the own frame the map has a place once that is aligned.
    guard let motion = await session.frames.alignmentOfShared.transform, let seen = try? map.transformed(by: motion)
    else { return }
    view.show(seen, id: id)
  }

  /// Shares the map in view; one in which nobody would find a place only where that is asked for.
  func sendMap(to word: String?, isForced: Bool) async throws -> Report.Answer {
    await refreshView()
    guard let seen = view.map else { throw ProgramFailure("no-map", "there is no map; load one first") }
    if !isForced { try Self.checkUse(of: seen) }
    // The session's map is in the shared frame, which is that of the files.
    let map = try options.origin.map { try seen.transformed(by: $0) } ?? seen
    var receiver: PeerID?
    if let word { receiver = try await member(word) }
    let id = try await session.share(map, with: receiver)
    view.noteShared(id)
    maps.sent = id
    let receivers = await session.state.peers.map(\.peer).filter { receiver == nil || $0.id == receiver }
    return .map(map, id: id.description, file: nil, to: receivers.map(\.name))
  }

  /// Refuses a map in which nobody would find a place.
  private static func checkUse(of map: WorldMap) throws(ProgramFailure) {
    // Without points it is a list of anchors, for devices that know where they are.
    guard map.cloud.count > 0 else { return }
    let status = map.mappingStatus
    guard !status.allowsSharing else { return }
    throw ProgramFailure(
      "\(SessionError.Code.mapNotReady)",
      "nobody would find a place in this map (\(status)); load a denser one, or type send-map --force")
  }

  /// Stops what is being fetched: the session's map, or one that is for this peer alone.
  func cancelMap() async throws -> Report.Answer {
    var fetched = maps.arriving
    let status = await session.state.mapStatus
    if case .transferring = status.stage { fetched = status.mapID }
    guard let id = fetched else { throw ProgramFailure("no-map", "no map is on its way here") }
    maps.arriving = nil
    await session.maps.cancel(id)
    return .cancelled(mapID: id.description)
  }

  /// Tells the others whether this peer knows where it is in the session's map.
  func relocalize(_ isRelocalized: Bool) async throws -> Report.Answer {
    guard let id = await session.state.mapID else {
      throw ProgramFailure("no-map", "the session has no map here yet")
    }
    await session.frames.setRelocalized(isRelocalized)
    return .relocalized(isRelocalized, mapID: id.description)
  }

  /// How the frames of all other peers lie in this one's.
  func alignment() async -> Report.Answer {
    var list: [Report.Alignment] = []
    for status in await session.state.peers {
      list.append(Report.Alignment(person(status.peer.id), await session.frames.alignment(of: status.peer.id)))
    }
    return .alignment(list)
  }

  func touch(_ name: String, at position: SIMD3<Float>) async throws -> Report.Answer {
    let found = try await session.frames.touch(name, at: position)
    return .alignment(found.inOrder { $0.key < $1.key }.map { Report.Alignment(person($0.key), $0.value) })
  }

  /// The devices of two peers are held together at this moment.
  func meet(_ peer: PeerID, isTouching: Bool) async throws -> Report.Answer {
    let hold: FrameFit.Hold = isTouching ? .touching : .together
    return .alignment([Report.Alignment(person(peer), try await session.frames.meet(peer, hold: hold))])
  }

  /// Lines this peer's frame up with that of another one by what is known, the surest first.
  func align(with peer: PeerID) async throws -> Report.Answer {
    var reasons: [String] = []
    do throws(SessionError) {
      let alignment = try await session.frames.align(by: TouchedPoints(with: peer))
      return .aligned(by: "touches", Report.Alignment(person(peer), alignment))
    } catch {
      reasons.append("touches: \(error.message)")
    }
    do {
      return .aligned(by: "map", Report.Alignment(person(peer), try await relocalizeScan(toward: peer)))
    } catch let error as SessionError {
      reasons.append("map: \(error.message)")
    }
    do throws(SessionError) {
      return .aligned(by: "meeting", Report.Alignment(person(peer), try await session.frames.meet(peer)))
    } catch {
      reasons.append("meeting: \(error.message)")
    }
    throw ProgramFailure(SessionError.Code.notDetermined.description, reasons.joined(separator: "; "))
  }

  /// Finds the loaded scan in the session's map; a peer whose frame is lined up with the map's is then too.
  private func relocalizeScan(toward peer: PeerID) async throws -> PeerAlignment {
    guard let scan = view.map, view.sharedID == nil else {
      throw SessionError(.notDetermined, "load a scan of this place")
    }
    try await session.frames.relocalize(scan.cloud)
    let alignment = await session.frames.alignment(of: peer)
    guard alignment.state == .aligned else {
      throw SessionError(.notDetermined, "\(person(peer).name) has not found its place in the map")
    }
    return alignment
  }

  /// Finds a scan in the session's map; the file is moved into the frame of `--frame`, as if this device had scanned it.
  ///
  /// `onlyIfMoved`: nothing changes as long as the scan fits the frame as it lies.
  func relocalize(_ path: String, onlyIfMoved: Bool) async throws -> Report.Answer {
    let scan = try await seenHere(try await Self.read(path).map)
    let shared =
      onlyIfMoved
      ? try await session.frames.keepAligned(by: MapScan(scan.cloud)).alignment
      : try await session.frames.relocalize(scan.cloud)
    return .alignment([Report.Alignment(Report.Person(id: "", name: "the map"), shared)])
  }

  /// A map of a file as this peer sees it in the frame of `--frame`.
  private func seenHere(_ map: WorldMap) async throws -> WorldMap {
    guard let origin = options.origin else { return map }
    return try map.transformed(by: origin.inverse)
  }

  /// Brings the map of a file of any format into view.
  func load(_ path: String) async throws -> Report.Answer {
    let input = try await Self.read(path)
    if let warning = input.warning(about: path) { console.complain(warning) }
    let map = try await seenHere(input.map)
    view.show(map)
    return .map(map, id: nil, file: path)
  }

  @concurrent
  private static func read(_ path: String) async throws(ProgramFailure) -> MapInput { try MapInput(path) }

  func save(to path: String) async throws -> Report.Answer {
    if let format = path.fileExtension.flatMap({ MapFormat(fileExtension: $0) }), format != .worldMap {
      // Its name would promise another format, which has no room for anchors.
      throw ProgramFailure.usage("\(path): 'save' writes .worldmap files; 'worldmap convert' makes others of them")
    }
    await refreshView()
    let map = (view.map ?? WorldMap()).saved(with: await session.world.anchors, isUnsent: view.isUnsent)
    try map.write(toFile: path)
    return .map(map, id: nil, file: path)
  }

  func tap(_ screen: SIMD2<Float>, name: String?) async throws -> Report.Answer {
    await refreshView()
    // Planes that peers have moved or added count, not those of the file.
    guard let hit = view.hit(at: screen, among: await session.world.anchors) else {
      let why = view.map == nil ? "there is no map yet" : "there is nothing at \(screen.x) \(screen.y)"
      throw ProgramFailure("no-hit", why)
    }
    if name == nil { tapsWithoutName += 1 }
    return try await place(name ?? "\(options.peer.name) \(tapsWithoutName)", hit.transform)
  }

  func place(
    _ name: String, _ transform: Transform, _ witness: Command.Witness = .local
  ) async throws -> Report.Answer {
    let anchor = Anchor(name: name, transform: transform)
    history.record(.place(anchor))
    let id = try await session.place(anchor, acknowledgement: Acknowledgement(witness))
    return .placed(id: id.description, position: transform.translation)
  }

  /// Moves an anchor there in a straight line, sixty poses a second.
  func drag(_ anchor: Anchor, to target: SIMD3<Float>, in seconds: Double) async throws {
    let drag = try await session.world.beginDrag(anchor.id)
    let start = ContinuousClock.now
    let steps = max(1, Int(seconds * 60))
    var transform = anchor.transform
    for step in 1...steps {
      let part = Float(step) / Float(steps)
      transform.translation = anchor.transform.translation * (1 - part) + target * part
      try await drag.update(to: transform)
      try await Task.sleep(until: start + .seconds(seconds * Double(step) / Double(steps)), tolerance: .zero)
    }
    try await drag.end()
    history.record(.move(anchor.id, from: anchor.transform, to: transform))
  }

  /// Carries out a step of the history, if there is one.
  func perform(_ step: UndoHistory.Step?, _ why: String) async throws {
    guard let step else { throw ProgramFailure("nothing-to-undo", why) }
    try await session.world.perform(step)
  }

  /// Places anchors at a steady pace; the answer has the time of each.
  func burst(of count: Int, rate: Double, name: String) async throws -> Report.Answer {
    let start = ContinuousClock.now
    var placed: [(id: String, clock: Double)] = []
    for number in 1...count {
      try await Task.sleep(until: start + .seconds(Double(number - 1) / rate), tolerance: .zero)
      let clock = MachineClock.seconds
      let id = try await session.place(Anchor(name: "\(name) \(number)", transform: .identity))
      placed.append((id.description, clock))
    }
    return .burst(placed)
  }

  func anchor(_ word: String) async throws -> Anchor {
    switch Lookup.find(word, in: await session.world.anchors, by: { [$0.id.description, $0.name] }) {
    case .found(let anchor): return anchor
    case .several(let count):
      throw ProgramFailure("ambiguous", "'\(word)' can mean \(count) anchors; give more of the id")
    case .nothing: throw ProgramFailure("unknown-anchor", "there is no anchor '\(word)'")
    }
  }

  func member(_ word: String) async throws -> PeerID {
    let peers = await session.state.peers.map(\.peer)
    switch Lookup.find(word, in: peers, by: { [$0.id.description, $0.name] }) {
    case .found(let peer): return peer.id
    case .several(let count):
      throw ProgramFailure("ambiguous", "'\(word)' can mean \(count) peers; give more of the id")
    case .nothing: throw ProgramFailure("unknown-peer", "no peer '\(word)' is in the session")
    }
  }
}
