import FuzzDriver
import WorldFormats

@main
struct FuzzXYZ {
  static func main() { fuzz(fuzzXYZ) }
}

/// Any bytes as lines of numbers.
private func fuzzXYZ(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  checkImport(Array(UnsafeBufferPointer(start: data, count: count)), as: .xyz)
  return 0
}
