import Foundation
import Synchronization
import TestSupport

/// One line of JSON from a `worldpeer`, with the fields that the tests look at.
struct Line: Decodable, Sendable {
  let event: String
  let t: Double
  let clock: Double
  let command: String?
  let code: String?
  let peerID: String?
  let name: String?
  let port: Int?
  let reason: String?
  let id: String?
  let position: Place?
  let digest: String?
  let mapID: String?
  let stage: String?
  let relocalized: Bool?
  let confirmed: Bool?
  let points: Int?
  let host: String?
  let roster: [Person]?
  let placed: [Placed]?
  let anchors: Anchors?
  let link: String?
  let text: String?
  let number: UInt64?
  let numbers: [UInt64]?
  let key: String?
  let groups: [String]?
  let memberships: [Membership]?
  let resourceID: String?
  let attachments: [AttachedFile]?
  let path: String?
  let state: String?
  let matrix: [Double]?
  let by: String?
  let peers: Peers?

  /// A position (metres); of no coordinates where an event has something else under that name.
  struct Place: Decodable, Sendable {
    let coordinates: [Float]

    init(from decoder: any Decoder) throws {
      coordinates = (try? decoder.singleValueContainer().decode([Float].self)) ?? []
    }
  }

  /// An attachment of an answer.
  struct AttachedFile: Decodable, Sendable {
    let file: String
  }

  /// The alignments of an answer, or in other answers how many peers there are.
  struct Peers: Decodable, Sendable {
    struct Alignment: Decodable, Sendable {
      let name: String
      let state: String
      let residual: Double
      let matrix: [Double]?
    }

    let alignments: [Alignment]?

    init(from decoder: any Decoder) throws {
      alignments = try? decoder.singleValueContainer().decode([Alignment].self)
    }
  }

  struct Placed: Decodable, Sendable {
    let id: String
    let clock: Double
  }

  /// The anchors by name, or in some answers only how many there are.
  struct Anchors: Decodable, Sendable {
    private struct Named: Decodable { let name: String }

    let names: [String]?

    init(from decoder: any Decoder) throws {
      names = try? decoder.singleValueContainer().decode([Named].self).map(\.name)
    }
  }

  struct Membership: Decodable, Equatable, Sendable {
    let name: String
    let groups: [String]
  }

  struct Person: Decodable, Equatable, Sendable {
    let peerID: String
    let name: String
  }
}

/// A `worldpeer` in a process of its own, driven by its contract: commands in, JSON lines out.
final class PeerProcess: Sendable {
  private struct Heard {
    var lines: [Line] = []
    var hasEnded = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// The peer ended before it said what a test waits for.
  struct Ended: Error {
    let name: String
    let lines: [Line]
  }

  let name: String
  private let process = Process()
  private let input: FileHandle
  private let heard = Mutex(Heard())

  /// Starts a peer that listens on loopback and, unless it has another way of discovery, is found by its address alone.
  init(
    _ name: String, in folder: URL, _ options: [String] = [], port: Int = 0, input null: FileHandle? = nil,
    discovery: String = "none", environment: [String: String] = [:]
  ) throws {
    self.name = name
    let (commands, output) = (Self.pipe(), Self.pipe())
    input = commands.writing
    process.executableURL = Self.program
    process.arguments =
      ["--name", name, "--json", "--discovery", discovery, "--listen", "127.0.0.1:\(port)"]
      + ["--identity", folder.appending(path: name).path] + options
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = null ?? commands.reading
    process.standardOutput = output.writing
    try process.run()
    try commands.reading.close()
    try output.writing.close()
    let thread = Thread { [self] in listen(to: output.reading) }
    thread.start()
  }

  /// Two ends of a pipe that no program inherits which another test starts at the same moment: it would hold them open.
  private static func pipe() -> (reading: FileHandle, writing: FileHandle) {
    var ends: [Int32] = [-1, -1]
    // Sockets, as `pipe` cannot close its ends on exec from the start.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0, "no descriptors are left")
    return (
      FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
      FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    )
  }

