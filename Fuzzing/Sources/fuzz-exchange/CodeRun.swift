import Authentication

/// A comparison of codes with somebody between the two ends.
struct CodeRun {
  private var dialler = CodeExchange(
    .initiator, initiator: Ends.ids[0], responder: Ends.ids[1], secrets: Ends.secrets(3))
  private var listener = CodeExchange(
    .responder, initiator: Ends.ids[0], responder: Ends.ids[1], secrets: Ends.secrets(4))
  private var commitment: [UInt8] = []
  private var answer: [UInt8] = []
  private var reveal: [UInt8] = []
  /// Whether nothing but honest messages has arrived.
  private var isHonest = true

  mutating func perform(_ word: UInt8, _ bytes: inout ArraySlice<UInt8>) {
    let isDialler = word & 1 == 0
    switch word >> 1 & 3 {
    case 0:
      if let sent = change(isDialler, { try? $0.begin() }) { commitment = sent }
    case 1:
      let received = take(word, commitment, &bytes)
      if let sent = change(isDialler, { try? $0.receive(commitment: received) }) { answer = sent }
    case 2:
      let received = take(word, answer, &bytes)
      if let sent = change(isDialler, { try? $0.receive(nonce: received) }) { reveal = sent }
    default:
      let received = take(word, reveal, &bytes)
      change(isDialler) { try? $0.receive(reveal: received) }
    }
  }

  /// Two ends that have heard nothing but each other show the same.
  func check() {
    guard let one = dialler.code, let other = listener.code, isHonest else { return }
    precondition(one == other, "two honest ends show different codes")
  }

  private mutating func take(_ word: UInt8, _ sent: [UInt8], _ bytes: inout ArraySlice<UInt8>) -> [UInt8] {
    let received = message(word, sent, &bytes)
    if received != sent { isHonest = false }
    return received
  }

  @discardableResult
  private mutating func change<R>(_ isDialler: Bool, _ body: (inout CodeExchange) -> R?) -> R? {
    let result = isDialler ? body(&dialler) : body(&listener)
    precondition(result != nil || (isDialler ? dialler : listener).code == nil, "a code is shown after a failure")
    return result
  }
}
