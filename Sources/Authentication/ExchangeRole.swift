/// Which side of an exchange on a connection this is.
package enum ExchangeRole: Sendable {
  /// The side that dialled.
  case initiator
  /// The side that accepted.
  case responder
}
