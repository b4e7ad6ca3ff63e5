import Basics
import FuzzDriver
import SharedWorld
import WorldModel

@main
struct FuzzLink {
  static func main() { fuzz(fuzzLink) }
}

/// Any text as what people hand on by hand: an invitation link, an address, a host and port, an id, a passcode; what was read is
/// written and read again as the same.
private func fuzzLink(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
  if let link = try? InvitationLink(text) {
    precondition((try? InvitationLink(link.description)) == link, "a link changes when it is written and read again")
    precondition(link.addresses.count <= InvitationLink.addressLimit)
  }
  if let address = SocketAddress(text) {
    precondition(SocketAddress(address.description) == address, "an address changes when it is written and read again")
  }
  if let id = PeerID(text) { precondition(PeerID("\(id)") == id, "an id changes when it is written and read again") }
  if let address = PeerAddress(text) { precondition(!address.host.isEmpty) }
  return 0
}
