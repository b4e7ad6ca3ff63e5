import FuzzDriver
import WorldFormats

@main
struct FuzzCOLMAPText {
  static func main() { fuzz(fuzzCOLMAPText) }
}

/// Any bytes as COLMAP's `points3D.txt`.
private func fuzzCOLMAPText(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  checkImport(Array(UnsafeBufferPointer(start: data, count: count)), as: .colmapText)
  return 0
}
