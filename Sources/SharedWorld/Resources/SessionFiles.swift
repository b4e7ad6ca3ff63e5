public import PeerProtocol
public import WorldModel

extension Session.Files {
  /// Files that are offered, come and went: those of ``Session/events`` that are about this part, with the same bounds.
  public var events: Session.Events { Session.Events(hub: session.hub, part: .files) }

  /// Offers a file to some peers; each may accept or decline it, and those that accept it fetch it from each other too.
  ///
  /// The file is read a part at a time, once now and again while it is sent; if it changes meanwhile the resource fails with
  /// ``ResourceFailure/unreadable``. Every receiver has a result in the end, and ``Event/resourceSettled(_:_:)`` tells of
  /// each too.
  /// - Parameters:
  ///   - path: The file.
  ///   - name: The name that the receivers read, 1…255 bytes without control characters or bidirectional controls; nil is the last
  ///     part of the path, cleaned.
  ///   - peers: Members of the session, or peers about to become members.
  /// - Throws: ``SessionError`` with the code `io`, `invalid-argument`, `limit-exceeded`, `unknown-peer`, `would-block` (too many
  ///   resources to a receiver have not ended), `cancelled` or `ended`.
  public nonisolated(nonsending) func send(
    at path: String, named name: String? = nil, to peers: [PeerID]
  ) async throws(SessionError) -> ResourceTransfer {
    try await session.sendResource(at: path, named: name, to: peers)
  }

  /// Offers bytes to some peers, like ``Session/Files/send(at:named:to:)``.
  public nonisolated(nonsending) func send(
    _ bytes: [UInt8], named name: String, to peers: [PeerID]
  ) async throws(SessionError) -> ResourceTransfer {
    try await session.sendResource(bytes, named: name, to: peers)
  }

  /// Accepts an offer: ``Event/resourceProgress(_:)`` tells how far it is, and ``Event/resourceReceived(_:)`` or
  /// ``Event/resourceFailed(_:_:)`` how it ends.
  ///
  /// - Throws: ``SessionError`` with the code `disk-full` or `io` (the offer stands), `unknown-resource` when the offer has ended, or
  ///   `ended`.
  public nonisolated(nonsending) func accept(_ offer: ResourceOffer) async throws(SessionError) {
    try await session.accept(offer)
  }

  /// Declines an offer; nothing happens when it has ended.
  public nonisolated(nonsending) func decline(_ offer: ResourceOffer) async {
    await session.input(.answerResource(offer.id, accepts: false))
  }

  /// Takes back a resource of this peer that receivers do not have yet, or gives up one that is offered or fetched.
  ///
  /// The other side is told; nothing happens when it has ended.
  public nonisolated(nonsending) func cancel(_ id: ResourceID) async {
    await session.cancelResource(id)
  }

  /// Everything that is attached to the session, in the order of names.
  public nonisolated(nonsending) var attachments: [SessionAttachment] { get async { await session.attachments } }

  /// Attaches a file to the session: every member gets it by itself, and so does every later one, from a member that has it.
  ///
  /// It stands until it is detached, also after this peer has left; ``Session/Configuration/Limits/attachments`` and
  /// ``Session/Configuration/Limits/attachmentBytes`` of a member say how much comes to it by itself. The file must stay as it is: if it
  /// changes, this peer gives no more of it to others (``SessionAttachment/State/failed(_:)``).
  /// - Parameters:
  ///   - path: The file.
  ///   - name: The name that the others read, 1…255 bytes without control characters or bidirectional controls; nil is the last
  ///     part of the path, cleaned. Two attachments may have one name.
  /// - Throws: ``SessionError`` with the code `io`, `invalid-argument`, `limit-exceeded` (this peer has 16 that stand), `cancelled` or
  ///   `ended`.
  public nonisolated(nonsending) func attach(
    at path: String, named name: String? = nil
  ) async throws(SessionError) -> SessionAttachment {
    try await session.attach(at: path, named: name)
  }

  /// Attaches bytes to the session, like ``Session/Files/attach(at:named:)``.
  public nonisolated(nonsending) func attach(
    _ bytes: [UInt8], named name: String
  ) async throws(SessionError) -> SessionAttachment {
    try await session.attach(bytes, named: name)
  }

  /// Fetches an attachment that did not come by itself, or failed; nothing happens when it is here or on its way.
  ///
  /// - Throws: ``SessionError`` with the code `unknown-resource`, `io` or `ended`.
  public nonisolated(nonsending) func fetch(_ id: ResourceID) async throws(SessionError) {
    try await session.fetchAttachment(id)
  }

  /// Removes an attachment from the session, with the copies of all members; its author may, and the host.
  ///
  /// A member that is away removes it when it is back.
  /// - Throws: ``SessionError`` with the code `unknown-resource`, `not-host` or `ended`.
  public nonisolated(nonsending) func detach(_ id: ResourceID) async throws(SessionError) {
    _ = try await session.handle(.detach(id))
  }
}
