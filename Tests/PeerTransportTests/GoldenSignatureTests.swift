import Basics
import Foundation
import PeerTransport
import Testing
import WorldModel

@testable import PeerProtocol

/// `Fixtures/Wire/signed.txt`: statements and removal witnesses with real signatures, made from the pages by `signed.py`.
@Suite struct GoldenSignatureTests {
  private let vectors: [String: [UInt8]]

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Fixtures/Wire/signed.txt").standardizedFileURL
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
    let pairs = try lines.map { line in
      let words = line.split(separator: " ").map(String.init)
      return (words[0], try #require([UInt8](hexadecimal: words[1])))
    }
    vectors = Dictionary(uniqueKeysWithValues: pairs)
  }

  private func bytes(_ name: String) throws -> [UInt8] { try #require(vectors[name]) }

  private func value<Value: FrameBody>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
    let body = try bytes(name)
    return try Value(body: body.span.bytes)
  }

  private static func signatures(_ identity: TLSIdentity) -> Signatures {
    Signatures(
      publicKey: identity.publicKey, sign: { try? identity.signature(over: $0) },
      verify: { TLSIdentity.verifies($0, over: $1, key: $2) }, peerID: { TLSIdentity.peerID(ofKey: $0) })
  }

  /// Those of each name, by its public key.
  private func signers() throws -> [[UInt8]: Signatures] {
    let names = vectors.keys.filter { $0.hasPrefix("seed-") }
    let all = try names.map { Self.signatures(try TLSIdentity(seed: bytes($0))) }
    return Dictionary(uniqueKeysWithValues: all.map { ($0.publicKey, $0) })
  }

  @Test func `the session and every signature of a statement are made from the seeds, byte by byte`() throws {
    let (genesis, signers) = (try value("genesis", as: Genesis.self), try signers())
    #expect(try genesis.session.bytes == bytes("session"))
    let statements = try value("statements", as: StatementsFrame.self).statements
    #expect(statements.count == 8)
    for statement in statements {
      let signer = try #require(signers[statement.key])
      let again = try #require(statement.signed(by: signer, in: genesis.session))
      #expect(again.signature.hexadecimal == statement.signature.hexadecimal)
      let signed = statement.signedBytes(in: genesis.session)
      #expect(signer.verify(statement.signature, signed, statement.key))
      #expect(!signer.verify(statement.signature, signed + [0], statement.key))
    }
    #expect(try value("charter", as: Charter.self).statements == Array(statements.prefix(2)))
  }

  /// Peers with their roles, 255 for removed ones.
  private func roles(_ name: String) throws -> [[UInt8]] {
    let golden = try bytes(name)
    return stride(from: 0, to: golden.count, by: 33).map { Array(golden[$0..<$0 + 33]) }
  }

  private static func peer(_ bytes: [UInt8]) throws -> PeerID {
    try #require(PeerID(bytes.prefix(32).hexadecimal))
  }

  private static func roles(in book: StatementBook, like golden: [[UInt8]]) throws -> [[UInt8]] {
    try golden.map { try $0.prefix(32) + [book.role(of: peer($0))?.rawValue ?? 255] }
  }

  /// The cuts of those that are removed.
  private static func cuts(in book: StatementBook, of golden: [[UInt8]]) throws -> [UInt8] {
    var writer = ByteWriter()
    for bytes in golden where bytes[32] == 255 {
      for cut in (try book.cuts(of: peer(bytes)) ?? [:]).sorted(by: { $0.key < $1.key }) {
        writer.write(cut.key)
        writer.write(cut.value)
      }
    }
    return writer.bytes
  }

  @Test(arguments: [false, true])
  func `the roles, the cuts and the digest follow from them in any order`(isReversed: Bool) throws {
    var book = StatementBook(creator: TLSIdentity.peerID(ofKey: try value("genesis", as: Genesis.self).creator))
    let statements = try value("statements", as: StatementsFrame.self).statements
    // Those on which others depend come first at a real node; here they come until nothing is news.
    for _ in statements {
      for statement in isReversed ? statements.reversed() : statements {
        book.add(statement, by: TLSIdentity.peerID(ofKey: statement.key))
      }
    }
    #expect(try Self.roles(in: book, like: roles("roles")) == roles("roles"))
    #expect(try Self.cuts(in: book, of: roles("roles")) == bytes("cuts-dave"))
    book.time = 1_800_000_000_000
    #expect(try Self.roles(in: book, like: roles("roles-later")) == roles("roles-later"))
    #expect(try book.isLocked && book.digest.bytes == bytes("statements-digest"))
  }

  @Test func `removal witnesses are made from the seeds, and one of another subject is not signed`() throws {
    let signers = try signers()
    for witness in try value("removal-witnesses", as: RemovalWitnesses.self).witnesses {
      let signer = try #require(signers[witness.key])
      #expect(
        witness.isSigned(signer) && RemovalWitness(of: witness.subject, by: witness.incarnation, signer) == witness)
      let other = RemovalWitness(
        key: witness.key, subject: Statement.none, incarnation: witness.incarnation, signature: witness.signature)
      #expect(!other.isSigned(signer))
    }
  }
}
