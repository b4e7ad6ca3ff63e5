internal import CSharedWorldHeaders
import SharedWorld

/// An event that this library makes itself: the end of an operation, or an object.
struct OwnEvent: Sendable {
  let type: Int
  /// The operation, the subscription or the request.
  let number: UInt64
  var failure: Failure?
  var peer: PeerID?
  var name: String?
  /// Of the peer, where `name` is another thing's.
  var peerName: String?
  var text: String?
  var flags: UInt32 = 0
  var total: UInt64 = 0
  var anchor: AnchorID?
  var map: MapID?
  var resource: ResourceID?
  var alignment: PeerAlignment?
  var envelope: MessageEnvelope?
  /// One that nobody takes is released, and reset with that.
  var stream: PeerStream?

  init(_ type: Int, _ number: UInt64) { (self.type, self.number) = (type, number) }

  /// The end of an operation by an error.
  static func done(_ number: UInt64, _ error: any Error) -> Self {
    var event = OwnEvent(SW_EVENT_DONE, number)
    event.fail(error)
    return event
  }

  /// A line for people.
  static func log(_ message: LogMessage) -> Self {
    var event = OwnEvent(SW_EVENT_LOG, 0)
    (event.text, event.name) = (message.text, message.subsystem.rawValue)
    (event.flags, event.total) = (message.level.number, UInt64(message.suppressed))
    return event
  }

  /// Takes over why an operation failed.
  mutating func fail(_ error: any Error) {
    failure = Failure(error)
    guard let remote = (error as? SessionError)?.cause as? RemoteError else { return }
    name = remote.code
    failure = failure.map { Failure($0.status, remote.message) }
  }
}

extension LogMessage.Level {
  /// Its number in C, which is higher where there is more to read.
  var number: UInt32 {
    switch self {
    case .warning: UInt32(SW_LOG_WARNING)
    case .info: UInt32(SW_LOG_INFO)
    case .debug: UInt32(SW_LOG_DEBUG)
    }
  }
}

extension sw_event {
  /// An event of this library as C sees it; what it points to must be freed.
  init(_ event: OwnEvent) {
    self.init()
    type = UInt32(event.type)
    operation = event.number
    status = sw_status(event.failure?.status ?? SW_OK)
    peer = sw_peer_id(copying: event.peer?.bytes ?? [])
    name = event.name.map { UnsafePointer(copyText($0)) }
    peer_name = event.peerName.map { UnsafePointer(copyText($0)) }
    text = (event.failure?.message ?? event.text).map { UnsafePointer(copyText($0)) }
    flags = event.flags
    total = event.total
    anchor.id = sw_anchor_id(copying: event.anchor?.bytes ?? [])
    map = sw_map_id(copying: event.map?.digest.bytes ?? [])
    digest = sw_digest(copying: event.resource?.digest.bytes ?? [])
    if let alignment = event.alignment { set(alignment) }
    if let envelope = event.envelope { set(envelope) }
  }

  private mutating func set(_ envelope: MessageEnvelope) {
    endpoint = UnsafePointer(copyText(envelope.endpoint))
    object_type = UnsafePointer(copyText(envelope.type))
    content_type = UnsafePointer(copyText(envelope.contentType))
    (fields, field_count) = copyPairs(envelope.fields)
    data_size = envelope.bytes.count
    data = UnsafePointer(copyBytes(envelope.bytes))
    if let transform = envelope.transform { place(transform) }
  }

  /// Writes how a frame lies.
  mutating func set(_ alignment: PeerAlignment) {
    residual = alignment.residual
    observations = UInt32(clamping: alignment.observations)
    if let transform = alignment.transform { place(transform) }
  }

  private mutating func place(_ transform: Transform) {
    anchor.set(transform)
    has_transform = 1
  }

  /// Frees what the event points to.
  func release() {
    for text in [name, peer_name, text, anchor.name, endpoint, object_type, content_type] { freeConstant(text) }
    freeConstant(data)
    freePairs(fields, field_count)
    content?.pointee.release()
    content?.deallocate()
    StreamBox.close(stream)
  }
}
