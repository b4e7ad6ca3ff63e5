import Basics
import PeerTransport
import Testing
import WorldModel

@Suite struct TLSIdentityTests {
  private static let seed = [UInt8](0..<32)

  @Test func `the peer id is the hash of the public key info`() throws {
    // RFC 8032 §7.1 test 1: secret key 9d61…, public key d75a…
    let secret = try #require(
      [UInt8](hexadecimal: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
    let info = try #require(
      [UInt8](
        hexadecimal: "302a300506032b6570032100d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))
    #expect(try TLSIdentity(seed: secret).peerID == PeerID(SHA256Digest(hashing: info)))
  }

  @Test func `PEM survives a round trip and depends on the key alone`() throws {
    let text = try TLSIdentity(seed: Self.seed).pem()
    #expect(try TLSIdentity(pem: text).pem() == text)
    #expect(try TLSIdentity(seed: Self.seed).pem() == text)
    #expect(try TLSIdentity().pem() != text)
    #expect(String(decoding: text, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
  }

  @Test func `a text cut anywhere is refused`() throws {
    let text = try TLSIdentity(seed: Self.seed).pem()
    for count in stride(from: 0, to: text.count - 2, by: 7) + [text.count - 3] {
      #expect(throws: TLSIdentity.PEMFailure.self) { try TLSIdentity(pem: Array(text.prefix(count))) }
    }
  }

  @Test func `every other text is refused with its reason`() throws {
    func failure(_ text: String) -> TLSIdentity.PEMFailure? {
      do {
        _ = try TLSIdentity(pem: Array(text.utf8))
        return nil
      } catch {
        return error
      }
    }
    func blocks(_ seed: [UInt8]) throws -> (key: String, certificate: String) {
      let text = String(decoding: try TLSIdentity(seed: seed).pem(), as: UTF8.self)
      let cut = try #require(text.firstRange(of: "-----BEGIN CERTIFICATE"))
      return (String(text[..<cut.lowerBound]), String(text[cut.lowerBound...]))
    }
    let (key, certificate) = try blocks(Self.seed)
    let (otherKey, _) = try blocks([UInt8](1...32))
    #expect(failure("") == .noPrivateKey)
    #expect(failure("not PEM at all") == .noPrivateKey)
    #expect(failure(certificate) == .noPrivateKey)
    #expect(failure(key) == .noCertificate)
    #expect(failure(otherKey + certificate) == .otherKey)
    #expect(failure(Fixture.ellipticKey + certificate) == .notEd25519)
    #expect(failure(Fixture.lockedKey + certificate) == .noPrivateKey)
    #expect(failure(certificate + key) == nil)
  }
}

private enum Fixture {
  /// A P-256 key, made for this test by `openssl genpkey`.
  static let ellipticKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjBBUq3MODQNNaf1p
    PGFdBHQIJ8EAVl8eSYHR76Fl6KWhRANCAASiHyk9L6g9Prcb22q9fk2VqnNfN2y0
    qeTttkkQAjCF4uLgcVil76hVUn2eUpgoEx32Q8lH6eSUyQ2XHgfc2P03
    -----END PRIVATE KEY-----

    """
  /// An Ed25519 key under the password `secret`; nobody may be asked for it.
  static let lockedKey = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiJAgKCHl0oKgICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEGh3BMSM5YBfz3GVv9L0AaoEQHMf
    7wVLHZIX+VvMx+fwgRXwX8V0LfK0qVZMWjmk0eC8R/lkJ/13my9i+D97DP6qMBhy
    Z0QLiHMLpKygg4KsF7s=
    -----END ENCRYPTED PRIVATE KEY-----

    """
}
