import AnchorReplication
import Basics
import FuzzDriver
import PeerProtocol
import WorldModel

@main
struct FuzzNode {
  static func main() { fuzz(fuzzNode) }
}

/// A list of operations, one byte each with the bytes that it takes: what apps and peers do to a node, in any order.
///
/// A first byte of 240 to 243 chooses a node of an owned session (`OwnedStart`), which has further operations.
/// Whatever that was, the node comes to rest, and a second node that gets the same inputs gives the same outputs.
private func fuzzNode(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: min(count, 2048)))
  var first = Play(bytes)
  var second = Play(bytes)
  first.run()
  second.run()
  precondition(first.outputs == second.outputs, "the same inputs give other outputs")
  first.check()
  return 0
}
