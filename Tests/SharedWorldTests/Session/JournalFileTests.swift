import AnchorReplication
import Basics
import Foundation
import TestSupport
import Testing
import WorldModel

@testable import SharedWorld

@Suite("The file of a journal", .endsHangs)
struct JournalFileTests {
  /// SQLite's log: a head, and a frame of a head and a page for each page that a transaction writes.
  private static let (logHead, frameHead, page) = (32, 24, 4096)

  @Test("Fault 25: a full disk is told of once, and the journal has everything when there is room again")
  func fullDisk() async throws {
    try await Self.withFullDisk { session, file, events in
      try await session.place(Anchor(name: "2", payload: Self.large))
      try await file.limit(pages: .max)
      // Nothing is edited any more: the write is retried without an occasion.
      var kept: [String] = []
      try await until {
        var set = AnchorSet(actor: ActorID(peer: PeerID(SHA256Digest(words: .zero)), incarnation: 1))
        try set.restore(try await file.records())
        kept = set.anchors.map(\.name).sorted()
        return kept.count == 2
      }
      #expect(kept == ["1", "2"])
      await session.leave()
      while let event = await events.next() { if case .problem = event { Issue.record("told again: \(event)") } }
    }
  }

  @Test("a journal that cannot be completed when the session is left is told of before the end")
  func fullAtEnd() async throws {
    try await Self.withFullDisk { session, _, events in
      await session.leave()
      var problemsBeforeEnd = 0
      var last: Session.Event?
      while let event = await events.next() {
        if case .problem = event { problemsBeforeEnd += 1 }
        last = event
      }
      #expect(problemsBeforeEnd == 1)
      if case .ended = last {} else { Issue.record("the last event is \(String(describing: last))") }
    }
  }

  private static let large = Anchor.Payload(contentType: "x/y", bytes: [UInt8](repeating: 7, count: 60_000))

  /// Runs `body` with a session whose journal has no room, of which the app has been told.
  private static func withFullDisk(
    _ body: @Sendable (Session, JournalFile, inout Session.Events.Iterator) async throws -> Void
  ) async throws {
    try await TestSessions.withFolder { folder in
      var configuration = TestSessions.configuration()
      configuration.storage.journal = folder.appending(path: "world.journal").path
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { session in
        let file = try #require(await session.journalFile)
        try await file.limit(pages: 1)
        var events = session.events.makeAsyncIterator()
        try await session.place(Anchor(name: "1", payload: large))
        let error = try await events.first { if case .problem(let error) = $0 { error } else { nil } }
        #expect(error.code == .diskFull && error.message.contains("journal"))
        try await body(session, file, &events)
      }
    }
  }

  @Test("cut at any byte of its log it holds the transactions before that, whole, and no others")
  func cutAnywhere() async throws {
    try await TestSessions.withFolder(cutAnywhere)
  }

  private func cutAnywhere(in folder: URL) async throws {
    let path = folder.appending(path: "world.journal").path
    let copy = folder.appending(path: "copy.journal").path
    // Some fit a page, some do not; one is of two records.
    var written: [[JournalRecord]] = [[.wholeSet([0])]]
    for number: UInt8 in 1...6 { written.append([.operations(Array(repeating: number, count: Int(number) * 1500))]) }
    written.append([.operations([7]), .operations([8])])
    let file = try JournalFile(path: path)
    for records in written { try await file.append(records) }
    let database = try Data(contentsOf: URL(filePath: path))
    let log = try Data(contentsOf: URL(filePath: path + "-wal"))
    try await file.close([])

    var before = 0
    for length in Self.cuts(of: log.count) {
      try TestSessions.write(database, privatelyTo: copy)
      try log.prefix(length).write(to: URL(filePath: copy + "-wal"))
      let cut = try JournalFile(path: copy)
      let found = try await cut.records()
      try await cut.close([])
      let count = (0...written.count).first { Array(written.prefix($0).joined()) == found }
      #expect(try #require(count, "at byte \(length)") >= before)
      before = count ?? before
      // SQLite has the thread that others share for seconds otherwise.
      await Task.yield()
    }
    #expect(before == written.count)
  }

  /// Every byte in and around the head of each frame, and others in between.
  private static func cuts(of log: Int) -> [Int] {
    (0...log).filter { length in
      let place = (length - logHead) % (frameHead + page)
      return length <= logHead || place <= frameHead + 1 || place == frameHead + page - 1 || length % 97 == 0
    }
  }
}

extension Session {
  fileprivate var journalFile: JournalFile? { savedFiles.journal?.file }
}
