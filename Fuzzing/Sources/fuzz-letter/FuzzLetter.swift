import FuzzDriver
import PeerProtocol
@testable import SharedWorld

@main
struct FuzzLetter {
  static func main() { fuzz(fuzzLetter) }
}

/// Any bytes as a message between two libraries, above the node: objects, requests and answers, and the parts of streams.
///
/// What was read is written and read again as the same, and an envelope may be sent on.
private func fuzzLetter(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  if let letter = try? Letter(bytes) {
    precondition((try? Letter(letter.bytes)) == letter, "a letter changes when it is written and read again")
    precondition(Letter.carriesObject(bytes) == Letter.carriesObject(letter.bytes))
  }
  if let letter = try? StreamLetter(bytes) {
    precondition((try? StreamLetter(letter.bytes)) == letter, "a letter of a stream changes")
  }
  return 0
}
