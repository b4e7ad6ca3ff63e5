import Glibc
import SharedWorld
import PeerCLI

extension Program {
  /// Carries out commands, one after the other.
  func follow(_ commands: CommandSource) async -> Ending? {
    switch commands {
    case .script(let lines):
      for line in lines where !Task.isCancelled {
        console.echo(line)
        guard let goesOn = await carryOut(line, inScript: true) else { return .failed }
        if !goesOn { break }
      }
      return .done
    case .standardInput: return await followStandardInput()
    case .terminal(let terminal): return await follow(terminal)
    }
  }

  private func followStandardInput() async -> Ending? {
    let reader = LineReader()
    let isTerminal = isatty(STDIN_FILENO) == 1
    while let line = await reader.next() {
      console.echo(line)
      if await carryOut(line, inScript: false) == false { break }
    }
    // A peer that nobody steers, with /dev/null for an input, runs until a signal.
    guard isTerminal || !Self.inputIsNull else { return nil }
    return hasFailed && !isTerminal ? .failed : .done
  }

  private static var inputIsNull: Bool {
    var input = stat()
    return fstat(STDIN_FILENO, &input) == 0 && input.st_mode & S_IFMT == S_IFCHR
  }

  /// Whether the next line is to be read; nil when this one failed in a script.
  func carryOut(_ line: String, inScript: Bool) async -> Bool? {
    let verb = line.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
    do {
      guard let command = try Command(line: line) else { return true }
      let answer = try await answer(to: command, inScript: inScript)
      console.say(.answer(command: verb, answer))
      return command != .quit
    } catch {
      guard !Task.isCancelled else { return false }
      let failure = ProgramFailure(error)
      console.say(failure, during: verb)
      if failure.code == Self.waitTimedOut { hasFailed = true }
      return inScript ? nil : true
    }
  }

  private func answer(to command: Command, inScript: Bool) async throws -> Report.Answer {
    switch command {
    case .peers: return await peers()
    case .nearby: return await nearby()
    case .link: return .link(try await session.peers.invitationLink())
    case .qr: return try .picture(of: await session.peers.invitationLink())
    case .host: return await host()
    case .links: return await links()
    case .send(let text, let audience, let mode): return try await send(text, to: audience, mode: mode)
    case .group(let act): return try await group(act)
    case .anchors: return .anchors(await session.world.anchors.map(pin))
    case .digest: return .digest(await session.world.digest.description)
    case .status: return await status()
    case .help(let word): return try .help(word)
    case .show(let columns): return await show(columns: columns, on: terminal)
    case .invite(let peer):
      if inScript { try await invite(peer) } else { errands.add { await self.inviteAside(peer) } }
      return .invited(peer)
    case .accept(let peer): try answer(peer, .accept)
    case .decline(let peer): try answer(peer, .decline(reason: "declined by the user"))
    case .confirm(let peer): try compare(peer, isSame: true)
    case .reject(let peer): try compare(peer, isSame: false)
    case .kick(let peer): try await session.peers.remove(try await member(peer))
    case .role(let peer, let role, let seconds):
      try await session.peers.setRole(role, of: try await member(peer), for: seconds.map { .seconds($0) })
    case .lockSession: try await session.peers.lock()
    case .unlockSession: try await session.peers.unlock()
    case .unlockPasscode: await session.peers.unlockPasscode()
    case .sendMap(let peer, let isForced): return try await sendMap(to: peer, isForced: isForced)
    case .cancelMap: return try await cancelMap()
    case .file(let act): return try await perform(act)
    case .relocalized(let isRelocalized): return try await relocalize(isRelocalized)
    case .relocalize(let path, let onlyIfMoved): return try await relocalize(path, onlyIfMoved: onlyIfMoved)
    case .touch(let name, let position): return try await touch(name, at: position)
    case .align(let peer): return try await align(with: try await member(peer))
    case .meet(let peer, let isTouching): return try await meet(try await member(peer), isTouching: isTouching)
    case .alignment: return await alignment()
    case .load(let path): return try await load(path)
    case .save(let path): return try await save(to: path)
    case .tap(let x, let y, let name): return try await tap([x, y], name: name)
    case .camera(let eye, let target): view.camera = PinholeCamera(eye: eye, target: target)
    case .place(let name, let position, let witness):
      return try await place(name, Transform(translation: position), witness)
    case .burst(let count, let rate, let name): return try await burst(of: count, rate: rate, name: name)
    case .move(let word, let position, let witness): try await move(try await anchor(word), to: position, witness)
    case .drag(let word, let position, let seconds): try await drag(try await anchor(word), to: position, in: seconds)
    case .pose(let at, let turn): try await session.world.updatePose(at.map { Transform(position: $0, heading: turn) })
    case .lock(let word, let seconds):
      _ = try await session.world.requestOwnership(of: try await anchor(word).id, lease: seconds.map { .seconds($0) })
    case .unlock(let word): try await session.world.releaseOwnership(of: try await anchor(word).id)
    case .give(let word, let peer):
      try await session.world.giveOwnership(of: try await anchor(word).id, to: try await member(peer))
    case .rename(let word, let name): try await rename(try await anchor(word), to: name)
    case .plane(let word, let extent): try await setPlane(try await anchor(word), extent)
    case .remove(let word, let witness):
      let anchor = try await anchor(word)
      history.record(.remove(anchor))
      try await session.remove(anchor.id, acknowledgement: Acknowledgement(witness))
    case .undo: try await perform(history.undo(), "there is nothing to undo")
    case .redo: try await perform(history.redo(), "there is nothing to redo")
    case .wait(let condition, let seconds): try await wait(for: condition, seconds: seconds)
    case .sleep(let seconds): try await Task.sleep(for: .seconds(seconds))
    case .leave:
      hasLeft = true
      await session.leave()
    case .quit: break
    }
    return .done
  }

