import Foundation
import Glibc

/// The ceiling for fan-out: plain TCP on loopback, no encryption, no state, 128-byte frames in 40 KiB sends.
///
/// One thread feeds all receivers in turn, as an event loop would; each receiver has a thread that only counts bytes.
enum RawTCP {
  static let frame = 128
  static let sendSize = 40 * 1024
  private static let receiveSize = 1024 * 1024

  struct Failure: Error, CustomStringConvertible {
    let call: String
    let number = errno
    var description: String { "\(call): \(String(cString: strerror(number)))" }
  }

  /// Frames delivered a second when `bytes` go to each of `receivers`.
  static func deliveriesPerSecond(receivers: Int, bytes: Int) throws -> Double {
    let fanOut = try fanOut(receivers: receivers, bytes: bytes)
    return Double(fanOut.deliveries) / fanOut.cost.seconds
  }

  /// Frames delivered and what that took when `bytes` go to each of `receivers`.
  static func fanOut(receivers: Int, bytes: Int) throws -> (deliveries: Int, cost: Cost) {
    let pairs = try (0..<receivers).map { _ in try pair() }
    defer { for pair in pairs { close(pair.sender) } }
    let threads = pairs.map { pair in
      let done = DispatchSemaphore(value: 0)
      let thread = Thread {
        drain(pair.receiver)
        done.signal()
      }
      thread.start()
      return done
    }
    let chunk = [UInt8](repeating: 1, count: sendSize)
    let rounds = bytes / sendSize
    let cost = try Cost.of {
      for _ in 0..<rounds {
        for pair in pairs { try sendAll(chunk, to: pair.sender) }
      }
      for pair in pairs { shutdown(pair.sender, Int32(SHUT_WR)) }
      for done in threads { done.wait() }
    }
    return (rounds * sendSize / frame * receivers, cost)
  }

  private static func drain(_ socket: Int32) {
    var buffer = [UInt8](repeating: 0, count: receiveSize)
    while recv(socket, &buffer, buffer.count, 0) > 0 {}
    close(socket)
  }

  static func sendAll(_ bytes: [UInt8], to socket: Int32) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(socket, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(call: "send") }
      sent += count
    }
  }

  /// Two ends of a connection through 127.0.0.1.
  static func pair() throws -> (sender: Int32, receiver: Int32) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let sender = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(listener, address, length) == 0, listen(listener, 1) == 0,
          getsockname(listener, address, &length) == 0
        else { return Int32(-1) }
        return connect(sender, address, length)
      }
    }
    guard result == 0 else { throw Failure(call: "connect") }
    let receiver = accept(listener, nil, nil)
    guard receiver >= 0 else { throw Failure(call: "accept") }
    return (sender, receiver)
  }
}
