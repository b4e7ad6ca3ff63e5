import Testing

@testable import WorldModel

@Suite("XXH64")
struct XXH64Tests {
  /// Vectors of the xxHash specification and its reference program (`xxhsum -H1`).
  @Test func knownVectors() {
    #expect(XXH64.hash([UInt8]()) == 0xEF46_DB37_51D8_E999)
    #expect(XXH64.hash(Array("a".utf8)) == 0xD24E_C4F1_A98C_6E5B)
    #expect(XXH64.hash(Array("abc".utf8)) == 0x44BC_2CF5_AD77_0999)
    #expect(XXH64.hash(Array("Nobody inspects the spammish repetition".utf8)) == 0xFBCE_A83C_8A37_8BF1)
  }

  @Test func everyByteCounts() {
    for length in [1, 7, 31, 32, 33, 100] {
      let bytes = (0..<length).map { UInt8($0) }
      let hash = XXH64.hash(bytes)
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= 1
        #expect(XXH64.hash(changed) != hash)
      }
    }
  }
}
