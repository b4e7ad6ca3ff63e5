import FuzzDriver
import PeerTransport

@main
struct FuzzPEM {
  static func main() { fuzz(fuzzPEM) }
}

/// Any bytes as an identity file: a failure, or an identity that is written and read again as the same peer.
private func fuzzPEM(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard let identity = try? TLSIdentity(pem: bytes) else { return 0 }
  let again = (try? identity.pem()).flatMap { try? TLSIdentity(pem: $0) }
  precondition(again?.peerID == identity.peerID, "an identity that was read cannot be written and read again")
  return 0
}
