internal import CSharedWorldHeaders
import Glibc

/// The message of each thread's last failure.
enum LastMessage {
  /// The thread's slot, which frees its message when the thread ends; nil when the system has no slot left.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, { free($0) }) == 0 ? key : nil
  }()

  nonisolated(unsafe) private static let empty = UnsafePointer(copyText(""))

  /// Replaces the calling thread's message.
  static func set(_ message: String) {
    guard let key else { return }
    free(pthread_getspecific(key))
    pthread_setspecific(key, copyText(message))
  }

  /// The calling thread's message, "" before the first.
  static var current: UnsafePointer<CChar> {
    guard let key, let message = pthread_getspecific(key) else { return empty }
    return UnsafePointer(message.assumingMemoryBound(to: CChar.self))
  }
}

/// A C string of its own for `text`, to be given to `free`.
func copyText(_ text: String) -> UnsafeMutablePointer<CChar> {
  // strdup gives NULL only without memory, where Swift ends the program too.
  strdup(text)!
}

/// A copy of `bytes`, to be given to `free`; nil when there are none.
func copyBytes(_ bytes: [UInt8]) -> UnsafeMutablePointer<UInt8>? {
  guard !bytes.isEmpty, let copy = malloc(bytes.count) else { return nil }
  bytes.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress!, byteCount: bytes.count) }
  return copy.assumingMemoryBound(to: UInt8.self)
}

/// A copy of keys and values, ordered by key, to be given to ``freePairs(_:_:)``; nil when there are none.
func copyPairs(_ pairs: [String: String]) -> (UnsafePointer<sw_pair>?, Int) {
  guard !pairs.isEmpty else { return (nil, 0) }
  let sorted = pairs.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  let copies = UnsafeMutablePointer<sw_pair>.allocate(capacity: sorted.count)
  for (index, pair) in sorted.enumerated() {
    (copies + index).initialize(
      to: sw_pair(key: UnsafePointer(copyText(pair.key)), value: UnsafePointer(copyText(pair.value))))
  }
  return (UnsafePointer(copies), sorted.count)
}

/// Frees a copy of keys and values.
func freePairs(_ pairs: UnsafePointer<sw_pair>?, _ count: Int) {
  guard let pairs else { return }
  for pair in UnsafeBufferPointer(start: pairs, count: count) {
    freeConstant(pair.key)
    freeConstant(pair.value)
  }
  pairs.deallocate()
}
