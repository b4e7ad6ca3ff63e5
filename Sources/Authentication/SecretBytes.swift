import CSodium

/// Secret bytes that are overwritten with zeros when their last owner releases them.
///
/// They are never copied into an array: a user borrows the memory.
package final class SecretBytes: Sendable {
  // Written before anybody else has the object, and never again.
  private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer

  /// `count` bytes that `fill` writes.
  init<E: Error>(count: Int, filling fill: (UnsafeMutablePointer<UInt8>) throws(E) -> Void) throws(E) {
    memory = .allocate(byteCount: count, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    // The memory is this object's from here on, so that a failure wipes it as well.
    try fill(memory.baseAddress!.assumingMemoryBound(to: UInt8.self))
  }

  /// A copy of `bytes`, which the caller should overwrite.
  init(copying bytes: UnsafeRawBufferPointer) {
    memory = .allocate(byteCount: bytes.count, alignment: 16)
    memory.copyMemory(from: bytes)
  }

  /// A copy of an array, which the caller should overwrite.
  package convenience init(copying bytes: [UInt8]) {
    self.init(count: bytes.count) { memory in
      for index in bytes.indices { memory[index] = bytes[index] }
    }
  }

  deinit {
    sodium_memzero(memory.baseAddress, memory.count)
    memory.deallocate()
  }

  /// The number of bytes.
  package var count: Int { memory.count }

  /// Whether these are the bytes, in a time that does not depend on where they differ.
  func isEqual(to bytes: [UInt8]) -> Bool {
    count == bytes.count && sodium_memcmp(memory.baseAddress, bytes, count) == 0
  }

  /// The first byte, valid while this object lives.
  var start: UnsafePointer<UInt8> { UnsafePointer(memory.baseAddress!.assumingMemoryBound(to: UInt8.self)) }
}

extension [UInt8] {
  /// Overwrites the bytes with zeros, and empties the array, which must be their only owner, or another copy stays.
  package mutating func wipe() {
    overwrite()
    removeAll()
  }

  /// Overwrites the bytes with zeros.
  mutating func overwrite() {
    withUnsafeMutableBytes { sodium_memzero($0.baseAddress, $0.count) }
  }
}
