import BasicsLinux

/// A small HTTP/1.1 server for one page on this machine: a request a connection, everything bounded.
package struct HTTPServer: Sendable {
  /// Connections served at once; more wait until others have gone.
  package static let connectionLimit = 16
  /// How long a client may take for its request, and for taking a part of the answer.
  package static let patience = Duration.seconds(10)

  /// Answers a request.
  package typealias Handler = @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse

  /// The port it listens on.
  package let port: UInt16
  private let socket: HTTPSocket

  /// Listens on the first address of `host`, on any free port for 0; connections wait until ``run(_:)``.
  package init(host: String, port: UInt16) async throws(HTTPFailure) {
    do {
      let address = try await NameLookup.addresses(of: host, port: port)[0]
      socket = try HTTPSocket.listen(on: address)
      self.port = socket.localPort ?? port
    } catch let failure as SystemCallFailure {
      throw HTTPFailure(500, "cannot listen on \(host):\(port): \(failure.reason)")
    } catch {
      throw HTTPFailure(500, "cannot listen on \(host):\(port): \(error)")
    }
  }

  /// Serves until the task is cancelled.
  ///
  /// - Parameter bodyLimit: The longest body of a request (bytes).
  package func run(bodyLimit: @escaping HTTPRequestReader.BodyLimit, _ handler: @escaping Handler) async {
    let access = HTTPAccess(port: port)
    await withTaskGroup(of: Void.self) { group in
      var connections = 0
      while !Task.isCancelled {
        if connections == Self.connectionLimit {
          await group.next()
          connections -= 1
        }
        guard let client = await socket.accept() else {
          // Without a free descriptor the connection stays in the queue: look again later.
          try? await Task.sleep(for: .milliseconds(100))
          continue
        }
        group.addTask { await Self.serve(client, access, bodyLimit, handler) }
        connections += 1
      }
      group.cancelAll()
    }
  }

  private static func serve(
    _ client: HTTPSocket, _ access: HTTPAccess, _ bodyLimit: @escaping HTTPRequestReader.BodyLimit, _ handler: Handler
  ) async {
    let response: HTTPResponse
    do throws(HTTPFailure) {
      guard let request = try await read(from: client, bodyLimit) else { return }
      try access.check(request)
      response = try await handler(request)
    } catch {
      response = HTTPResponse(error)
    }
    guard await client.write(response.head, timeout: patience) else { return }
    switch response.body {
    case .bytes(let bytes):
      if await client.write(bytes, timeout: patience) { await client.finish() }
    case .stream(let produce):
      await withTaskGroup(of: Void.self) { group in
        group.addTask { try? await produce(HTTPWriter(socket: client)) }
        // Whatever a client sends now, and its end above all, means that it no longer listens.
        group.addTask { _ = await client.read() }
        await group.next()
        group.cancelAll()
      }
    }
  }

  private static func read(
    from client: HTTPSocket, _ bodyLimit: @escaping HTTPRequestReader.BodyLimit
  ) async throws(HTTPFailure) -> HTTPRequest? {
    var reader = HTTPRequestReader(bodyLimit: bodyLimit)
    var deadline = ContinuousClock.now + patience
    while let bytes = await client.read(timeout: max(deadline - .now, .zero)) {
      if let request = try reader.append(bytes) { return request }
      // A file takes as long as its bytes do: at least 64 KiB a second.
      if reader.isInBody { deadline += .seconds(1) * bytes.count / 65536 }
    }
    return nil
  }
}

/// Where a streamed answer goes.
package struct HTTPWriter: Sendable {
  let socket: HTTPSocket

  /// Sends text; throws when the client is gone.
  package func write(_ text: String) async throws {
    guard await socket.write(Array(text.utf8), timeout: HTTPServer.patience) else { throw CancellationError() }
  }
}
