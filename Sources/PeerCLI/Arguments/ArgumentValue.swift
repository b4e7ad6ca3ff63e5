package import SharedWorld

/// A type that can be read from one word of a command line.
package protocol ArgumentValue {
  /// Reads a word; the error says what it is not, and the parser adds the name of the option.
  init(argument: String) throws(UsageError)
}

extension String: ArgumentValue {
  package init(argument: String) throws(UsageError) {
    self = argument
  }
}

extension PeerAddress: ArgumentValue {
  package init(argument: String) throws(UsageError) {
    guard let address = PeerAddress(argument) else {
      throw UsageError("'\(argument)' is not an address and a port; write HOST:PORT, or [ADDRESS]:PORT for IPv6")
    }
    self = address
  }
}

extension InvitationTarget: ArgumentValue {
  /// Reads an address, or an invitation link.
  package init(argument: String) throws(UsageError) {
    do throws(SessionError) { try self.init(place: argument) } catch { throw UsageError(error.message) }
  }
}

extension Session.Configuration.Probe: ArgumentValue {
  package init(argument: String) throws(UsageError) {
    guard let probe = Self(argument) else {
      throw UsageError(
        "'\(argument)' is neither an address nor a network of at most 1,024; write 192.0.2.7 or 192.0.2.0/24")
    }
    self = probe
  }
}
