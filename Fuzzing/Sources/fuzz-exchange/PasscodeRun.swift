import Authentication

/// The proof of a passcode with somebody between the two ends.
struct PasscodeRun {
  private var dialler: PasscodeExchange
  private var listener: PasscodeExchange
  private let isSame: Bool
  private var share: [UInt8] = []
  private var answer = PasscodeExchange.Answer(share: [], tag: [])
  private var proof: [UInt8] = []
  /// Whether what the dialler and the listener believe came from the other one.
  private var isAnswerHonest = false
  private var isProofHonest = false

  init(isSame: Bool) {
    self.isSame = isSame
    func end(_ role: ExchangeRole, _ code: String, _ number: UInt8) -> PasscodeExchange {
      guard let passcode = try? Passcode(code),
        let exchange = try? PasscodeExchange(
          role, passcode: passcode, initiator: Ends.ids[0], responder: Ends.ids[1], secrets: Ends.secrets(number))
      else { preconditionFailure("no exchange") }
      return exchange
    }
    dialler = end(.initiator, "correct horse", 3)
    listener = end(.responder, isSame ? "correct horse" : "battery staple", 4)
  }

  mutating func perform(_ word: UInt8, _ bytes: inout ArraySlice<UInt8>) {
    let isDialler = word & 1 == 0
    switch word >> 1 & 3 {
    case 0:
      if let sent = change(isDialler, { try? $0.begin() }) { share = sent }
    case 1:
      let received = message(word, share, &bytes)
      if let sent = change(isDialler, { try? $0.receive(share: received) }) { answer = sent }
    case 2:
      let received = message(word, answer.share + answer.tag, &bytes)
      let split = PasscodeExchange.Answer(share: Array(received.prefix(32)), tag: Array(received.dropFirst(32)))
      if let sent = change(isDialler, { try? $0.receive(answer: split) }) {
        (proof, isAnswerHonest) = (sent, split == answer)
      }
    default:
      let received = message(word, proof, &bytes)
      if change(isDialler, { try? $0.receive(proof: received) }) != nil { isProofHonest = received == proof }
    }
  }

  /// A passcode is believed by those that have it, from each other alone.
  func check() {
    precondition(isSame || !dialler.isProven && !listener.isProven, "a wrong passcode is believed")
    precondition(!dialler.isProven || isAnswerHonest, "an answer is believed that nobody gave")
    precondition(!listener.isProven || isProofHonest, "a proof is believed that nobody gave")
  }

  private mutating func change<R>(_ isDialler: Bool, _ body: (inout PasscodeExchange) -> R?) -> R? {
    let result = isDialler ? body(&dialler) : body(&listener)
    precondition(result != nil || !(isDialler ? dialler : listener).isProven, "a failure leaves a proof")
    return result
  }
}
