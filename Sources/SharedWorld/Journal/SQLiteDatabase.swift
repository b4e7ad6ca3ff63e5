#if Journal
import CSQLite

/// A refusal of SQLite, with its own code and words.
struct SQLiteFailure: Error, CustomStringConvertible {
  /// A primary result code, such as `SQLITE_BUSY`.
  let code: Int32
  let description: String
}

/// One connection to an SQLite database, as much of it as a journal needs; not for two threads at once.
final class SQLiteDatabase {
  private let handle: OpaquePointer

  /// Switches for a file that somebody else may have prepared: what its schema says is not run, and cannot be changed by
  /// writing to it (SQLite, "Defense Against The Dark Arts").
  private static let switches = [
    (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
  ]

  /// Opens the file at `path`, which must exist.
  init(path: String) throws(SQLiteFailure) {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let opened else {
      defer { sqlite3_close_v2(opened) }
      throw SQLiteFailure(code: code & 0xff, description: String(cString: sqlite3_errstr(code)))
    }
    handle = opened
    for (option, value) in Self.switches {
      guard sw_sqlite_set(handle, option, Int32(value)) == SQLITE_OK else { throw failure }
    }
    try execute("PRAGMA cell_size_check = ON")
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  /// Runs statements that give nothing back.
  func execute(_ sql: String) throws(SQLiteFailure) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  /// The first column of the first row.
  func integer(_ sql: String) throws(SQLiteFailure) -> Int64 {
    let statement = try Statement(sql, self)
    guard try statement.step() else { return 0 }
    return sqlite3_column_int64(statement.handle, 0)
  }

  /// Runs `body` as one transaction: all of it is kept, or nothing.
  func transaction(_ body: () throws(SQLiteFailure) -> Void) throws(SQLiteFailure) {
    try execute("BEGIN IMMEDIATE")
    do throws(SQLiteFailure) {
      try body()
      try execute("COMMIT")
    } catch {
      // The first failure is the one to tell; SQLite may have rolled back by itself.
      sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  fileprivate var failure: SQLiteFailure {
    SQLiteFailure(code: sqlite3_errcode(handle) & 0xff, description: String(cString: sqlite3_errmsg(handle)))
  }
}

extension SQLiteDatabase {
  /// A prepared statement, freed when it is dropped.
  struct Statement: ~Copyable {
    fileprivate let handle: OpaquePointer
    private let database: SQLiteDatabase

    init(_ sql: String, _ database: SQLiteDatabase) throws(SQLiteFailure) {
      var prepared: OpaquePointer?
      guard sqlite3_prepare_v2(database.handle, sql, -1, &prepared, nil) == SQLITE_OK, let prepared else {
        throw database.failure
      }
      (handle, self.database) = (prepared, database)
    }

    deinit {
      sqlite3_finalize(handle)
    }

    /// Goes to the next row; false when there is none.
    func step() throws(SQLiteFailure) -> Bool {
      switch sqlite3_step(handle) {
      case SQLITE_ROW: return true
      case SQLITE_DONE: return false
      default: throw database.failure
      }
    }

    /// Runs the statement once more with an integer and a blob.
    func run(_ number: Int64, _ blob: [UInt8]) throws(SQLiteFailure) {
      sqlite3_reset(handle)
      let isBound = blob.withUnsafeBytes { bytes in
        // The blob is only lent: it has to be unbound before the closure ends, so the step is in here too.
        sqlite3_bind_int64(handle, 1, number) == SQLITE_OK
          && sqlite3_bind_blob64(handle, 2, bytes.baseAddress, UInt64(bytes.count), nil) == SQLITE_OK
          && sqlite3_step(handle) == SQLITE_DONE
      }
      guard isBound else { throw database.failure }
    }

    /// An integer of the present row.
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// A blob of the present row.
    func blob(_ column: Int32) -> [UInt8] {
      let count = Int(sqlite3_column_bytes(handle, column))
      guard let start = sqlite3_column_blob(handle, column) else { return [] }
      return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
  }
}
#endif
