/// Lets strangers have the time that members leave: in one round of the loop one step of one stranger is carried out, such as
/// half of a TLS handshake, and only after all that members have sent was handled and all for them has left.
///
/// A flood of handshakes so holds up members by one step at most. The gate bounds how many strangers wait here.
final class StrangerQueue: RoundHandler {
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