  /// The build puts the program beside the one that runs the tests.
  static var program: URL { ProgramRun.products.appending(path: "worldpeer") }

  private func listen(to output: FileHandle) {
    var rest = Data()
    while case let more = output.availableData, !more.isEmpty {
      rest += more
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        if let line = try? JSONDecoder().decode(Line.self, from: rest[..<end]) { note { $0.lines.append(line) } }
        rest = Data(rest[(end + 1)...])
      }
    }
    process.waitUntilExit()
    note { $0.hasEnded = true }
  }

  private func note(_ change: (inout Heard) -> Void) {
    let waiters = heard.withLock { heard in
      change(&heard)
      defer { heard.waiters = [] }
      return heard.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Gives the peer a command.
  func send(_ line: String) throws {
    try input.write(contentsOf: Data((line + "\n").utf8))
  }

  func closeInput() throws {
    try input.close()
  }

  func signal(_ number: Int32) {
    kill(process.processIdentifier, number)
  }

  /// Stops the process, and returns when all of its threads stand still.
  ///
  /// The signal wakes one of them, which stops the others as soon as it gets a processor: until then they go on.
  func stop() async throws {
    signal(SIGSTOP)
    try await until { try threadStates().allSatisfy { $0 == "T" } }
  }

  /// The state of each thread as proc(5) names it, such as T of one that is stopped.
  private func threadStates() throws -> [Character?] {
    let tasks = "/proc/\(process.processIdentifier)/task"
    return try FileManager.default.contentsOfDirectory(atPath: tasks).map { task in
      let line = try String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8)
      // After the name of the thread, which stands in parentheses and may have others in it.
      return line.lastIndex(of: ")").flatMap { line[$0...].dropFirst(2).first }
    }
  }

  /// The first line from number `start` on that fits, as soon as there is one.
  @discardableResult
  func line(from start: Int = 0, _ fits: (Line) -> Bool) async throws -> Line {
    while true {
      let (lines, hasEnded) = heard.withLock { ($0.lines, $0.hasEnded) }
      if let line = lines.dropFirst(start).first(where: fits) { return line }
      guard !hasEnded else { throw Ended(name: name, lines: lines) }
      try Task.checkCancellation()
      await news(after: lines.count)
    }
  }

  /// Returns once there are more than `count` lines, the peer has ended, or the task is cancelled by its time limit.
  private func news(after count: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isLate = heard.withLock { heard in
          guard heard.lines.count == count, !heard.hasEnded, !Task.isCancelled else { return true }
          heard.waiters.append(continuation)
          return false
        }
        if isLate { continuation.resume() }
      }
    } onCancel: {
      note { _ in }
    }
  }

  /// Everything that was said, once the peer has ended, that fits.
  func lines(_ fits: (Line) -> Bool) async throws -> [Line] {
    _ = try await status()
    return heard.withLock { $0.lines.filter(fits) }
  }

  /// The first event of a kind.
  @discardableResult
  func event(_ event: String) async throws -> Line {
    try await line { $0.event == event }
  }

  /// Gives a command and waits for its answer, or its error.
  @discardableResult
  func ask(_ line: String) async throws -> Line {
    let start = heard.withLock { $0.lines.count }
    let verb = line.split(separator: " ").first.map(String.init)
    try send(line)
    return try await self.line(from: start) { $0.command == verb }
  }

  /// Waits until the peer has ended; gives its exit status.
  func status() async throws -> Int32 {
    while true {
      let (count, hasEnded) = heard.withLock { ($0.lines.count, $0.hasEnded) }
      if hasEnded { return process.terminationStatus }
      try Task.checkCancellation()
      await news(after: count)
    }
  }
}

/// Runs a test with a folder of its own that is removed afterwards.
func withFolder(_ body: (URL) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "worldpeer-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(folder)
}
