import Basics
import FuzzDriver
import WorldModel

@main
struct FuzzPoints {
  static func main() { fuzz(fuzzPoints) }
}

/// Any bytes as the payload of a block of points, with the head that makes its checksum fit.
///
/// So the decoder's stages are reached that a random file never gets to. The first two bytes say how many points the block claims.
private func fuzzPoints(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count >= 2 else { return 0 }
  let payload = UnsafeBufferPointer(start: data + 2, count: count - 2)
  let points = 1 + Int(data[0]) + Int(data[1]) * 256
  let cloud = WorldMap.salvage(blockFile(section: "PNTS", elements: points, payload: payload)).map.cloud
  precondition(cloud.isEmpty || cloud.count == points)
  precondition((try? cloud.validate()) != nil && cloud.isSorted)
  return 0
}

/// A block with a head that fits, which is all that salvage needs.
private func blockFile(section: StaticString, elements: Int, payload: UnsafeBufferPointer<UInt8>) -> [UInt8] {
  var writer = ByteWriter(capacity: payload.count + 24)
  writer.write(bytes: Array("WBLK".utf8))
  writer.write(bytes: UnsafeBufferPointer(start: section.utf8Start, count: 4))
  writer.write(UInt32(elements))
  writer.write(UInt32(payload.count + 24))
  writer.write(XXH64.hash(payload))
  writer.write(bytes: payload)
  return writer.bytes
}
