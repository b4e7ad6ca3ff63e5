import AnchorReplication
import Basics
import FuzzDriver
import PeerProtocol
import WorldModel

@main
struct FuzzWire {
  static func main() { fuzz(fuzzWire) }
}

/// A node whose link has greeted; nodes are values, so each input begins with a copy.
private let stranger: Probe = {
  var probe = Probe()
  probe.greet()
  return probe
}()

/// The same, and a code must be compared before anything else.
private let comparing: Probe = {
  var probe = Probe(compares: true)
  probe.greet()
  return probe
}()

/// The same, and the driver of the app is asked before anything else.
private let driven: Probe = {
  var probe = Probe(hasDriver: true)
  probe.greet()
  return probe
}()

/// The same, in a room with a passcode.
private let guarded: Probe = {
  var probe = Probe(hasPasscode: true)
  probe.greet()
  return probe
}()

/// A node that holds the other side as a member.
private let member: Probe = {
  var probe = stranger
  probe.join()
  return probe
}()

/// Bytes from a peer to a node.
///
/// The first byte says how far the link has come: bit 0 for a hello, bit 1 for membership, bit 3 for a hello of a node that
/// asks for a comparison of codes, bit 4 for one with a driver, bit 5 for one of a room with a passcode. With bit 2 the rest
/// goes to the node as it is; without it, it is a list of frames, each with type (u8) and length (u16), so that a change of a
/// length does not lose the frames that follow. Type 0 lets the length's low byte times 10 ms pass instead;
/// in a room with a passcode, an empty share or proof is replaced by what one would send who has it.
private func fuzzWire(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard let mode = bytes.first else { return 0 }
  var probe =
    mode & 32 != 0
    ? guarded
    : mode & 16 != 0 ? driven : mode & 8 != 0 ? comparing : mode & 2 != 0 ? member : mode & 1 != 0 ? stranger : Probe()
  if mode & 4 != 0 {
    probe.receive(Array(bytes.dropFirst()))
  } else {
    var reader = ByteReader(bytes.span.bytes)
    _ = try? reader.readByte()
    while let type = try? reader.readByte(), let length = try? reader.read(UInt16.self) {
      guard type != 0 else {
        probe.wait(.milliseconds(Int(length & 255) * 10))
        continue
      }
      var body = (try? reader.readBytes(min(Int(length), reader.remaining))) ?? []
      if length == 0 { body = probe.honest(FrameType(rawValue: type)) }
      probe.receive(Probe.frame(type, body))
    }
  }
  probe.wait(.seconds(6))
  probe.check()
  return 0
}
