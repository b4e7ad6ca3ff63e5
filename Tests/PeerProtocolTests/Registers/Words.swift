import Basics
@testable import PeerProtocol

/// Words of tests, by what they say.
extension SpreadWord {
  private init(
    _ topic: WordTopic, by author: NodeID, key: [UInt8] = [], version: UInt64, _ build: (inout ByteWriter) -> Void
  ) {
    var body = ByteWriter()
    build(&body)
    self.init(topic, by: author, key: key, version: version, body: body.bytes)
  }

  init(grouping names: KeySet<String>, by author: NodeID, version: UInt64 = 1) {
    self.init(.groups, by: author, version: version) { GroupList(names).write(to: &$0) }
  }

  init(_ status: MapStatus, by author: NodeID, version: UInt64 = 1) {
    self.init(.mapStatus, by: author, version: version) { status.write(to: &$0) }
  }

  init(declaring declarations: [FrameDeclaration], by author: NodeID, version: UInt64 = 1) {
    self.init(.declarations, by: author, version: version) { DeclarationList(declarations).write(to: &$0) }
  }

  init(measuring measurement: FrameMeasurement, by author: NodeID) {
    self.init(.measurements, by: author, key: measurement.key.bytes, version: measurement.version) {
      FrameMeasurement.write(sessionTime: measurement.sessionTime, measurement.estimate, to: &$0)
    }
  }

  init(attaching facts: [AttachmentFact], by author: NodeID, version: UInt64 = 1) {
    self.init(.attachments, by: author, version: version) { AttachmentList(facts).write(to: &$0) }
  }

  init(removing number: UInt64, of author: NodeID, by remover: NodeID, version: UInt64 = 1) {
    let name = AttachmentName(author: author, number: number)
    self.init(.removals, by: remover, key: name.bytes, version: version) { $0.write(1 as UInt8) }
  }

  /// The groups that it says.
  var groups: [String]? { try? value(as: GroupList.self).groups }
}

extension NodeProbe {
  /// The member at the other end of a link says words, of itself or of others.
  mutating func say(_ words: [SpreadWord], on link: LinkID) {
    send(.words, on: link) { body in for word in words { word.write(to: &body) } }
  }

  /// The words that the node has sent on a link; all other frames are dropped.
  mutating func words(on link: LinkID) throws -> [SpreadWord] {
    try frames(on: link).filter { $0.type == .words }.flatMap { try SpreadWord.read($0.body) }
  }
}
