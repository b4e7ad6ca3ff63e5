import PeerProtocol
import WorldModel

/// A session's part in resources: the bytes that are offered, those that arrive, and who follows the offers.
struct ResourceDesk {
  /// The bytes of what this peer offers, and of what it has received and gives on.
  private(set) var sources: Table<ResourceID, ResourceSource> = [:]
  /// The files of what is fetched.
  private var files: Table<ResourceID, ResourceFile> = [:]
  /// Resources whose files were made here, moved by the app or not.
  private var made: KeySet<ResourceID> = []
  /// The attachments of the session.
  private(set) var attachments: Table<ResourceID, SessionAttachment> = [:]
  private var followers: Table<ResourceID, AsyncStream<ResourceTransfer.Update>.Continuation> = [:]
  /// Nil before the first offer was accepted.
  var folder: ResourceFolder?

  // MARK: Sending

  /// Keeps the bytes of an offer, and follows what becomes of it.
  mutating func follow(_ id: ResourceID, _ source: ResourceSource) -> ResourceTransfer {
    sources[id] = source
    // Bounded by what receivers tell: some hundred words each.
    let (stream, continuation) = AsyncStream.makeStream(of: ResourceTransfer.Update.self)
    followers[id] = continuation
    return ResourceTransfer(id: id, updates: stream)
  }

  /// Tells the follower of an offer.
  func tell(_ id: ResourceID, _ update: ResourceTransfer.Update) { followers[id]?.yield(update) }

  /// The bytes of a resource are not read any more.
  mutating func release(_ id: ResourceID) {
    sources[id] = nil
    followers.removeValue(forKey: id)?.finish()
  }

  // MARK: Receiving

  /// Keeps the file of an offer that is about to be accepted.
  mutating func keep(_ file: ResourceFile, for id: ResourceID) {
    files[id] = file
    made.insert(id)
  }

  /// The file to which the chunks of a content belong; nil when it is no resource that is fetched.
  func file(of content: ContentID) -> ResourceFile? {
    content.family == .resource && !files.isEmpty ? files[ResourceID(content)] : nil
  }

  /// All of a resource is here; where its file is.
  mutating func received(_ offer: ResourceOffer) -> ResourceReceipt? {
    guard let file = files.removeValue(forKey: offer.id), let folder else { return nil }
    sources[offer.id] = .file(file)
    return ResourceReceipt(offer: offer, path: folder.path(of: offer.id))
  }

  /// Removes what has come of a resource.
  mutating func drop(_ id: ResourceID) {
    guard files.removeValue(forKey: id) != nil else { return }
    folder?.remove(id)
    made.remove(id)
  }

  // MARK: Attachments

  /// Keeps the bytes of this peer's own attachment.
  mutating func attach(_ attachment: SessionAttachment, _ source: ResourceSource) {
    attachments[attachment.id] = attachment
    sources[attachment.id] = source
  }

  /// Records how far an attachment is.
  mutating func set(_ attachment: SessionAttachment) { attachments[attachment.id] = attachment }

  /// Records that an attachment was removed.
  mutating func unlist(_ id: ResourceID) { attachments[id] = nil }

  /// Removes all bytes of an attachment but those of a file that this peer attached.
  mutating func forget(_ id: ResourceID) {
    files[id] = nil
    sources[id] = nil
    if made.remove(id) != nil { folder?.remove(id) }
  }

  /// Ends everything, and removes what the app has not moved.
  mutating func endAll() {
    for follower in followers.values { follower.finish() }
    followers = [:]
    sources = [:]
    files = [:]
    attachments = [:]
    folder?.remove(Array(made))
    folder = nil
  }
}
