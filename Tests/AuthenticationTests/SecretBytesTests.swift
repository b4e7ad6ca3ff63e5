import Testing

@testable import Authentication

@Suite("Secret bytes")
struct SecretBytesTests {
  @Test("those of an array are zeros once they are overwritten, and are gone once they are wiped")
  func wiped() {
    var bytes: [UInt8] = [1, 2, 255]
    bytes.overwrite()
    #expect(bytes == [0, 0, 0])
    bytes.wipe()
    #expect(bytes.isEmpty)
  }

  @Test("are compared with all of an array")
  func compared() {
    let secret = SecretBytes(copying: [1, 2, 3])
    #expect(secret.isEqual(to: [1, 2, 3]))
    for other: [UInt8] in [[], [1, 2], [1, 2, 4], [1, 2, 3, 0]] { #expect(!secret.isEqual(to: other)) }
  }
}
