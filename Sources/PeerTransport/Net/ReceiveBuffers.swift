/// The buffers of the link that is being read, one after the other: what comes is handled before the next link has its turn.
final class ReceiveBuffers {
  /// Received bytes.
  let cipher: UnsafeMutableRawBufferPointer
  /// Those bytes decrypted.
  let plain: UnsafeMutableRawBufferPointer

  /// Buffers of this size each (bytes).
  init(size: Int) {
    cipher = .allocate(byteCount: size, alignment: 64)
    plain = .allocate(byteCount: size, alignment: 64)
  }

  deinit {
    cipher.deallocate()
    plain.deallocate()
  }
}
