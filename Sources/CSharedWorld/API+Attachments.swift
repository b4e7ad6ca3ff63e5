public import CSharedWorldHeaders
import SharedWorld

extension SessionAttachment.State {
  /// Its number in C.
  var number: UInt32 {
    switch self {
    case .listed: UInt32(SW_ATTACHMENT_LISTED)
    case .fetching: UInt32(SW_ATTACHMENT_FETCHING)
    case .here: UInt32(SW_ATTACHMENT_HERE)
    case .failed: UInt32(SW_ATTACHMENT_FAILED)
    case .removed: UInt32(SW_ATTACHMENT_REMOVED)
    }
  }

  /// Why it did not come; nil for the other states.
  var failure: ResourceFailure? { if case .failed(let failure) = self { failure } else { nil } }
}

extension sw_attachment {
  /// An attachment as C sees it; its texts must be freed.
  init(_ attachment: SessionAttachment) {
    self.init()
    id = sw_digest(copying: attachment.id.digest.bytes)
    author = sw_peer_id(copying: attachment.author.id.bytes)
    name = UnsafePointer(copyText(attachment.name))
    path = attachment.path.map { UnsafePointer(copyText($0)) }
    size = UInt64(attachment.size)
    state = attachment.state.number
  }
}

/// Attaches a file.
@c @implementation
public func sw_session_attach_file(
  _ session: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
  _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let (path, name) = (try text(path, "path"), try optionalText(name, "name"))
    return { session, done in done.resource = try await session.files.attach(at: path, named: name).id }
  }
}

/// Attaches bytes.
@c @implementation
public func sw_session_attach_bytes(
  _ session: OpaquePointer?, _ data: UnsafePointer<UInt8>?, _ size: Int, _ name: UnsafePointer<CChar>?,
  _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let (content, name) = (try bytes(data, size, "bytes"), try text(name, "name"))
    return { session, done in done.resource = try await session.files.attach(content, named: name).id }
  }
}

/// Removes an attachment from the session.
@c @implementation
public func sw_session_detach(_ session: OpaquePointer?, _ attachment: UnsafePointer<sw_digest>?) -> sw_status {
  attempt {
    let id = try resourceID(attachment)
    try object(session, as: RunningSession.self).wait { try await $0.files.detach(id) }
  }
}

/// Fetches an attachment.
@c @implementation
public func sw_session_fetch_attachment(
  _ session: OpaquePointer?, _ attachment: UnsafePointer<sw_digest>?
) -> sw_status {
  attempt {
    let id = try resourceID(attachment)
    try object(session, as: RunningSession.self).wait { try await $0.files.fetch(id) }
  }
}

/// Takes a list of the attachments.
@c @implementation
public func sw_session_attachments(
  _ session: OpaquePointer?, _ attachments: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let attachments = try output(attachments, "attachments")
    let current = try object(session, as: RunningSession.self).wait { await $0.files.attachments }
    attachments.pointee = handle(
      RecordList(current.map { sw_attachment($0) }) {
        freeConstant($0.name)
        freeConstant($0.path)
      })
  }
}

/// The number of attachments in a list.
@c @implementation
public func sw_attachment_list_count(_ attachments: OpaquePointer?) -> Int {
  (try? object(attachments, as: RecordList<sw_attachment>.self).count) ?? 0
}

/// An attachment of a list.
@c @implementation
public func sw_attachment_list_get(_ attachments: OpaquePointer?, _ index: Int) -> UnsafePointer<sw_attachment>? {
  try? object(attachments, as: RecordList<sw_attachment>.self).pointer(to: index)
}

/// Gives a list of attachments back.
@c @implementation
public func sw_attachment_list_destroy(_ attachments: OpaquePointer?) {
  drop(attachments, as: RecordList<sw_attachment>.self)
}
