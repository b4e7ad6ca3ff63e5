import Glibc
import PeerProtocol
import PeerTransport
import WorldModel

extension Session {
  /// Offers a file to some peers; each may accept or decline it, and those that accept it fetch it from each other too.
  func sendResource(
    at path: String, named name: String? = nil, to peers: [PeerID]
  ) async throws(SessionError) -> ResourceTransfer {
    try await offer(try Self.open(path), named: name ?? Self.name(of: path), to: peers)
  }

  /// Offers bytes to some peers, like ``Session/Files/send(at:named:to:)``.
  func sendResource(
    _ bytes: [UInt8], named name: String, to peers: [PeerID]
  ) async throws(SessionError) -> ResourceTransfer {
    try await offer(.bytes(bytes), named: name, to: peers)
  }

  /// Accepts an offer: ``Event/resourceProgress(_:)`` tells how far it is, and ``Event/resourceReceived(_:)`` or
  /// ``Event/resourceFailed(_:_:)`` how it ends.
  func accept(_ offer: ResourceOffer) async throws(SessionError) {
    try requireRunning()
    let folder = try resourceFolder()
    let file = try await Self.make(offer, in: folder)
    resources.keep(file, for: offer.id)
    do throws(SessionError) {
      try handle(.answerResource(offer.id, accepts: true))
    } catch {
      resources.drop(offer.id)
      throw error
    }
  }

  /// Takes back a resource of this peer that receivers do not have yet, or gives up one that is offered or fetched.
  func cancelResource(_ id: ResourceID) {
    let isOwn = resources.sources[id] != nil
    input(.endResource(id, isOwn ? .withdrawn : .cancelled))
  }

  private func offer(
    _ source: ResourceSource, named name: String, to peers: [PeerID]
  ) async throws(SessionError) -> ResourceTransfer {
    try Self.check(name: name)
    guard !peers.isEmpty else { throw SessionError(.invalidArgument, "a resource has at least one receiver") }
    let names = try await Self.names(of: source)
    let answer = try handle(.offerResource(ResourcePackage(name: name, names: names), to: peers))
    guard case .offered(let id) = answer else { throw .sessionEnded }
    return resources.follow(id, source)
  }

  private nonisolated static func check(name: String) throws(SessionError) {
    guard !ResourceName.allows(name) else { return }
    throw SessionError(
      .invalidArgument,
      "the name of a resource has 1 to \(ResourceName.limit) bytes, without control or bidirectional characters")
  }

  /// The name of a file for others.
  private nonisolated static func name(of path: String) -> String {
    ResourceName.cleaned(path.split(separator: "/").last.map(String.init) ?? path)
  }

  private nonisolated static func open(_ path: String) throws(SessionError) -> ResourceSource {
    // A named pipe must not hold up the session.
    guard let file = ResourceFile(descriptor: Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) else {
      throw SessionError.system("read \(path)")
    }
    guard file.size != nil else { throw SessionError(.invalidArgument, "\(path) is not a file") }
    return .file(file)
  }

  @concurrent
  private nonisolated static func names(of source: ResourceSource) async throws(SessionError) -> [ChunkName] {
    try source.names()
  }

  @concurrent
  private nonisolated static func make(
    _ offer: ResourceOffer, in folder: ResourceFolder
  ) async throws(SessionError) -> ResourceFile {
    try folder.make(offer.id, size: offer.size)
  }

  private func resourceFolder() throws(SessionError) -> ResourceFolder {
    if let folder = resources.folder { return folder }
    let parent = configuration.storage.resourceFolder ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let folder = try ResourceFolder(in: parent, opening: configuration.storage.resourceOpening)
    resources.folder = folder
    return folder
  }
}

// MARK: - The node

extension Session {
  /// Reads a chunk of a resource beside the event loop.
  func load(_ load: ChunkLoad) {
    guard let source = resources.sources[ResourceID(load.content)] else { return input(.chunkLoaded(load, nil)) }
    let added = jobs.add { [weak self] in
      let chunk = source.chunk(load)
      await self?.input(.chunkLoaded(load, chunk))
    }
    if !added { input(.chunkLoaded(load, source.chunk(load))) }
  }

  /// Proves a chunk of a resource and writes it, beside the event loop.
  func write(_ check: ChunkCheck, to file: ResourceFile) {
    let added = jobs.add { [weak self] in
      let answer = Self.write(check, to: file)
      await self?.input(answer)
    }
    if !added { input(Self.write(check, to: file)) }
  }

  private nonisolated static func write(_ check: ChunkCheck, to file: ResourceFile) -> Input {
    do throws(ChunkFailure) {
      let raw = try check.proven()
      do throws(ResourceFailure) {
        try file.write(raw, at: check.offset)
      } catch {
        return .endResource(ResourceID(check.content), error)
      }
      return .chunkChecked(ChunkVerdict(check: check, failure: nil))
    } catch {
      return .chunkChecked(ChunkVerdict(check: check, failure: error))
    }
  }

  /// Tells the app, and who follows an offer, what the node says of resources.
  func take(_ news: ResourceNews, into events: inout [Event]) {
    switch news {
    case .offered(let offered): events.append(.resourceOffered(offer(offered)))
    case .progress(let advance):
      let progress = ResourceProgress(advance, with: peer(advance.peer))
      if progress.direction == .sending { resources.tell(progress.id, .progress(progress)) }
      events.append(.resourceProgress(progress))
    case .received(let offered):
      if let receipt = resources.received(offer(offered)) { events.append(.resourceReceived(receipt)) }
    case .failed(let offered, let failure):
      resources.drop(offered.id)
      // An app that declines an offer knows it.
      if failure != .declined { events.append(.resourceFailed(offer(offered), failure)) }
    case .settled(let advance, let failure):
      let receiver = peer(advance.peer)
      let progress = ResourceProgress(advance, with: receiver)
      resources.tell(progress.id, failure.map { .failed(receiver, $0) } ?? .received(receiver))
      events.append(.resourceSettled(progress, failure))
    case .attachment(let offered, let stage): take(offer(offered), stage, into: &events)
    case .released(let id): resources.release(id)
    }
  }

