import Basics
import Glibc

/// Decides which requests come from the page itself.
///
/// A page of another site can make a browser send requests here, and with a name that it points at this machine (DNS
/// rebinding) even read the answers. So the host must be an address, `localhost` or this machine's own name, which no site can
/// choose, and whatever changes something must come from the page's own origin.
package struct HTTPAccess: Sendable {
  private let port: UInt16
  private let scheme: String
  /// In lower case.
  private let names: Set<String>

  /// Access to a server on `port`, over TLS or not, of the machine with this name.
  package init(port: UInt16, isSecure: Bool = false, machine: String = HTTPAccess.machine) {
    self.port = port
    scheme = isSecure ? "https" : "http"
    names = Set(Self.names(of: machine.lowercased()))
  }

  /// The names under which browsers reach a machine: the network knows it as `NAME.local` (RFC 6762 §3).
  static func names(of machine: String) -> [String] { ["localhost", machine, machine + ".local"] }

  /// The name of this machine without its domain.
  package static var machine: String {
    var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
    guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
    return String(decoding: name.prefix { $0 != 0 && $0 != 46 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Refuses a request that another site may have caused.
  package func check(_ request: HTTPRequest) throws(HTTPFailure) {
    guard let host = request.field("host"), isOwn(host) else {
      throw HTTPFailure(403, "open this page by its address, not by another name")
    }
    if let origin = request.field("origin"), origin != "\(scheme)://\(host)" {
      throw HTTPFailure(403, "another site sent this request")
    }
    // Without an origin a browser sends neither to another site unasked (Fetch §2.2.2, a "simple" content type).
    let type = request.field("content-type").map { $0.prefix { $0 != ";" }.lowercased() }
    guard request.method == "GET" || type == "application/json" || type == "application/octet-stream" else {
      throw HTTPFailure(415, "send application/json, or a file as application/octet-stream")
    }
  }

  private func isOwn(_ host: String) -> Bool {
    let suffix = ":\(port)"
    // Browsers leave out the usual port.
    guard host.hasSuffix(suffix) || port == (scheme == "https" ? 443 : 80) else { return false }
    let name = host.hasSuffix(suffix) ? String(host.dropLast(suffix.count)) : host
    return names.contains(name.lowercased()) || Self.isAddress(name)
  }

  /// Whether a name or an address leads to one's own machine.
  static func isLoopback(_ host: String) -> Bool { SocketAddress.Host(host).map(\.isLoopback) ?? (host == "localhost") }

  /// Whether a browser that shows this host, perhaps with a port, reaches a server of its own machine.
  static func isLoopback(shown host: String) -> Bool {
    isLoopback(String(host.hasPrefix("[") ? host.dropFirst().prefix { $0 != "]" } : host.prefix { $0 != ":" }))
  }

  private static func isAddress(_ name: String) -> Bool {
    var address = in6_addr()
    if name.hasPrefix("["), name.hasSuffix("]") {
      return inet_pton(AF_INET6, String(name.dropFirst().dropLast()), &address) == 1
    }
    return inet_pton(AF_INET, name, &address) == 1
  }
}
