import AnchorReplication

#if Journal
import CSQLite
import Glibc
#endif

/// The file in which a session keeps its anchors: an SQLite database with a write-ahead log, one row a record.
///
/// An app that restarts alone wants its anchors back, also after `kill -9` or a power cut at any byte. A file of our
/// own would be short, and every line of it about what file systems do in a crash: which writes are ordered, whether a
/// rename is durable, how far a torn page reaches. That is not the purpose of this project, and SQLite is better tested
/// there than ours could ever be.
///
/// Records that are appended together are kept together or not at all, so that after a crash at any byte the file holds
/// a state the session was in. One process at a time uses it. Without the trait `Journal` no file can be opened.
///
/// - The lock is taken first: a second process is refused at once, and the index of the log stays in memory, where
///   another one would need a file that both map.
/// - `synchronous = FULL`, since the write that a power cut takes back is the one that was just acknowledged.
/// - A file from elsewhere may be hostile. Its schema is the one table or it is refused, before anything is read: a
///   trigger or a view would run what a stranger wrote.
/// - A record of the whole set replaces all before it in one transaction, so the file does not grow with the age of the
///   session.
///
/// The cost is far from the hot path: operations are encoded already, and one transaction takes all that came while the
/// last one was written (Documentation/Decisions/0005-journal.md).
actor JournalFile {
  #if Journal
  /// The most bytes a journal may hold before it is read (a full session's state and the operations after it).
  static let limit: Int64 = 1 << 30
  /// "SWJ1": tells a journal from other databases.
  private static let applicationID: Int64 = 0x5357_4a31
  private static let version: Int64 = 1

  private let path: String
  /// Nil once the journal is closed.
  private var database: SQLiteDatabase?

  /// Opens the journal at `path`, or makes an empty one (mode 0600).
  ///
  /// - Throws: ``SessionError`` with the code `io`, `insecure-file` when others have access to it or it is a link, or
  ///   `corrupt-data` when the file is damaged or something else.
  init(path: String) throws(SessionError) {
    self.path = path
    _ = try PrivateFile.journal.open(path, O_RDWR | O_CREAT)
    do throws(SQLiteFailure) {
      let database = try SQLiteDatabase(path: path)
      // Exclusive first: then the log's index lives in memory, and a second process is refused at once.
      try database.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
      try Self.prepare(database)
      self.database = database
    } catch {
      throw Self.explain(error, path)
    }
  }

  private static func prepare(_ database: SQLiteDatabase) throws(SQLiteFailure) {
    if try database.integer("SELECT count(*) FROM sqlite_schema") == 0 {
      try database.transaction { () throws(SQLiteFailure) in
        try database.execute(
          """
          CREATE TABLE record(number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
          PRAGMA application_id = \(applicationID);
          PRAGMA user_version = \(version)
          """)
      }
    }
    guard try database.integer("PRAGMA application_id") == applicationID,
      try database.integer("PRAGMA user_version") == version
    else { throw SQLiteFailure(code: SQLITE_NOTADB, description: "not a journal of this version") }
    // Nothing but the one table: a trigger or a view would run what a stranger wrote into the file.
    guard try database.integer("SELECT count(*) FROM sqlite_schema WHERE type <> 'table' OR name <> 'record'") == 0
    else {
      throw SQLiteFailure(code: SQLITE_NOTADB, description: "not the tables of a journal")
    }
    guard try database.integer("SELECT total(length(body)) FROM record") <= limit else {
      throw SQLiteFailure(code: SQLITE_TOOBIG, description: "more than \(limit) bytes")
    }
  }

  /// Everything in the journal, in order.
  func records() throws(SessionError) -> [JournalRecord] {
    guard let database else { return [] }
    do throws(SQLiteFailure) {
      let statement = try SQLiteDatabase.Statement("SELECT kind, body FROM record ORDER BY number", database)
      var records: [JournalRecord] = []
      while try statement.step() {
        let bytes = statement.blob(1)
        records.append(statement.integer(0) == 0 ? .wholeSet(bytes) : .operations(bytes))
      }
      return records
    } catch {
      throw Self.explain(error, path)
    }
  }

  /// Writes records to the disk, all of them or none; does nothing once the journal is closed.
  func append(_ records: [JournalRecord]) throws(SessionError) {
    guard let database else { return }
    do throws(SQLiteFailure) {
      try database.transaction { () throws(SQLiteFailure) in
        let insert = try SQLiteDatabase.Statement("INSERT INTO record(kind, body) VALUES (?, ?)", database)
        for record in records {
          switch record {
          case .wholeSet(let bytes):
            try database.execute("DELETE FROM record")
            try insert.run(0, bytes)
          case .operations(let bytes): try insert.run(1, bytes)
          }
        }
      }
    } catch {
      throw Self.explain(error, path)
    }
  }

  /// Writes the last records and lets go of the file.
  func close(_ records: [JournalRecord]) throws(SessionError) {
    defer { database = nil }
    try append(records)
  }

  /// Lets the file have so many pages of 4 KiB at most, or as many as it has; only a test sets a limit, to have a full disk.
  func limit(pages: Int32) throws(SessionError) {
    do throws(SQLiteFailure) {
      try database?.execute("PRAGMA max_page_count = \(pages)")
    } catch {
      throw Self.explain(error, path)
    }
  }

  private static func explain(_ failure: SQLiteFailure, _ path: String) -> SessionError {
    switch failure.code {
    case SQLITE_BUSY, SQLITE_LOCKED:
      SessionError(.io, "the journal \(path) is in use by another session; name another file", cause: failure)
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_TOOBIG:
      SessionError(
        .corruptData, "\(path) is no sound journal (\(failure)); move it away and start again", cause: failure)
    case SQLITE_FULL: SessionError(.diskFull, "there is no room for the journal \(path)", cause: failure)
    default: SessionError(.io, "the journal \(path) cannot be used: \(failure)", cause: failure)
    }
  }
  #else
  /// - Throws: ``SessionError`` with the code `missing-trait`.
  init(path: String) throws(SessionError) {
    throw .missingTrait("Journal", for: "a journal (storage.journal, storage.folder)")
  }

  func records() throws(SessionError) -> [JournalRecord] { [] }
  func append(_ records: [JournalRecord]) throws(SessionError) {}
  func close(_ records: [JournalRecord]) throws(SessionError) {}
  #endif
}
