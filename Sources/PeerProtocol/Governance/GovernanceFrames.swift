package import Basics
import WorldModel

/// The first word about an owned session on a link: its genesis, and the statements about the two ends of the link.
package struct Charter: Sendable, Equatable, FrameBody {
  /// Statements in one charter: an admission or a removal of each end, and the naming of its signer.
  package static let statementLimit = 4
  /// Bytes of the longest charter.
  static let largest = Genesis.size + 1 + statementLimit * Statement.largest

  package let genesis: Genesis
  package let statements: [Statement]

  package init(_ genesis: Genesis, _ statements: [Statement]) {
    self.genesis = genesis
    self.statements = Array(statements.prefix(Self.statementLimit))
  }

  package func write(to writer: inout ByteWriter) {
    genesis.write(to: &writer)
    StatementsFrame(statements).write(to: &writer)
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    genesis = try Genesis(reading: &reader)
    let offset = reader.offset
    statements = try StatementsFrame(reading: &reader).statements
    guard statements.count <= Self.statementLimit else {
      throw .overLimit(limit: Self.statementLimit, offset: offset)
    }
  }
}

/// Some statements of the session that both ends are in.
package struct StatementsFrame: Sendable, Equatable, FrameBody {
  /// Statements in one frame.
  package static let limit = 64

  package let statements: [Statement]

  package init(_ statements: [Statement]) {
    self.statements = statements
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(UInt8(statements.count))
    for statement in statements { statement.write(to: &writer) }
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    statements = try reader.readShortList(of: Statement.self, limit: Self.limit)
  }
}

/// The hash of all statements that the sender holds: a receiver with another one sends all of its own.
package struct StatementsDigest: Sendable, Equatable, FrameBody {
  /// Bytes on the wire.
  package static let size = 32

  package let digest: SHA256Digest

  package init(_ digest: SHA256Digest) {
    self.digest = digest
  }

  package func write(to writer: inout ByteWriter) { writer.write(digest) }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    digest = try reader.readDigest()
  }
}
