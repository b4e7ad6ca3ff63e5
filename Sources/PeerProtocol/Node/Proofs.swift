/// The organs of the exchanges by which both ends of a link prove more than a key before either admits the other.
struct Proofs: Sendable {
  var pairing = Watched(Pairing())
  var handshake = Watched(Handshake())
  var comparison = Watched(Comparison())
}
