import Basics
import BasicsLinux
package import PeerCLI
package import SharedWorld

/// Where the page is served, and who may use it: a page stays open while a session takes the place of another.
package struct PageDoor: Sendable {
  /// One server of the page.
  private struct Entrance {
    let server: HTTPServer
    let scheme: String
    let host: String

    /// Where it is, as a browser writes it.
    var place: String { "\(scheme)://\(PeerAddress(host: host, port: server.port))" }

    /// Whether other machines reach it.
    var isOpenToOthers: Bool { !HTTPAccess.isLoopback(host) }
  }

  let key = PageKey()
  private let plain: Entrance
  private let secure: Entrance?
  /// The fingerprint of the certificate; nil without HTTPS.
  package let fingerprint: String?

  /// Listens at an address of this machine.
  ///
  /// - Parameters:
  ///   - address: Where the page is served by HTTP.
  ///   - secure: Where it is served by HTTPS as well; nil for nowhere.
  ///   - folder: Where the key for that is kept; nil for the folder of the keys of peers.
  package init(
    at address: PeerAddress, securelyAt secure: PeerAddress? = nil, keysIn folder: String? = nil
  ) async throws(ProgramFailure) {
    do {
      plain = try await Self.entrance(at: address, nil)
      let certificate: PageCertificate? =
        if secure != nil { try PageCertificate(keptIn: folder ?? IdentityStore.defaultDirectory()) } else { nil }
      fingerprint = certificate?.fingerprint
      if let secure { self.secure = try await Self.entrance(at: secure, certificate) } else { self.secure = nil }
    } catch let error as HTTPFailure {
      throw .io(error.message)
    } catch let error as SessionError {
      throw ProgramFailure(error)
    } catch {
      throw .io("\(error)")
    }
  }

  private static func entrance(
    at address: PeerAddress, _ certificate: PageCertificate?
  ) async throws(HTTPFailure) -> Entrance {
    Entrance(
      server: try await HTTPServer(host: address.host, port: address.port, certificate: certificate),
      scheme: certificate == nil ? "http" : "https",
      host: reachable(address.host, among: InterfaceAddress.all()))
  }

  var servers: [HTTPServer] { [plain.server] + (secure.map { [$0.server] } ?? []) }

  /// The port the page is served on by HTTP.
  package var port: UInt16 { plain.server.port }

  /// The page's address, which works once.
  package var address: String { "\(plain.place)/#\(key.currentToken(for: .everything))" }

  /// The same for other machines, for pages that may do so much; nil where none reaches the page.
  func addressForOthers(for access: PageKey.Access = .everything) -> String? {
    let entrance = [secure, plain].compactMap(\.self).first(where: \.isOpenToOthers)
    return entrance.map { "\($0.place)/#\(key.currentToken(for: access))" }
  }

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
}
