import FuzzDriver
import PeerTransport
import WorldModel

@main
struct FuzzTLS {
  static func main() { fuzz(fuzzTLS) }
}

/// Two ends of a connection and what somebody between them does: a list of operations, one byte each with the bytes that it takes.
///
/// Whatever that was, an end that names its peer names the other end, and the bytes that it gets are the first ones that were
/// sent.
private func fuzzTLS(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var line = Line([UInt8](UnsafeBufferPointer(start: data, count: min(count, 4096))))
  line.run()
  return 0
}
