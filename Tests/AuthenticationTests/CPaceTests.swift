import Basics
import Testing

@testable import Authentication

@Suite("CPace over ristretto255")
struct CPaceTests {
  private static let password = SecretBytes(copying: Array("Password".utf8))
  private static let session = [UInt8](hexadecimal: "7e4b4791d6a8ef019b936c79fb7f2c57") ?? []
  private static let scalars = [
    "da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08",
    "d2316b454718c35362d83d69df6320f38578ed5984651435e2949762d900b80d",
  ].compactMap { [UInt8](hexadecimal: $0).map(SecretBytes.init(copying:)) }

  @Test("computes the drafts' vectors: generator, shares, key and tags", arguments: ["draft13", "draft21"])
  func vectors(draft: String) throws {
    func vector(_ name: String) throws -> [UInt8] { try Vectors.bytes("\(draft)-\(name)") }
    let generator = try CPace.generator(
      passcode: Self.password, channel: try vector("channel"), session: Self.session)
    #expect(generator.isEqual(to: try vector("generator")))
    let shares = try Self.scalars.map { try CPace.share(of: $0, on: generator) }
    #expect(shares == [try vector("share-a"), try vector("share-b")])
    let element = try CPace.sharedElement(Self.scalars[0], with: shares[1])
    #expect(element.isEqual(to: try vector("element")))
    #expect(try CPace.sharedElement(Self.scalars[1], with: shares[0]).isEqual(to: try vector("element")))
    let first = CPace.Contribution(share: shares[0], data: Array("ADa".utf8))
    let second = CPace.Contribution(share: shares[1], data: Array("ADb".utf8))
    let key = CPace.sessionKey(session: Self.session, element: element, first: first, second: second)
    #expect(key.isEqual(to: try vector("key")))
    let confirmation = CPace.confirmationKey(session: Self.session, sessionKey: key)
    #expect(CPace.tag(over: first, key: confirmation) == (try vector("tag-a")))
    #expect(CPace.tag(over: second, key: confirmation) == (try vector("tag-b")))
  }

  @Test("multiplies with a valid element, and refuses what encodes none, the identity and a wrong number of bytes")
  func elements() throws {
    let scalar = SecretBytes(copying: try Vectors.bytes("product-scalar"))
    let product = try CPace.sharedElement(scalar, with: try Vectors.bytes("product-element"))
    #expect(product.isEqual(to: try Vectors.bytes("product")))
    let invalid = [
      try Vectors.bytes("invalid-encoding"), try Vectors.bytes("invalid-identity"), [UInt8](repeating: 0xff, count: 32),
      [], Array(try Vectors.bytes("product-element").dropLast()),
    ]
    for share in invalid {
      #expect(throws: CPaceFailure.invalidShare) { try CPace.sharedElement(scalar, with: share) }
    }
  }

  @Test("puts each part behind its length, in as few bytes as it takes")
  func lengths() {
    #expect(LengthValue.length(of: 0) == [0] && LengthValue.length(of: 127) == [0x7f])
    #expect(LengthValue.length(of: 128) == [0x80, 1] && LengthValue.length(of: 300) == [0xac, 2])
    #expect(LengthValue.concatenate([1, 2], [], [3]) == [2, 1, 2, 0, 1, 3])
  }

  @Test("compares tags as wholes")
  func comparison() {
    #expect(CPace.areEqual([1, 2, 3], [1, 2, 3]))
    for other: [UInt8] in [[0, 2, 3], [1, 2, 4], [1, 2], []] { #expect(!CPace.areEqual([1, 2, 3], other)) }
    let secret = SecretBytes(copying: [1, 2, 3])
    #expect(secret.isEqual(to: [1, 2, 3]) && !secret.isEqual(to: [1, 2]) && !secret.isEqual(to: [1, 2, 4]))
  }
}
