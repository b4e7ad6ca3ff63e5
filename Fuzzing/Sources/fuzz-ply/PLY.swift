import FuzzDriver
import WorldFormats

@main
struct FuzzPLY {
  static func main() { fuzz(fuzzPLY) }
}

/// Any bytes as PLY, of which the header says the encoding.
private func fuzzPLY(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  checkImport(Array(UnsafeBufferPointer(start: data, count: count)), as: .plyASCII, .plyLittleEndian, .plyBigEndian)
  return 0
}
