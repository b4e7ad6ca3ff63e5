public import CSharedWorldHeaders
import Glibc
import SharedWorld

// The functions of sharedworld.h. The compiler checks each against its declaration there, where it is documented.

@c @implementation
public func sw_abi_version() -> UInt32 { UInt32(SW_ABI_VERSION) }

@c @implementation
public func sw_last_error_message() -> UnsafePointer<CChar>? { LastMessage.current }

@c @implementation
public func sw_status_name(_ status: sw_status) -> UnsafePointer<CChar>? { Status.name(of: status) }

/// An identity behind a handle.
final class IdentityBox: Sendable {
  let identity: PeerIdentity

  init(_ identity: PeerIdentity) {
    self.identity = identity
  }
}

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

@c @implementation
public func sw_identity_peer_id(_ identity: OpaquePointer?, _ peer: UnsafeMutablePointer<sw_peer_id>?) -> sw_status {
  attempt {
    let box = try object(identity, as: IdentityBox.self)
    try output(peer, "peer").pointee = sw_peer_id(copying: box.identity.peerID.bytes)
  }
}

@c @implementation
public func sw_identity_destroy(_ identity: OpaquePointer?) { drop(identity, as: IdentityBox.self) }
