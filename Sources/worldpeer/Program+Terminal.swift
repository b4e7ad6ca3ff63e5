import Dispatch
import FoundationEssentials
import Glibc
import PeerCLI
import SharedWorld
import Synchronization

/// A program on a terminal with a line editor.
extension Program {
  /// The least time between two looks at the session for the row of status: a flood of events needs no more.
  private static let statusInterval = Duration.milliseconds(100)
  /// How long Tab waits for the words that the session knows (seconds).
  private static let patience = 1.0

  /// Begins to read keys.
  nonisolated func begin(_ terminal: Terminal) {
    let completer = Completer(usages: Command.verbs.map(\.usage))
    terminal.begin { [errands] line in
      let answer = AwaitedWords()
      errands.add { answer.put(await self.words()) }
      return completer.complete(line, answer.words(within: Self.patience), paths: Self.paths)
    }
  }

  /// Carries out what is typed.
  func follow(_ terminal: Terminal) async -> Ending? {
    while let line = await terminal.nextLine() {
      console.echo(line)
      let goesOn = await terminal.run { await self.carryOut(line, inScript: false) }
      guard !Task.isCancelled else { return nil }
      if goesOn == nil { console.say(ProgramFailure("cancelled", "given up"), during: nil) }
      if goesOn == false { return .done }
      terminal.noteNews()
    }
    return terminal.isInterrupted ? .signal(SIGINT) : .done
  }

  /// Shows the session in the row of status until the task is cancelled.
  func showStatus(on terminal: Terminal) async -> Ending? {
    terminal.noteNews()
    for await _ in terminal.news {
      let state = await session.state
      let digest = await session.world.digest.description
      let host = state.host.map { person($0).name }
      terminal.update { status in
        (status.host, status.peers, status.anchors) = (host, state.connectedPeers, state.anchorCount)
        (status.digest, status.isLocked) = (digest, state.isLocked)
      }
      try? await Task.sleep(for: Self.statusInterval)
    }
    return nil
  }

  /// The world from above, as wide as the terminal or as the user says.
  func show(columns: Int?, on terminal: Terminal?) async -> Report.Answer {
    await refreshView()
    let size = terminal?.size ?? (columns: 80, rows: 48)
    let anchors = await session.world.anchors.map { (name: $0.name, position: $0.transform.translation) }
    let others = devices.inOrder { $0.key < $1.key }.map { (name: person($0.key).name, position: $0.value) }
    // The axes, the command and what is typed stay in sight.
    return .plan(
      FloorPlan(
        view.map?.cloud, anchors: anchors, devices: others, columns: columns ?? size.columns,
        rows: max(8, size.rows - 7)))
  }

  /// The words that can be completed.
  private func words() async -> Completer.Words {
    let state = await session.state
    var words = Completer.Words()
    words.peers =
      state.peers.map(\.peer.name) + state.candidates.map { describe($0).name } + desk.peers.map(\.name)
      + codes.comparisons.map(\.peer.name)
    words.anchors = await session.world.anchors.map(\.name)
    words.files = files.ids + (await session.files.attachments.map(\.name))
    words.groups = await session.messages.groups.map(\.key)
    return words
  }

  /// The paths that begin like this.
  private nonisolated static func paths(_ beginning: String) -> [String] {
    let slash = beginning.lastIndex(of: "/")
    let shown = slash.map { String(beginning[...$0]) } ?? ""
    var folder = shown.isEmpty ? "." : shown
    if folder.hasPrefix("~/"), let home = ProcessInfo.processInfo.environment["HOME"] {
      folder = home + folder.dropFirst()
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.map { name in
      var isFolder = false
      _ = FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
      return shown + name + (isFolder ? "/" : "")
    }
  }
}

/// The words that a thread waits for.
private final class AwaitedWords: Sendable {
  private let words = Mutex(Completer.Words())
  private let isHere = DispatchSemaphore(value: 0)

  func put(_ words: Completer.Words) {
    self.words.withLock { $0 = words }
    isHere.signal()
  }

  /// The words, or none after so many seconds.
  func words(within seconds: Double) -> Completer.Words {
    _ = isHere.wait(timeout: .now() + seconds)
    return words.withLock { $0 }
  }
}