  private func offer(_ offered: OfferedResource) -> ResourceOffer { ResourceOffer(offered, from: peer(offered.from)) }
}

// MARK: - Attachments

extension Session {
  /// Everything that is attached to the session, in the order of names.
  var attachments: [SessionAttachment] {
    let attachments = resources.attachments.values.inOrder { ($0.name, $0.id) < ($1.name, $1.id) }
    // An author may have told its name after its attachment was listed.
    return attachments.map { $0.attached(by: peer($0.author.id)) }
  }

  /// Attaches a file to the session: every member gets it by itself, and so does every later one, from a member that has it.
  func attach(at path: String, named name: String? = nil) async throws(SessionError) -> SessionAttachment {
    try await attach(try Self.open(path), named: name ?? Self.name(of: path), path: path)
  }

  /// Attaches bytes to the session, like ``Session/Files/attach(at:named:)``.
  func attach(_ bytes: [UInt8], named name: String) async throws(SessionError) -> SessionAttachment {
    try await attach(.bytes(bytes), named: name, path: nil)
  }

  /// Fetches an attachment that did not come by itself, or failed; nothing happens when it is here or on its way.
  func fetchAttachment(_ id: ResourceID) throws(SessionError) {
    try requireRunning()
    guard let attachment = resources.attachments[id] else {
      throw SessionError(.unknownResource, "there is no such attachment")
    }
    guard !attachment.takesRoom else { return }
    hub.publish([try beginFetching(attachment)])
  }

  private func attach(
    _ source: ResourceSource, named name: String, path: String?
  ) async throws(SessionError) -> SessionAttachment {
    try Self.check(name: name)
    let names = try await Self.names(of: source)
    let answer = try handle(.attach(ResourcePackage(name: name, names: names)))
    guard case .offered(let id) = answer else { throw .sessionEnded }
    let size = names.reduce(0) { $0 + $1.size }
    let offer = ResourceOffer(id: id, from: localPeer, name: name, size: size)
    let attachment = SessionAttachment(offer, .here, path: path)
    resources.attach(attachment, source)
    hub.publish([.attachmentChanged(attachment)])
    return attachment
  }

  /// Tells the app what the node says of attachments, and fetches those for which there is room.
  func take(_ offer: ResourceOffer, _ stage: AttachmentStage, into events: inout [Event]) {
    switch stage {
    case .listed:
      let attachment = SessionAttachment(offer, .listed)
      resources.set(attachment)
      guard hasRoom(for: attachment) else { return events.append(.attachmentChanged(attachment)) }
      do throws(SessionError) {
        events.append(try beginFetching(attachment))
      } catch {
        events.append(set(attachment, .failed(error.code == .diskFull ? .diskFull : .unwritable)))
      }
    case .here:
      let path = resources.received(offer)?.path
      events.append(set(SessionAttachment(offer, .listed), .here, path: path))
    case .failed(let failure):
      resources.forget(offer.id)
      events.append(set(SessionAttachment(offer, .listed), .failed(failure)))
    case .removed:
      resources.forget(offer.id)
      resources.unlist(offer.id)
      events.append(.attachmentChanged(SessionAttachment(offer, .removed)))
    }
  }

  /// Whether an attachment of another peer is fetched unasked.
  private func hasRoom(for attachment: SessionAttachment) -> Bool {
    let others = resources.attachments.values.filter { $0.author.id != localPeer.id && $0.takesRoom }
    let bytes = others.reduce(0) { $0 + $1.size }
    return others.count < configuration.limits.attachments
      && attachment.size <= configuration.limits.attachmentBytes - bytes
  }

  private func set(_ attachment: SessionAttachment, _ state: SessionAttachment.State, path: String? = nil) -> Event {
    var changed = attachment
    (changed.state, changed.path) = (state, path)
    resources.set(changed)
    return .attachmentChanged(changed)
  }

  /// Makes the file of an attachment beside the event loop, and has it fetched then.
  private func beginFetching(_ attachment: SessionAttachment) throws(SessionError) -> Event {
    let folder = try resourceFolder()
    let offer = attachment.offer
    let added = jobs.add { [weak self] in
      let made = Self.makeFresh(offer, in: folder)
      await self?.fetch(offer, made, in: folder)
    }
    guard added else { throw SessionError(.io, "too much work is waiting; try again") }
    return set(attachment, .fetching)
  }

  private nonisolated static func makeFresh(
    _ offer: ResourceOffer, in folder: ResourceFolder
  ) -> Result<ResourceFile, SessionError> {
    do throws(SessionError) {
      // An earlier attempt may have left a file.
      folder.remove(offer.id)
      return .success(try folder.make(offer.id, size: offer.size))
    } catch {
      return .failure(error)
    }
  }

  private func fetch(_ offer: ResourceOffer, _ made: Result<ResourceFile, SessionError>, in folder: ResourceFolder) {
    guard let attachment = resources.attachments[offer.id], attachment.state == .fetching else {
      return folder.remove(offer.id)
    }
    switch made {
    case .success(let file):
      resources.keep(file, for: offer.id)
      input(.answerResource(offer.id, accepts: true))
    case .failure(let error):
      hub.publish([set(attachment, .failed(error.code == .diskFull ? .diskFull : .unwritable))])
    }
  }
}
