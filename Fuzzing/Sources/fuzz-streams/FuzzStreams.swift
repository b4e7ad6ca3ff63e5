import FuzzDriver

@main
struct FuzzStreams {
  static func main() { fuzz(fuzzStreams) }
}

/// Two books of streams, what their apps do, and letters that nobody honest would send.
///
/// It is a list of operations, one byte each with the bytes that it takes. Where bit 0 of the first byte is set, the second book belongs to a liar.
///
/// Whatever that was, no stream holds more than its window, and there are no more of them than allowed. Between honest ends bytes
/// arrive once and in order, and no end is reset for a broken rule.
private func fuzzStreams(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var bytes = [UInt8](UnsafeBufferPointer(start: data, count: min(count, 4096)))[...]
  guard let mode = bytes.popFirst() else { return 0 }
  var pair = BookPair(bytes, hasLiar: mode & 1 == 1)
  pair.run()
  return 0
}
