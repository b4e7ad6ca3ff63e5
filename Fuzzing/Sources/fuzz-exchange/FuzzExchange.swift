import Authentication
import FuzzDriver

@main
struct FuzzExchange {
  static func main() { fuzz(fuzzExchange) }
}

/// Messages to the two ends of a comparison of codes (bit 0 of the first byte is clear) or of the proof of a passcode (set).
///
/// Each has a byte with the end (bit 0), the message (bits 1 and 2), and whether it is what the other end has sent (bit 3) or bytes of the
/// input behind a length (u8). Where bit 1 of the first byte is set, the two have different passcodes.
///
/// Whatever came, an end shows a code or believes a passcode only when every message was what the protocol demands, in order; and
/// two that have different passcodes believe none.
private func fuzzExchange(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))[...]
  guard let mode = bytes.popFirst() else { return 0 }
  if mode & 1 == 0 {
    var run = CodeRun()
    while let word = bytes.popFirst() { run.perform(word, &bytes) }
    run.check()
  } else {
    var run = PasscodeRun(isSame: mode & 2 == 0)
    while let word = bytes.popFirst() { run.perform(word, &bytes) }
    run.check()
  }
  return 0
}

/// The message at the end of `sent`, changed where the input says so.
func message(_ word: UInt8, _ sent: [UInt8], _ bytes: inout ArraySlice<UInt8>) -> [UInt8] {
  guard word & 8 == 0 else { return sent }
  let count = Int(bytes.popFirst() ?? 0)
  defer { bytes = bytes.dropFirst(count) }
  return Array(bytes.prefix(count))
}

/// The ids and the secrets of the two ends.
enum Ends {
  static let ids = [[UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)]

  static func secrets(_ end: UInt8) -> ChannelSecrets {
    ChannelSecrets(
      exporter: [UInt8](repeating: 7, count: 32), entropy: SecretBytes(copying: [UInt8](repeating: end, count: 64)))
  }
}
