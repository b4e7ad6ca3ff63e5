import AnchorReplication
import Basics
import FuzzAnchorSet
import FuzzDriver
import WorldModel

@main
struct FuzzBatch {
  static func main() { fuzz(fuzzBatch) }
}

/// Batches of anchor operations as a link brings them: the first byte selects the set, then each batch follows its
/// length (u16, little-endian).
private func fuzzBatch(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard let choice = bytes.first else { return 0 }
  var set = startSet(choice)
  var assembly = OperationAssembly()
  var reader = ByteReader(bytes.span.bytes)
  _ = try? reader.readByte()
  while let length = try? reader.read(UInt16.self),
    let batch = try? reader.readBytes(min(Int(length), reader.remaining))
  {
    guard (try? set.apply(operations: batch.span.bytes, assembly: &assembly, judging: nil)) != nil else { break }
  }
  checkSnapshot(of: &set)
  return 0
}