  /// Makes an anchor a plane of this size; one that is a plane keeps what else is known of it, but for its outline.
  private func setPlane(_ anchor: Anchor, _ extent: SIMD2<Float>) async throws(SessionError) {
    var plane = Anchor.Plane(extent: extent)
    if case .plane(let present) = anchor.kind {
      (plane.alignment, plane.classification) = (present.alignment, present.classification)
    }
    try await session.world.setKind(.plane(plane), of: anchor.id)
  }

  private func host() async -> Report.Answer {
    let state = await session.state
    return .host(state.host.map(person), epoch: state.epoch)
  }

  private func move(_ anchor: Anchor, to position: SIMD3<Float>, _ witness: Command.Witness) async throws {
    var there = anchor.transform
    there.translation = position
    history.record(.move(anchor.id, from: anchor.transform, to: there))
    try await session.move(anchor.id, to: there, acknowledgement: Acknowledgement(witness))
  }

  private func rename(_ anchor: Anchor, to name: String) async throws(SessionError) {
    try await session.world.rename(anchor.id, to: name)
    history.record(.rename(anchor.id, from: anchor.name, to: name))
  }

  private func send(
    _ text: String, to audience: Command.Audience, mode: MessageMode
  ) async throws -> Report.Answer {
    let receivers: MessageAudience
    switch audience {
    case .all: receivers = .all
    case .peer(let word): receivers = .peer(try await member(word))
    case .group(let name): receivers = .group(name)
    }
    return .sent(try await session.send(Array(text.utf8), to: receivers, mode: mode).number)
  }

  private func group(_ act: Command.GroupAct) async throws -> Report.Answer {
    switch act {
    case .list: break
    case .join(let name): try await session.messages.join(group: name)
    case .leave(let name): try await session.messages.leave(group: name)
    }
    var memberships: [PeerID: [String]] = [:]
    for (group, members) in await session.messages.groups {
      for peer in members { memberships[peer, default: []].append(group) }
    }
    return .memberships(memberships.inOrder { $0.key < $1.key }.map { (person($0.key), $0.value.inOrder()) })
  }

