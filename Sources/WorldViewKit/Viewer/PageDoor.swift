import Basics
import BasicsLinux
package import PeerCLI
package import SharedWorld

/// Where the page is served, and who may use it: a page stays open while a session takes the place of another.
package struct PageDoor: Sendable {
  let server: HTTPServer
  let key = PageKey()
  private let host: String

  /// Listens at an address of this machine.
  package init(at address: PeerAddress) async throws(ProgramFailure) {
    host = Self.reachable(address.host, among: InterfaceAddress.all())
    do throws(HTTPFailure) {
      server = try await HTTPServer(host: address.host, port: address.port)
    } catch {
      throw .io(error.message)
    }
  }

  /// The port the page is served on.
  package var port: UInt16 { server.port }

  /// The page's address, which works once.
  package var address: String { "http://\(PeerAddress(host: host, port: port))/#\(key.currentToken)" }

  /// Whether other machines reach the page.
  var isOpenToOthers: Bool { SocketAddress.Host(host).map { !$0.isLoopback } ?? (host != "localhost") }

  /// An address of this machine that others reach where it listens on all of them, which is none to open.
  private static func reachable(_ host: String, among addresses: [InterfaceAddress]) -> String {
    guard host == "0.0.0.0" || host == "::" else { return host }
    let own = addresses.filter { $0.flags.contains(.up) && !$0.flags.contains(.loopback) }.map(\.host)
    return reachable(host, among: own)
  }

  /// The same, among addresses that lead to this machine from outside.
  package static func reachable(_ host: String, among own: [SocketAddress.Host]) -> String {
    // Every browser takes an IPv4 address, and a socket on `::` takes those too.
    if let found = own.first(where: \.isIPv4) { return "\(found)" }
    guard host == "::" else { return "127.0.0.1" }
    // A link-local address needs a scope, which no browser takes.
    return own.first { !$0.isLinkLocal }.map { "\($0)" } ?? "::1"
  }
}

extension SocketAddress.Host {
  fileprivate var isIPv4: Bool { if case .ipv4 = self { true } else { false } }

  fileprivate var isLoopback: Bool { "\(self)" == "::1" || "\(self)".hasPrefix("127.") }
}
