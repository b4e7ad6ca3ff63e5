import Basics
import FuzzDriver
import PeerProtocol
import WorldModel

@main
struct FuzzRecord {
  static func main() { fuzz(fuzzRecord) }
}

/// Any bytes as what a node has kept, with a checksum that fits: a failure, or a record that gives the same bytes again and
/// that a node can come back with and keeps.
private func fuzzRecord(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  bytes += SHA256Digest(hashing: bytes).bytes
  guard let record = try? NodeRecord(decoding: bytes) else { return 0 }
  precondition(record.encoded == bytes, "the bytes of a record are not canonical")
  var configuration = NodeConfiguration(
    peerID: record.peerID, incarnation: 1, name: "me", service: record.service, seed: 1)
  configuration.keepsRecord = true
  var now = Instant(nanoseconds: 1_000_000_000)
  var node = Node(configuration, restoring: record, at: now)
  for _ in 0..<1000 {
    while let output = node.nextOutput() {
      switch output {
      case .connect(let dial, _): node.handle(.dialFailed(dial, refused: false), at: now)
      case .persist(let kept):
        precondition((try? NodeRecord(decoding: kept.encoded)) == kept, "a record cannot be read again")
      default: break
      }
    }
    guard let deadline = node.deadline, deadline < Instant(nanoseconds: 11_000_000_000) else { return 0 }
    now = max(now, deadline)
    node.handle(.tick, at: now)
  }
  preconditionFailure("the node asks for ticks without end")
}
