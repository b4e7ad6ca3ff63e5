import PeerProtocol

/// The app's drivers on the links that are not authenticated yet.
struct DriverDesk {
  /// The way to the driver of a link.
  private struct Line {
    let data: AsyncStream<[UInt8]>.Continuation
    let end: AsyncStream<Never>.Continuation
  }

  private var lines: Table<LinkID, Line> = [:]

  /// Runs a driver for a link until its verdict or ``end(_:)``; whether there was room for it.
  mutating func open(
    _ link: LinkID, jobs: JobQueue, _ make: @escaping @Sendable () -> any Authenticator,
    answer: @escaping @Sendable (HandshakeStep) async -> Void
  ) -> Bool {
    // The node bounds what it lets through.
    let (data, dataLine) = AsyncStream.makeStream(of: [UInt8].self)
    let (end, endLine) = AsyncStream.makeStream(of: Never.self)
    lines[link] = Line(data: dataLine, end: endLine)
    return jobs.add {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await Self.run(make(), on: data, answer) }
        group.addTask { for await _ in end {} }
        // The verdict has no effect once the link has ended, whatever the driver still waits for.
        await group.next()
        group.cancelAll()
      }
    }
  }

  /// The other driver has sent data.
  func take(_ data: [UInt8], on link: LinkID) { lines[link]?.data.yield(data) }

  /// Nothing more comes.
  mutating func end(_ link: LinkID) {
    guard let line = lines.removeValue(forKey: link) else { return }
    line.data.finish()
    line.end.finish()
  }

  private static func run(
    _ driver: any Authenticator, on data: AsyncStream<[UInt8]>, _ answer: @Sendable (HandshakeStep) async -> Void
  ) async {
    var driver = driver
    var step = await driver.opened()
    await answer(HandshakeStep(step))
    var arrived = data.makeAsyncIterator()
    while step.state == .authenticating, let next = await arrived.next() {
      step = await driver.received(next)
      await answer(HandshakeStep(step))
    }
  }
}

extension HandshakeStep {
  fileprivate init(_ step: AuthenticationStep) {
    switch step.state {
    case .authenticating: self.init(sending: step.data)
    case .authenticated: self.init(sending: step.data, .authenticated)
    case .failed(let reason): self.init(sending: step.data, .refused(reason: reason))
    }
  }
}
