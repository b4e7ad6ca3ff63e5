import Basics
import Testing

@Suite struct SHA256DigestTests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  ])
  func `the hashes are those that FIPS 180-4 gives`(text: String, hash: String) throws {
    let digest = SHA256Digest(hashing: Array(text.utf8))
    #expect(digest.description == hash)
    #expect(SHA256Digest(bytes: try #require([UInt8](hexadecimal: hash))) == digest)
  }

  @Test func `digests order and differ by every byte`() throws {
    let digests = try (0..<32).map { place in
      try #require(SHA256Digest(bytes: (0..<32).map { $0 == place ? 1 : 0 }))
    }
    #expect(Set(digests).count == 32)
    #expect(digests.reversed().sorted() == digests.reversed())
    #expect(digests.sorted() == digests.reversed())
    #expect(SHA256Digest(bytes: [UInt8](repeating: 0, count: 31)) == nil)
    for digest in digests { #expect(SHA256Digest(words: digest.words) == digest) }
  }

  @Test func `hexadecimal digits are read in either case, in pairs`() {
    #expect([UInt8](hexadecimal: "00aAfF") == [0, 0xaa, 0xff])
    #expect([0, 0xaa, 0xff].hexadecimal == "00aaff")
    for text in ["0", "0g", "0x", "é0", "+1"] { #expect([UInt8](hexadecimal: text) == nil) }
  }
}
