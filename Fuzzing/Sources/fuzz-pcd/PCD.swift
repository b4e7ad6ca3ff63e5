import FuzzDriver
import WorldFormats

@main
struct FuzzPCD {
  static func main() { fuzz(fuzzPCD) }
}

/// Any bytes as PCD, of which the header says the encoding.
private func fuzzPCD(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  checkImport(Array(UnsafeBufferPointer(start: data, count: count)), as: .pcdASCII, .pcdBinary, .pcdCompressed)
  return 0
}
