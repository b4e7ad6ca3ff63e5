import Basics

/// The part of a node's record about an owned session that is kept over the end of its process.
package struct GovernanceRecord: Sendable, Equatable {
  /// Statements that are kept, those first on which others depend.
  package static let limit = 2048

  package let genesis: Genesis
  package let statements: [Statement]

  package init(_ genesis: Genesis, _ statements: [Statement]) {
    self.genesis = genesis
    self.statements = Array(statements.prefix(Self.limit))
  }

  func write(to writer: inout ByteWriter) {
    genesis.write(to: &writer)
    writer.writeVarint(UInt64(statements.count))
    for statement in statements { statement.write(to: &writer) }
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    genesis = try Genesis(reading: &reader)
    var statements: [Statement] = []
    for _ in 0..<(try reader.readCount(limit: Self.limit)) { statements.append(try Statement(reading: &reader)) }
    self.statements = statements
  }
}
