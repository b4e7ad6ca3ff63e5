import Basics
import BasicsLinux

/// Follows the addresses under which a listening peer can be reached, as this machine joins and leaves networks.
///
/// It is confined to its loop.
final class AddressFollower: EventHandler {
  /// Changes come in bursts, interface by interface: they are looked at together (nanoseconds).
  private static let patience: UInt64 = 200_000_000

  private let loop: EventLoop
  private let news: AddressNews
  private let address: SocketAddress
  private let onChange: ([SocketAddress]) -> Void
  private var known: [SocketAddress]
  private var timer: LoopTimer?

  /// Begins to follow; nil where the system forbids it, and the addresses then stay those of the start.
  init?(loop: EventLoop, listeningOn address: SocketAddress, _ onChange: @escaping ([SocketAddress]) -> Void) {
    guard let news = AddressNews() else { return nil }
    (self.loop, self.news, self.address, self.onChange) = (loop, news, address, onChange)
    known = address.reachable
    guard (try? loop.watch(news.descriptor, for: .readable, handler: self)) != nil else { return nil }
    timer = loop.makeTimer { [unowned self] in look() }
  }

  func handle(_ readiness: Readiness) {
    news.drain()
    // From the first change of a burst on: changes without end do not put the look off.
    if let timer, timer.deadline == nil { timer.deadline = loop.now + Self.patience }
  }

  /// Follows no longer.
  func stop() {
    timer = nil
    loop.unwatch(news.descriptor)
  }

  private func look() {
    let found = address.reachable
    guard found != known else { return }
    known = found
    onChange(found)
  }
}
