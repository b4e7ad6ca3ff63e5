import Glibc

/// A failed system call and its errno.
package struct SystemCallFailure: Error, Equatable, Sendable {
  /// The name of the call, such as `eventfd`.
  package let call: String
  /// The `errno` value.
  package let code: Int32

  /// A failure of `call`; `code` is usually `errno`, read right after the call.
  package init(_ call: String, code: Int32) {
    self.call = call
    self.code = code
  }
}

extension SystemCallFailure: CustomStringConvertible {
  /// The system's words for the reason, such as `Permission denied`.
  package var reason: String { String(cString: strerror(code)) }

  /// The call and the reason.
  package var description: String { "\(call): \(reason)" }
}
