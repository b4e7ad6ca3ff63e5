import FuzzDriver
import WorldFormats
import WorldModel

@main
struct FuzzArchive {
  static func main() { fuzz(fuzzArchive) }
}

/// Any bytes as an archive of ARKit: an error, or a valid map that comes back from a `.worldmap` file.
private func fuzzArchive(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let archive = try? ARKitArchive(reading: Array(UnsafeBufferPointer(start: data, count: count))) else {
    return 0
  }
  precondition((try? archive.map.validate()) != nil, "a map that was read is not valid")
  precondition(archive.unreadablePoints == nil || archive.map.cloud.isEmpty, "part of points that cannot be read")
  var map = archive.map
  map.anchors.sort { $0.id < $1.id }
  guard let file = try? map.encoded(), let again = try? WorldMap(decoding: file) else {
    preconditionFailure("a map that was read cannot be written and read again")
  }
  precondition(again == map, "a map changes from file to file")
  return 0
}
