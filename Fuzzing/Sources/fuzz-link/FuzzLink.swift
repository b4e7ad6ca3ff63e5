import Basics
import FuzzDriver
import SharedWorld
import WorldModel

@main
struct FuzzLink {
  static func main() { fuzz(fuzzLink) }
}

/// Any text as what people hand on by hand: an invitation link, an address, an endpoint, an id, a passcode; what was read is
/// written and read again as the same.
private func fuzzLink(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
  if let link = try? InvitationLink(text) {
    precondition((try? InvitationLink(link.description)) == link, "a link changes when it is written and read again")
    precondition(link.endpoints.count <= InvitationLink.endpointLimit)
  }
  if let address = SocketAddress(text) {
    precondition(SocketAddress(address.description) == address, "an address changes when it is written and read again")
  }
  if let id = PeerID(text) { precondition(PeerID("\(id)") == id, "an id changes when it is written and read again") }
  if let endpoint = Endpoint(text) { precondition(!endpoint.host.isEmpty) }
  return 0
}
