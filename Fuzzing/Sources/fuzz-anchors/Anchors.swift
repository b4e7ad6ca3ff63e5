import Basics
import FuzzDriver
import WorldModel

@main
struct FuzzAnchors {
  static func main() { fuzz(fuzzAnchors) }
}

/// Any bytes as an anchor: a failure, or an anchor that is valid and gives the same bytes again.
private func fuzzAnchors(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  var reader = ByteReader(bytes.span.bytes)
  guard let anchor = try? Anchor(reading: &reader) else { return 0 }
  precondition((try? anchor.validate()) != nil)
  var writer = ByteWriter()
  anchor.write(to: &writer)
  precondition(writer.bytes == Array(bytes[..<reader.offset]), "the bytes of an anchor are not canonical")
  return 0
}
