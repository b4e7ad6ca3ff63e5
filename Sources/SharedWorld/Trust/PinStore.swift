import Basics
import PeerProtocol
public import WorldModel

/// The file of the peers that this device has admitted, for ``TrustPolicy/firstUse(_:)`` and ``TrustPolicy/code(_:)``.
///
/// It is text, one peer a line: the id, the day on which it was recorded (UTC) and the name that the peer had then. Behind the day
/// may stand `+` and the key (32 hexadecimal digits) by which the device's advertisement is recognised, a secret. Lines that
/// begin with `#` are comments, and stay. It is replaced in one step, under a lock that all processes take, and is readable by its owner
/// alone.
public struct PinStore: Hashable, Sendable {
  /// One recorded peer.
  public struct Pin: Hashable, Sendable, Identifiable {
    /// The key.
    public let id: PeerID
    /// The day on which it was recorded.
    public let day: CalendarDay
    /// The name that it gave itself then.
    public let name: String
    /// The key by which its advertisement is recognised, once it has told one.
    let recognitionKey: RecognitionKey?
  }

  /// The most peers that are recorded.
  public static let limit = 4096
  /// The largest file that is read (bytes).
  private static let sizeLimit = 1024 * 1024
  private static let title = "# Peers that this device has admitted. One a line: id, day (UTC), name."

  /// A line of the file as it stands there, and the peer that it records; nil for a comment and an empty line.
  private struct Line {
    let text: String
    let pin: Pin?

    init(text: String, pin: Pin?) {
      (self.text, self.pin) = (text, pin)
    }

    init(_ pin: Pin) {
      let key = pin.recognitionKey.map { "+" + $0.bytes.hexadecimal } ?? ""
      self.init(text: "\(pin.id) \(pin.day)\(key) \(pin.name)", pin: pin)
    }
  }

  /// The file.
  public let path: String

  /// The store in the file at `path`, whose folder must exist when the first peer is recorded.
  public init(path: String) {
    self.path = path
  }

  /// The store `known-peers` in a folder of identities (``PeerIdentity/loadOrCreate(named:in:)``); nil is the default folder.
  ///
  /// - Throws: ``SessionError`` with the code `io` when there is no default folder.
  public init(beside folder: String?) throws(SessionError) {
    let folder = if let folder { folder } else { try IdentityStore.defaultDirectory() }
    self.init(path: folder + "/known-peers")
  }

  /// The recorded peers in the order of the file; none when there is no file.
  ///
  /// - Throws: ``SessionError`` with the code `corrupt-data`, which names the first line that is not one, `insecure-file` for a file
  ///   of another user, or one that others may write, `limit-exceeded` or `io`.
  public func pins() throws(SessionError) -> [Pin] { try lines().compactMap(\.pin) }

  /// The lines of the file; the title alone when there is no file.
  private func lines() throws(SessionError) -> [Line] {
    guard let (bytes, _) = try PrivateFile.pins.read(path, limit: Self.sizeLimit) else {
      return [Line(text: Self.title, pin: nil)]
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw damaged(line: 1, "the file is not UTF-8") }
    var lines: [Line] = []
    var seen: KeySet<PeerID> = []
    // A carriage return and a line feed are one Character, and one ending of a line.
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let pin = line.isEmpty || line.hasPrefix("#") ? nil : try pin(in: line, number: index + 1)
      if let pin, !seen.insert(pin.id) { throw damaged(line: index + 1, "the id occurs twice") }
      lines.append(Line(text: String(line), pin: pin))
    }
    // The end of the last line begins no further one.
    if lines.last?.text.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// Records a peer; a peer that is recorded already stays as it is.
  ///
  /// - Returns: Whether it was new.
  /// - Throws: ``SessionError`` as ``pins()`` does, and with `limit-exceeded` when the store is full.
  @discardableResult
  public func add(_ id: PeerID, name: String) throws(SessionError) -> Bool {
    try add(id, name: name, recognitionKey: nil)
  }

  /// The same, with the key by which the peer is recognised, which replaces an earlier one.
  @discardableResult
  func add(_ id: PeerID, name: String, recognitionKey key: RecognitionKey?) throws(SessionError) -> Bool {
    try change { lines throws(SessionError) in
      if let index = lines.firstIndex(where: { $0.pin?.id == id }), let old = lines[index].pin {
        guard let key, key != old.recognitionKey else { return false }
        lines[index] = Line(Pin(id: id, day: old.day, name: old.name, recognitionKey: key))
        return true
      }
      guard lines.count(where: { $0.pin != nil }) < Self.limit else {
        throw SessionError(.limitExceeded, "\(path) has \(Self.limit) peers; remove some that are not needed")
      }
      lines.append(Line(Pin(id: id, day: CalendarDay(), name: PlainText.cleaned(name), recognitionKey: key)))
      return true
    }
  }

  /// Removes a peer.
  ///
  /// - Returns: Whether it was recorded.
  /// - Throws: ``SessionError`` as ``pins()`` does.
  @discardableResult
  public func remove(_ id: PeerID) throws(SessionError) -> Bool {
    try change { lines throws(SessionError) in
      guard let index = lines.firstIndex(where: { $0.pin?.id == id }) else { return false }
      lines.remove(at: index)
      return true
    }
  }

  private func pin(in line: Substring, number: Int) throws(SessionError) -> Pin {
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard let id = words.first.flatMap({ PeerID(String($0)) }) else {
      throw damaged(line: number, "it does not begin with an id of 64 hexadecimal digits")
    }
    let second = words.count > 1 ? words[1].split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false) : []
    guard let day = second.first.flatMap({ CalendarDay(String($0)) }) else {
      throw damaged(line: number, "no day such as 2026-11-22 follows the id")
    }
    let key = second.count > 1 ? [UInt8](hexadecimal: String(second[1])) : nil
    guard second.count == 1 || key?.count == RecognitionKey.size else {
      throw damaged(line: number, "behind the day and a + stand no \(2 * RecognitionKey.size) hexadecimal digits")
    }
    return Pin(
      id: id, day: day, name: words.count > 2 ? PlainText.cleaned(String(words[2])) : "",
      recognitionKey: key.map(RecognitionKey.init))
  }

  private func damaged(line: Int, _ why: String) -> SessionError {
    SessionError(.corruptData, "\(path), line \(line): \(why); correct the line or remove it")
  }

  /// Reads, changes and replaces the file, if `body` says that something has changed.
  private func change(_ body: (inout [Line]) throws(SessionError) -> Bool) throws(SessionError) -> Bool {
    let lock = try FileLock.take(for: path)
    defer { withExtendedLifetime(lock) {} }
    var lines = try lines()
    guard try body(&lines) else { return false }
    try AtomicFile.write(Array(lines.map { $0.text + "\n" }.joined().utf8), to: path, permissions: 0o600, isAlone: true)
    return true
  }
}
