import Foundation
import FuzzDriver

@testable import SharedWorld

@main
struct FuzzJSON {
  static func main() { fuzz(fuzzJSON) }
}

/// An object of the kinds of values that apps send.
private struct Sample: Codable, Equatable {
  let name: String?
  let count: Int8?
  let points: [Float]?
  let rows: [[Double]]?
  let flags: [String: Bool?]?
}

/// Any bytes as the JSON of an object: what is decoded without Foundation is what Foundation decodes, and it is encoded alike.
private func fuzzJSON(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  check(Sample.self, bytes)
  check([Float].self, bytes)
  check([Double].self, bytes)
  check([UInt64].self, bytes)
  check([String].self, bytes)
  check([String: [Int?]].self, bytes)
  return 0
}

private func check<Object: Codable & Equatable>(_ type: Object.Type, _ bytes: [UInt8]) {
  guard let object = try? QuickDecoder.decode(type, from: bytes) else { return }
  let other = try? JSONObjectCoder.decoder.decode(type, from: Data(bytes))
  precondition(object == other, "Foundation reads another \(type)")
  guard let text = QuickEncoder.encode(object) else { return }
  precondition(Data(text) == (try? JSONObjectCoder.encoder.encode(object)), "Foundation writes \(type) in another way")
}
