import Testing

@testable import PeerCLI

@Suite("JSON")
struct JSONTests {
  @Test("an object is one line, in the order it was written")
  func object() {
    let json: JSON = ["b": .integer(1), "a": .array([.point([0.1, -2, 1e-7]), .null, .bool(true)])]
    #expect(json.text == #"{"b":1,"a":[[0.1,-2.0,1e-07],null,true]}"#)
  }

  @Test("text is escaped, names from the network too")
  func escapes() {
    #expect(JSON.string("a\"\\\n\u{1b}[31m\u{7f}é").text == #""a\"\\\n\u001b[31m\u007fé""#)
  }

  @Test("a number that JSON cannot say is null")
  func notFinite() {
    #expect(JSON.number(.infinity).text == "null")
    #expect(JSON.single(.nan).text == "null")
  }
}