  private func inviteAside(_ peer: String) async {
    do {
      try await invite(peer)
    } catch {
      guard !Task.isCancelled else { return }
      // The command itself was answered already.
      console.say(ProgramFailure(error), during: nil)
    }
  }

  private func peers() async -> Report.Answer {
    .peers(
      await session.state.peers.map {
        (person($0.peer), state: $0.state.rawValue, $0.recognition)
      })
  }

  private func status() async -> Report.Answer {
    let state = await session.state
    return .status(
      Report.Status(
        host: state.host.map(person), epoch: state.epoch, peers: state.connectedPeers, isLocked: state.isLocked,
        roster: roster(state), maps: stages(state), mapID: state.mapID?.description,
        points: state.mapID == nil ? view.map?.cloud.count ?? 0 : state.mapPoints, anchors: state.anchorCount,
        digest: await session.world.digest.description))
  }

  private func links() async -> Report.Answer {
    let statistics = await session.peers.statistics
    let links = statistics.links.map { link in
      Report.Link(
        peer: person(link.peer.id), roundTrip: link.roundTrip.map { $0 / .milliseconds(1) },
        bytesSent: Int(clamping: link.bytesSent), bytesReceived: Int(clamping: link.bytesReceived),
        queuedBytes: link.queuedBytes)
    }
    return .links(links, connections: statistics.connections.map { (person($0.one), person($0.other)) })
  }

  private func stages(_ state: Session.State) -> [Report.MapStage] {
    let others = state.peers.filter { $0.state == .connected }.map { ($0.peer, $0.map) }
    return (others + [(session.localPeer, state.mapStatus)]).inOrder { $0.0.id < $1.0.id }
      .map { Report.MapStage($0, $1) }
  }

  private func roster(_ state: Session.State) -> [Report.Person] {
    let peers = state.peers.filter { $0.state == .connected }.map(\.peer)
    return (peers + [session.localPeer]).inOrder { $0.id < $1.id }.map(Report.Person.init)
  }
}

extension Report.MapStage {
  /// How far a peer has come, in words.
  init(_ peer: Peer, _ status: MapStatus) {
    let person = Report.Person(peer)
    switch status.stage {
    case .none: self.init(peer: person, stage: "none", percent: 0)
    case .transferring(let percent): self.init(peer: person, stage: "transferring", percent: percent)
    case .received: self.init(peer: person, stage: "received", percent: 100)
    case .relocalized: self.init(peer: person, stage: "relocalized", percent: 100)
    case .claimed: self.init(peer: person, stage: "claimed", percent: 100)
    }
  }
}

// MARK: - Waiting

extension Program {
  static let waitTimedOut = "wait-timed-out"
  /// How often a condition is looked at: digests change without an event of their own.
  private static let interval = Duration.milliseconds(20)

  func wait(for condition: Command.Condition, seconds: Double) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      let (holds, now) = await check(condition)
      if holds { return }
      guard ContinuousClock.now < deadline else {
        throw ProgramFailure(Self.waitTimedOut, "after \(seconds) s: \(now)")
      }
      try await Task.sleep(for: Self.interval)
    }
  }

  /// Whether a condition holds, and what is there instead.
  private func check(_ condition: Command.Condition) async -> (holds: Bool, now: String) {
    switch condition {
    case .peers(let count):
      let peers = await session.state.connectedPeers
      return (count.holds(for: peers), "\(peers) peers are connected")
    case .host: return (await session.state.host != nil, "there is no host")
    case .map: return (await session.state.mapID != nil, "there is no map")
    case .anchors(let count):
      let anchors = await session.state.anchorCount
      return (count.holds(for: anchors), "there are \(anchors) anchors")
    case .anchor(let name):
      return (await session.world.anchors.contains { $0.name == name }, "there is no anchor '\(name)'")
    case .digest(let digits):
      let digest = await session.world.digest.description
      return (digest.hasPrefix(digits), "the digest is \(digest)")
    }
  }
}

extension Session.State {
  /// How many peers can be reached.
  var connectedPeers: Int { peers.count { $0.state == .connected } }
}
