import Glibc
public import PeerProtocol
import PeerTransport
public import WorldModel

extension Session {
  /// Offers a file to some peers; each may accept or decline it, and those that accept it fetch it from each other too.
  ///
  /// The file is read a part at a time, once now and again while it is sent; if it changes meanwhile the resource fails with
  /// ``ResourceFailure/unreadable``. Every receiver has a result in the end, and ``Event/resourceSettled(_:receiver:_:)`` tells of
  /// each too.
  /// - Parameters:
  ///   - path: The file.
  ///   - name: The name that the receivers read, 1…255 bytes without control characters or bidirectional controls; nil is the last
  ///     part of the path, cleaned.
  ///   - peers: Members of the session, or peers about to become members.
  /// - Throws: ``SessionError`` with the code `io`, `invalid-argument`, `limit-exceeded`, `unknown-peer`, `would-block` (too many
  ///   resources to a receiver have not ended), `cancelled` or `ended`.
  public func sendResource(
    at path: String, named name: String? = nil, to peers: [PeerID]
  ) async throws(SessionError) -> ResourceTransfer {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    return try await offer(try Self.open(path), named: name ?? ResourceName.cleaned(last), to: peers)
  }

  /// Offers bytes to some peers, like ``sendResource(at:named:to:)``.
  public func sendResource(
    _ bytes: [UInt8], named name: String, to peers: [PeerID]
  ) async throws(SessionError) -> ResourceTransfer {
    try await offer(.bytes(bytes), named: name, to: peers)
  }

  /// Accepts an offer: ``Event/resourceProgress(_:)`` tells how far it is, and ``Event/resourceReceived(_:)`` or
  /// ``Event/resourceFailed(_:_:)`` how it ends.
  ///
  /// - Throws: ``SessionError`` with the code `disk-full` or `io` (the offer stands), `unknown-resource` when the offer has ended, or
  ///   `ended`.
  public func accept(_ offer: ResourceOffer) async throws(SessionError) {
    let folder = try resourceFolder()
    let file = try await Self.make(offer, in: folder)
    waits.resources.keep(file, for: offer.id)
    do throws(SessionError) {
      try handle(.answerResource(offer.id, accepts: true))
    } catch {
      waits.resources.drop(offer.id)
      throw error
    }
  }

  /// Declines an offer; nothing happens when it has ended.
  public func decline(_ offer: ResourceOffer) { input(.answerResource(offer.id, accepts: false)) }

  /// Takes back a resource of this peer that receivers do not have yet, or gives up one that is offered or fetched.
  ///
  /// The other side is told; nothing happens when it has ended.
  public func cancelResource(_ id: ResourceID) {
    let isOwn = waits.resources.sources[id] != nil
    input(.endResource(id, isOwn ? .withdrawn : .cancelled))
  }

  private func offer(
    _ source: ResourceSource, named name: String, to peers: [PeerID]
  ) async throws(SessionError) -> ResourceTransfer {
    guard ResourceName.allows(name) else {
      throw SessionError(
        .invalidArgument,
        "the name of a resource has 1 to \(ResourceName.limit) bytes, without control or bidirectional characters")
    }
    guard !peers.isEmpty else { throw SessionError(.invalidArgument, "a resource has at least one receiver") }
    let names = try await Self.names(of: source)
    let answer = try handle(.offerResource(ResourcePackage(name: name, names: names), to: peers))
    guard case .offered(let id) = answer else { throw SessionError(.ended, "the session has ended; start a new one") }
    return waits.resources.follow(id, source)
  }

  private nonisolated static func open(_ path: String) throws(SessionError) -> ResourceSource {
    // A named pipe must not hold up the session.
    guard let file = ResourceFile(descriptor: Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) else {
      throw SessionError(.io, "cannot read \(path): \(String(cString: strerror(errno)))")
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
    if let folder = waits.resources.folder { return folder }
    let parent = configuration.resourceFolder ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let folder = try ResourceFolder(in: parent, opening: configuration.resourceOpening)
    waits.resources.folder = folder
    return folder
  }
}

// MARK: - The node

extension Session {
  /// Reads a chunk of a resource beside the event loop.
  func load(_ load: ChunkLoad) {
    guard let source = waits.resources.sources[ResourceID(load.content)] else { return input(.chunkLoaded(load, nil)) }
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
    case .offered(let offer): events.append(.resourceOffered(offer))
    case .progress(let progress):
      if progress.direction == .sending { waits.resources.tell(progress.id, .progress(progress)) }
      events.append(.resourceProgress(progress))
    case .received(let offer):
      if let receipt = waits.resources.received(offer) { events.append(.resourceReceived(receipt)) }
    case .failed(let offer, let failure):
      waits.resources.drop(offer.id)
      // Who declines an offer knows it.
      if failure != .declined { events.append(.resourceFailed(offer, failure)) }
    case .settled(let id, let receiver, let failure):
      waits.resources.tell(id, failure.map { .failed(receiver, $0) } ?? .received(receiver))
      events.append(.resourceSettled(id, receiver: receiver, failure))
    case .released(let id): waits.resources.release(id)
    }
  }
}
