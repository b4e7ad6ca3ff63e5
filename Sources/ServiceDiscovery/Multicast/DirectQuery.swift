/// A question that is answered at once and to this peer alone, by unicast (RFC 6762 §6.7).
///
/// A responder asks by multicast, and one that has just announced a record does not repeat it within the next half second; a
/// browser asks again after a second. Confined to the thread of its owner, which sends it and takes its answers.
final class DirectQuery: RecordQuery {
  /// The pause after the first question; each later one is twice as long.
  private static let firstPause: Duration = .milliseconds(500)

  /// The message to send.
  let question: [UInt8]
  /// When it is sent.
  private(set) var due: ContinuousClock.Instant
  private(set) var isClosed = false

  private let name: [UInt8]
  private let type: RecordType
  private let onAnswer: ([UInt8], UInt32) -> Void
  private var pause = firstPause

  /// A question for the records of a name in text form; `nil` for a name that DNS cannot carry.
  init?(name: String, type: RecordType, at now: ContinuousClock.Instant, onAnswer: @escaping ([UInt8], UInt32) -> Void)
  {
    guard let labels = DomainName.labels(ofText: name) else { return nil }
    (self.name, self.type, self.onAnswer, due) = (labels, type, onAnswer, now)
    question = MulticastMessage.question(for: [labels], type)
  }

  func close() { isClosed = true }

  /// It was sent: it is again after a pause, since datagrams get lost.
  func noteSent(at now: ContinuousClock.Instant) {
    due = now + pause
    pause = pause * 2
  }

  /// Takes records that have come on an interface.
  func take(_ records: [MulticastRecord], on interface: UInt32) {
    guard !isClosed else { return }
    for record in records
    where record.type == type && record.lifetime > 0 && DomainName.areEqual(record.owner, name) {
      onAnswer(record.data, interface)
    }
  }
}
