public import CSharedWorldHeaders
import Glibc
import SharedWorld

// The functions of sharedworld.h, which documents them. The compiler checks each against its declaration there.

/// The version of the interface of the library that is loaded.
@c @implementation
public func sw_abi_version() -> UInt32 { UInt32(SW_ABI_VERSION) }

/// The message of the calling thread's last failure.
@c @implementation
public func sw_last_error_message() -> UnsafePointer<CChar>? { LastMessage.current }

/// The name of a status.
@c @implementation
public func sw_status_name(_ status: sw_status) -> UnsafePointer<CChar>? { Status.name(of: status) }

/// An identity behind a handle.
final class IdentityBox: HandleObject {
  static let word = "an identity"

  let identity: PeerIdentity

  init(_ identity: PeerIdentity) {
    self.identity = identity
  }
}

/// Reads an identity, or makes one and keeps it.
@c @implementation
public func sw_identity_load_or_create(
  _ name: UnsafePointer<CChar>?, _ directory: UnsafePointer<CChar>?, _ identity: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let identity = try output(identity, "identity")
    let name = try text(name, "name")
    let folder = try optionalText(directory, "directory")
    identity.pointee = handle(IdentityBox(try PeerIdentity.loadOrCreate(named: name, in: folder)))
  }
}

/// The id that other peers know an identity by.
@c @implementation
public func sw_identity_peer_id(_ identity: OpaquePointer?, _ peer: UnsafeMutablePointer<sw_peer_id>?) -> sw_status {
  attempt {
    let box = try object(identity, as: IdentityBox.self)
    try output(peer, "peer").pointee = sw_peer_id(copying: box.identity.peerID.bytes)
  }
}

/// Gives an identity back.
@c @implementation
public func sw_identity_destroy(_ identity: OpaquePointer?) { drop(identity, as: IdentityBox.self) }

/// Gives a text back.
@c @implementation
public func sw_text_destroy(_ text: UnsafeMutablePointer<CChar>?) { free(text) }
