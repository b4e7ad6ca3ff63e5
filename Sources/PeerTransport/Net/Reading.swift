/// Whether a link is read, and how many bytes at once: as many as there is room for, but less and less while more is read than
/// is handled.
///
/// The bytes that were read are decrypted at once, before anything else of this thread. Those that then only wait could as well
/// have stayed in the kernel, where TCP slows their sender down.
struct Reading {
  /// Whether the link is read; not while bytes of it wait to be handled.
  var isOn = true
  /// How many bytes are read at most (the ciphertext).
  private(set) var most: Int
  private let room: Int

  /// There is room for so many bytes.
  init(room: Int) { (most, self.room) = (room, room) }

  /// Whether more came of late than was handled.
  var isReduced: Bool { most < room }

  /// So many bytes were read, and handled unless reading was stopped meanwhile.
  mutating func note(_ count: Int) {
    most = isOn ? min(2 * most, room) : min(max(count / 2, TLSChannel.recordSize), room)
  }
}
