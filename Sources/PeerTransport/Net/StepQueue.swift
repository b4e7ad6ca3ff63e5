/// Lets links have the time that others leave: in one round of the loop one of them takes one step, such as a read or a record of
/// a TLS handshake, and only after all that the others have sent was handled and all for them has left.
///
/// A flood on the links that wait here so holds up the others by one step at most.
final class StepQueue: RoundHandler {
  private let loop: EventLoop
  private var waiting: [(link: SecureLink, readiness: Readiness)] = []
  private var isAwaited = false

  init(loop: EventLoop) { self.loop = loop }

  /// Serves a link in its turn; once, however often its readiness is reported until then.
  func add(_ link: SecureLink, _ readiness: Readiness) {
    if let index = waiting.firstIndex(where: { $0.link === link }) {
      waiting[index].readiness = readiness
    } else {
      waiting.append((link, readiness))
    }
    request()
  }

  /// Serves one link; called by the loop.
  func endRound() {
    isAwaited = false
    guard !waiting.isEmpty else { return }
    let (link, readiness) = waiting.removeFirst()
    link.serve(readiness)
    if !waiting.isEmpty { request() }
  }

  private func request() {
    guard !isAwaited else { return }
    isAwaited = true
    loop.afterRound(self)
  }
}
