import Foundation
import SharedWorld
import Testing

@Suite("Objects as JSON")
struct JSONObjectCoderTests {
  private struct Lamp: Codable, Equatable {
    var watts: Double
    var name: String
    var link: String?
  }

  @Test("two peers write one object as the same bytes: keys in order, no slash escaped, nothing for nil")
  func bytes() throws {
    let coder = JSONObjectCoder()
    let lamp = Lamp(watts: 4.5, name: "ä", link: "a/b")
    #expect(try coder.encode(lamp) == Array(#"{"link":"a/b","name":"ä","watts":4.5}"#.utf8))
    #expect(try coder.encode(Lamp(watts: 1, name: "", link: nil)) == Array(#"{"name":"","watts":1}"#.utf8))
    #expect(try coder.encode(["b": [1], "a": []]) == Array(#"{"a":[],"b":[1]}"#.utf8))
    #expect(try coder.encode(Data([1])) == Array("\"AQ==\"".utf8))
  }

  @Test("what was encoded is decoded, whatever the order of its keys, and unknown keys are skipped")
  func decodes() throws {
    let text = #"{"name":"desk","other":[{}],"watts":6}"#
    let lamp = try JSONObjectCoder().decode(Lamp.self, from: Array(text.utf8))
    #expect(lamp == Lamp(watts: 6, name: "desk", link: nil))
  }

  @Test(
    "what has no JSON is an error",
    arguments: ["", "{", "[1,]", "{\"watts\":\"6\",\"name\":\"\"}", "nul", "\u{FEFF}[1"])
  func refuses(_ text: String) {
    #expect(throws: DecodingError.self) { try JSONObjectCoder().decode(Lamp.self, from: Array(text.utf8)) }
    #expect(throws: EncodingError.self) { try JSONObjectCoder().encode(Double.nan) }
  }
}
