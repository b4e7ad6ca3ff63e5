import Testing
import WorldModel

@Suite("Texts of anchors")
struct AnchorTextTests {
  /// Each text of an anchor by its name in errors, with a text of the caller.
  private static func anchors(_ text: String) -> [(field: String, anchor: Anchor)] {
    [
      ("name", Anchor(name: text)),
      ("content type", Anchor(name: "", payload: Anchor.Payload(contentType: text, bytes: []))),
      (
        "reference name",
        Anchor(name: "", kind: .image(Anchor.Image(referenceName: text, physicalSize: [1, 1])))
      ),
    ]
  }

  @Test(
    "with control characters, or such as turn the direction, are refused by the name of their field",
    arguments: ["kitchen\0evil", "a\u{1B}[2J", "a\nb", "let \u{202E}me", "\u{7F}"])
  func refused(text: String) {
    for (field, anchor) in Self.anchors(text) {
      #expect(throws: ModelError.controlCharacters(field: field)) { try anchor.validate() }
    }
  }

  @Test("in any script are accepted", arguments: ["kitchen", "küche", "台所", "مطبخ", "🏠"])
  func accepted(text: String) throws {
    for (_, anchor) in Self.anchors(text) { try anchor.validate() }
  }
}
