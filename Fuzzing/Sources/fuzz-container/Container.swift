import FuzzDriver
import WorldModel

@main
struct FuzzContainer {
  static func main() { fuzz(fuzzContainer) }
}

/// Any bytes as a file: an error, or a map that survives being written and read again; salvage never fails, nor does
/// reading them as the beginning of a file.
private func fuzzContainer(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let file = [UInt8](UnsafeBufferPointer(start: data, count: count))
  if let map = try? WorldMap(decoding: file) {
    guard let again = try? map.encoded(.fast), let back = try? WorldMap(decoding: again) else {
      preconditionFailure("a map that was read cannot be written and read again")
    }
    precondition(back.anchors.count == map.anchors.count && back.cloud.count == map.cloud.count)
  }
  _ = WorldMap.salvage(file)
  if let decoder = try? WorldMapDecoder(beginningOf: file) {
    _ = try? decoder.points(ofBlocks: 0..<decoder.arrivedBlockCount)
    _ = try? decoder.map()
  }
  return 0
}
