import Basics
import FuzzDriver
import PeerTransport
@testable import SharedWorld
import WorldModel

@main
struct FuzzAnnouncement {
  static func main() { fuzz(fuzzAnnouncement) }
}

/// The identity that signs what the input wants signed.
private let signer: TLSIdentity = {
  guard let identity = try? TLSIdentity(seed: Array(0..<32)) else { preconditionFailure("no identity") }
  return identity
}()

/// Datagrams to a peer that listens for announcements.
///
/// Each has how long it comes after the one before (u8, 100 ms), the sender (u8), the length (u16) and the bytes. Where bit 7 of the sender is set, they are given a key and the signature that belongs to it.
///
/// Whatever came, the lists stay within their bounds, and a peer of which nothing is heard goes.
private func fuzzAnnouncement(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  var now = Instant(nanoseconds: 1_000_000_000)
  var book = AnnouncementBook(service: "sharedworld", me: PeerID(SHA256Digest(hashing: [])), at: now)
  var reader = ByteReader(bytes.span.bytes)
  while let wait = try? reader.readByte(), let sender = try? reader.readByte(),
    let length = try? reader.read(UInt16.self)
  {
    now += .milliseconds(100 * Int(wait))
    var datagram = (try? reader.readBytes(min(Int(length), reader.remaining))) ?? []
    if sender & 128 != 0 { datagram = signed(datagram) }
    let address = SocketAddress(host: .ipv4(0xc0a8_0000 | UInt32(sender & 127)), port: 5000)
    if case .found(let announcement) = book.receive(datagram, from: address, at: now) {
      precondition(announcement.service == "sharedworld" && announcement.port > 0)
      precondition(book.entries[announcement.peer]?.announcement == announcement)
    }
    _ = book.expire(at: now)
    check(book)
  }
  _ = book.expire(at: now + AnnouncementBook.lifetime)
  precondition(book.entries.isEmpty, "a peer stays in the list for ever")
  return 0
}

private func check(_ book: AnnouncementBook) {
  precondition(book.entries.count <= AnnouncementBook.capacity)
  for entry in book.entries.values {
    precondition((1...AnnouncementBook.addressCapacity).contains(entry.addresses.count))
    precondition(Set(entry.addresses).count == entry.addresses.count, "an address is listed twice")
  }
}

/// The datagram with the key of ``signer`` in its place and the signature behind it.
private func signed(_ datagram: [UInt8]) -> [UInt8] {
  let key = Announcement.magic.count + 1 + 8
  guard datagram.count >= key + 32 else { return datagram }
  var bytes = datagram
  bytes.replaceSubrange(key..<(key + 32), with: signer.publicKey)
  let signature = try? signer.signature(over: Array("sharedworld announcement".utf8) + bytes)
  return bytes + (signature ?? [])
}
