public import CSharedWorldHeaders
import Glibc
import SharedWorld

// The functions of trust.h that need no session; the header documents them.

/// Writes a new random passcode.
@c @implementation
public func sw_passcode_generate(_ buffer: UnsafeMutablePointer<CChar>?, _ size: Int) -> sw_status {
  attempt {
    let buffer = try output(buffer, "buffer")
    let text = Passcode.generatedText().utf8CString
    guard size >= text.count else { throw Failure.argument("size is below SW_PASSCODE_SIZE, which is \(text.count)") }
    for (index, character) in text.enumerated() { buffer[index] = character }
  }
}

/// The file at a path; of NULL the one beside the identities of the default directory.
private func pinStore(_ path: UnsafePointer<CChar>?) throws -> PinStore {
  if let path = try optionalText(path, "path") { return PinStore(path: path) }
  return try PinStore(beside: nil)
}

/// Takes a list of the peers in a file of known peers.
@c @implementation
public func sw_known_peers_list(
  _ path: UnsafePointer<CChar>?, _ peers: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let peers = try output(peers, "peers")
    let records = try pinStore(path).pins().map { pin in
      sw_known_peer(
        id: sw_peer_id(copying: pin.id.bytes), day: UnsafePointer(copyText(pin.day.description)),
        name: UnsafePointer(copyText(pin.name)))
    }
    peers.pointee = handle(
      RecordList<sw_known_peer>(records) {
        freeConstant($0.day)
        freeConstant($0.name)
      })
  }
}

/// The number of peers in a list.
@c @implementation
public func sw_known_peer_list_count(_ peers: OpaquePointer?) -> Int {
  (try? object(peers, as: RecordList<sw_known_peer>.self).count) ?? 0
}

/// A peer of a list.
@c @implementation
public func sw_known_peer_list_get(_ peers: OpaquePointer?, _ index: Int) -> UnsafePointer<sw_known_peer>? {
  try? object(peers, as: RecordList<sw_known_peer>.self).pointer(to: index)
}

/// Gives a list of known peers back.
@c @implementation
public func sw_known_peer_list_destroy(_ peers: OpaquePointer?) {
  drop(peers, as: RecordList<sw_known_peer>.self)
}

/// Removes a peer from a file of known peers.
@c @implementation
public func sw_known_peers_remove(_ path: UnsafePointer<CChar>?, _ peer: UnsafePointer<sw_peer_id>?) -> sw_status {
  attempt {
    let store = try pinStore(path)
    let id = try peerID(peer)
    guard try store.remove(id) else {
      throw SessionError(.unknownPeer, "\(store.path) has no such peer; sw_known_peers_list lists them")
    }
  }
}
