import Glibc
import PeerProtocol
import WorldModel

/// The file in which a session keeps what its peer needs to come back into it (``NodeRecord``), replaced as a whole.
///
/// When it was changed last says when the session was alive last. One session at a time uses it, which the file of the same
/// name with `.lock` behind it sees to.
actor StateFile {
  private let path: String
  /// Nil once the file is closed.
  private var lock: OpenFile?
  /// Renames as the system does; a test puts another in its place to have it fail.
  private let renaming: @Sendable (String, String) -> Int32

  /// Takes the file at `path` for this session, whether it is there or not.
  ///
  /// - Throws: ``SessionError`` with the code `io`, also when another session has it, or `insecure-file`.
  init(
    path: String, renaming: @escaping @Sendable (String, String) -> Int32 = { rename($0, $1) }
  ) throws(SessionError) {
    self.path = path
    self.renaming = renaming
    let lock = try PrivateFile.state.open(path + ".lock", O_RDWR | O_CREAT)
    guard let lock, flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw SessionError(.io, "the state \(path) is in use by another session; name another file")
    }
    self.lock = consume lock
  }

  /// The record that `peer` has kept of its session of `service`; nil when there is none, or none that was alive within `grace`.
  ///
  /// - Throws: ``SessionError`` with the code `corrupt-data` for a file that is damaged, something else or of another
  ///   version, `identity-mismatch` or `other-service` for what another peer or app has kept, and `io`. The file is then
  ///   as it was.
  func record(
    of peer: PeerID, service: String, within grace: Duration, at now: timespec = StateFile.now
  ) throws(SessionError) -> NodeRecord? {
    guard let file = try PrivateFile.state.read(path, limit: ProtocolLimits.record) else { return nil }
    let record = try decode(file.bytes)
    guard record.peerID == peer else {
      throw SessionError(
        .identityMismatch,
        "\(path) is the state of peer \(record.peerID.short), not of this one, \(peer.short); name another file")
    }
    guard record.service == service else {
      throw SessionError(
        .otherService, "\(path) is the state of a session of \(record.service), not of \(service); name another file")
    }
    // A clock that went back makes no age: better an old session than a lost one.
    let age = Duration.seconds(now.tv_sec - file.modified.tv_sec)
    return age <= grace ? record : nil
  }

  private func decode(_ bytes: [UInt8]) throws(SessionError) -> NodeRecord {
    do throws(NodeRecordFailure) {
      return try NodeRecord(decoding: bytes)
    } catch {
      throw SessionError(
        .corruptData,
        "the session cannot be returned to with \(path): \(error). Restore it, or move it away and be invited again: "
          + "mv \(shellQuoted(path)) \(shellQuoted(path + ".damaged"))",
        cause: error)
    }
  }

  /// Replaces what was kept, in one step; does nothing once the file is closed.
  ///
  /// - Throws: ``SessionError`` with the code `io`; what was kept before is then untouched.
  func write(_ record: NodeRecord) throws(SessionError) {
    guard lock != nil else { return }
    try AtomicFile.write(record.encoded, to: path, permissions: 0o600, isAlone: true, renaming: renaming)
  }

  /// Notes that the session is alive.
  func touch() {
    guard lock != nil else { return }
    utimensat(AT_FDCWD, path, nil, 0)
  }

  /// Writes the last record, if there is a new one, and lets the next session have the file.
  func close(_ record: NodeRecord?) throws(SessionError) {
    defer { lock = nil }
    if let record { try write(record) }
  }

  /// The machine's clock.
  private static var now: timespec {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time
  }
}

extension NodeRecord {
  /// The port that a peer listened on; nil if it is not known.
  func port(of peer: PeerID) -> UInt16? {
    roster.first { $0.peerID == peer }?.addresses.first?.port
  }
}
