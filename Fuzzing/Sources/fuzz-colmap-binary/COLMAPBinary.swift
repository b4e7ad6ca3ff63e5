import FuzzDriver
import WorldFormats

@main
struct FuzzCOLMAPBinary {
  static func main() { fuzz(fuzzCOLMAPBinary) }
}

/// Any bytes as COLMAP's `points3D.bin`.
private func fuzzCOLMAPBinary(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  checkImport(Array(UnsafeBufferPointer(start: data, count: count)), as: .colmapBinary)
  return 0
}
