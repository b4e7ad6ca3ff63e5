import BasicsLinux
import CMicroHTTPD
import Glibc

/// A server of HTTP/1.1 for one page on this machine, by libmicrohttpd; everything is bounded.
package struct HTTPServer: Sendable {
  /// Connections served at once; more wait until others have gone.
  static let connectionLimit = 256
  /// Those of them whose clients have not shown that they are trusted; of more, the oldest ends.
  ///
  /// A client that is trusted shows so within milliseconds, so that any number of slow strangers delays it by no more.
  package static let strangerLimit = 64
  /// The memory of the library for one connection, which bounds the header, too (bytes).
  private static let connectionMemory = 32 * 1024
  /// How often the server looks for clients that have gone or take too long.
  private static let round = Duration.seconds(1)

  /// Answers a request.
  package typealias Handler = @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse

  /// The port it listens on.
  package let port: UInt16
  /// How long a client may take for its request, and for taking a part of the answer.
  private let patience: Duration
  private let certificate: PageCertificate?
  private let socket: ListeningSocket

  /// Listens on the first address of `host`, on any free port for 0; connections wait until ``run(bodyLimit:_:)``.
  ///
  /// - Parameter certificate: Makes it a server of HTTPS.
  package init(
    host: String, port: UInt16, certificate: PageCertificate? = nil, patience: Duration = .seconds(10)
  ) async throws(HTTPFailure) {
    (self.certificate, self.patience) = (certificate, patience)
    do {
      let address = try await NameLookup.addresses(of: host, port: port)[0]
      socket = try ListeningSocket(on: address)
      self.port = socket.port ?? port
    } catch let failure as SystemCallFailure {
      throw HTTPFailure(500, "cannot listen on \(host):\(port): \(failure.reason)")
    } catch {
      throw HTTPFailure(500, "cannot listen on \(host):\(port): \(error)")
    }
  }

  /// Serves until the task is cancelled; connections that come later wait for the next call.
  ///
  /// - Parameters:
  ///   - bodyLimit: The longest body of a request (bytes).
  ///   - trusts: Whether the header of a request shows that its client is no stranger; until then its connection may end.
  ///   - handler: Answers the requests.
  package func run(
    bodyLimit: @escaping HTTPRequest.BodyLimit, trusts: @escaping @Sendable (HTTPRequest) -> Bool = { _ in false },
    _ handler: @escaping Handler
  ) async {
    let access = HTTPAccess(port: port, isSecure: certificate != nil)
    let desk = HTTPDesk(access: access, bodyLimit: bodyLimit, trusts: trusts, patience: patience)
    // The library closes the descriptor that it is given.
    let listener = dup(socket.descriptor)
    guard listener >= 0 else { return }
    let daemon = desk.start(
      listener, certificate, connections: Self.connectionLimit, memory: Self.connectionMemory)
    guard let daemon else {
      close(listener)
      return
    }
    await withDiscardingTaskGroup { group in
      group.addTask {
        while (try? await Task.sleep(for: Self.round)) != nil { desk.sweep(at: .now) }
      }
      for await exchange in desk.requests {
        group.addTask { await Self.answer(exchange, handler) }
      }
      group.cancelAll()
    }
    // The library must not be stopped while a connection is suspended.
    await desk.close()
    MHD_stop_daemon(daemon)
    withExtendedLifetime(desk) {}
  }

  private static func answer(_ exchange: HTTPExchange, _ handler: Handler) async {
    let response: HTTPResponse
    do throws(HTTPFailure) {
      response = try await handler(exchange.request)
    } catch {
      response = HTTPResponse(error)
    }
    exchange.answer(response)
    guard case .stream(let produce) = response.body else { return }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await produce(HTTPWriter(exchange: exchange)) }
      group.addTask { for await _ in exchange.departure() { break } }
      await group.next()
      group.cancelAll()
    }
    exchange.end()
  }
}
