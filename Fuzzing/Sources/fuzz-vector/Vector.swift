import AnchorReplication
import Basics
import FuzzDriver
import WorldModel

@main
struct FuzzVector {
  static func main() { fuzz(fuzzVector) }
}

/// Any bytes as a version vector: a failure, or a vector that gives the same bytes again and obeys the laws of joins.
private func fuzzVector(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  var reader = ByteReader(bytes.span.bytes)
  guard let vector = try? VersionVector(decoding: &reader, limit: 1024) else { return 0 }
  var writer = ByteWriter()
  vector.encode(into: &writer)
  precondition(writer.bytes == Array(bytes[..<reader.offset]), "the bytes of a vector are not canonical")
  guard let other = try? VersionVector(decoding: &reader, limit: 1024) else { return 0 }
  var (left, right, least) = (vector, other, vector)
  left.join(other)
  right.join(vector)
  least.meet(other)
  precondition(left == right && left.covers(vector) && left.covers(other))
  precondition(vector.covers(least) && other.covers(least))
  return 0
}
