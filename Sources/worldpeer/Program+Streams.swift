import Dispatch
import Glibc
import PeerCLI
import SharedWorld

/// Streams of bytes from and into files; both go on beside the commands.
extension Program {
  /// Opens a stream to a peer, and sends it what is in a file, or comes out of a pipe.
  func sendStream(_ name: String, from path: String, to word: String) async throws {
    let peer = try await member(word)
    let file = try StreamFile(path, O_RDONLY)
    let stream = try await session.streams.open(named: name, to: peer)
    errands.add {
      await self.reportFailure(of: "send-stream") {
        var count = 0
        while let bytes = try await file.read() {
          try await stream.write(bytes)
          count += bytes.count
        }
        try await stream.finish()
        // To let go of a stream before its other end has read everything would reset it.
        while try await stream.read() != nil {}
        await self.console.say(.streamSent(to: self.person(peer), name, bytes: count))
      }
    }
  }

  /// Accepts the next stream of a name, and writes what comes into a file.
  func acceptStream(_ name: String, into path: String) throws {
    let file = try StreamFile(path, O_WRONLY | O_CREAT | O_TRUNC)
    // From now on an opener finds it.
    let streams = session.streams.incoming(named: name)
    errands.add {
      await self.reportFailure(of: "accept-stream") {
        var incoming = streams.makeAsyncIterator()
        guard let stream = await incoming.next() else { return }
        var count = 0
        while let bytes = try await stream.read() {
          try await file.write(bytes)
          count += bytes.count
        }
        // The sender waits for this end.
        try await stream.finish()
        await self.console.say(.streamReceived(from: self.person(stream.peer), stream.name, bytes: count, path: path))
      }
    }
  }

  /// Runs what goes on after its command was answered.
  private func reportFailure(of command: String, _ body: () async throws -> Void) async {
    do {
      try await body()
    } catch {
      guard !Task.isCancelled else { return }
      let failure = ProgramFailure(error)
      console.say(ProgramFailure(failure.code, "\(command): \(failure.message)"), during: nil)
    }
  }
}

/// A file, or a pipe, that a stream is read from or written to, on a thread that may wait.
private final class StreamFile: Sendable {
  /// The most that is read at once (bytes).
  private static let chunk = 64 * 1024
  /// How long one look for bytes may take (milliseconds): a pipe may stay silent, and the program wants to end.
  private static let patience: Int32 = 200

  private let descriptor: Int32
  private let path: String
  private let queue = DispatchQueue(label: "stream")

  init(_ path: String, _ flags: Int32) throws(ProgramFailure) {
    // A pipe without another end must not hold up the commands.
    descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o666)
    self.path = path
    guard descriptor >= 0 else { throw Self.failure("open", path) }
  }

  deinit { close(descriptor) }

  private static func failure(_ verb: String, _ path: String) -> ProgramFailure {
    .io("cannot \(verb) \(path): \(String(cString: strerror(errno)))")
  }

  /// The next bytes; nil at the end.
  func read() async throws -> [UInt8]? {
    let bytes = try await attempt(POLLIN, "read") { () -> [UInt8]? in
      var bytes = [UInt8](repeating: 0, count: Self.chunk)
      let count = Glibc.read(self.descriptor, &bytes, bytes.count)
      return count < 0 ? nil : Array(bytes[..<count])
    }
    return bytes.isEmpty ? nil : bytes
  }

  /// Writes all bytes.
  func write(_ bytes: [UInt8]) async throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest
      rest = rest.dropFirst(
        try await attempt(POLLOUT, "write") { () -> Int? in
          let count = part.withUnsafeBytes { Glibc.write(self.descriptor, $0.baseAddress, $0.count) }
          return count < 0 ? nil : count
        })
    }
  }

  /// Tries until `call` gives something; a nil says that it failed, for the reason in `errno`.
  private func attempt<Value: Sendable>(
    _ events: Int32, _ verb: String, _ call: @Sendable @escaping () -> Value?
  ) async throws -> Value {
    while true {
      try Task.checkCancellation()
      let result: Result<Value, ProgramFailure>? = await withCheckedContinuation { caller in
        queue.async {
          var end = pollfd(fd: self.descriptor, events: Int16(events), revents: 0)
          guard poll(&end, 1, Self.patience) > 0 else { return caller.resume(returning: nil) }
          if let value = call() { return caller.resume(returning: .success(value)) }
          let isLater = errno == EAGAIN || errno == EINTR
          caller.resume(returning: isLater ? nil : .failure(Self.failure(verb, self.path)))
        }
      }
      if let result { return try result.get() }
    }
  }
}
