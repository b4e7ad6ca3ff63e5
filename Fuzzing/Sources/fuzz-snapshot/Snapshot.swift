import AnchorReplication
import FuzzAnchorSet
import FuzzDriver
import WorldModel

@main
struct FuzzSnapshot {
  static func main() { fuzz(fuzzSnapshot) }
}

/// A snapshot that another peer sent: the first byte selects the set that takes it in.
private func fuzzSnapshot(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard let choice = bytes.first else { return 0 }
  var set = startSet(choice)
  let before = set.encodeSnapshot()
  if (try? set.merge(snapshot: bytes.span.bytes.extracting(1..<count))) == nil {
    precondition(set.encodeSnapshot() == before, "a refused snapshot changed the set")
  }
  checkSnapshot(of: &set)
  return 0
}
