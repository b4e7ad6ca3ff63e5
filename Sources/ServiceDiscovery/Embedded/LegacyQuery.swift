#if Avahi
internal import Basics
internal import BasicsLinux
internal import CAvahiCore

/// A question that is answered at once and to this peer alone, by unicast (RFC 6762 §6.7).
///
/// avahi-core asks by multicast, and a responder that has just announced a record does not repeat it within the next half second;
/// the browser asks again after a second. Confined to the thread of the event loop, before whose end it is closed.
final class LegacyQuery: RecordQuery {
  private struct Path {
    let interface: UInt32
    let isLoopback: Bool
    let socket: MulticastSocket
    let watch: OpaquePointer
  }

  private let loop: UnsafePointer<AvahiPoll>
  private let name: [UInt8]
  private let type: RecordType
  private let onAnswer: ([UInt8], UInt32) -> Void
  private var paths: [Path] = []

  /// Asks for the records of a name in text form, once, on every interface; `nil` for a name that DNS cannot carry.
  init?(
    loop: UnsafePointer<AvahiPoll>, name: String, type: RecordType, onAnswer: @escaping ([UInt8], UInt32) -> Void
  ) {
    guard let labels = DomainName.labels(ofText: name) else { return nil }
    (self.loop, self.name, self.type, self.onAnswer) = (loop, labels, type, onAnswer)
    let question = MulticastMessage.question(for: [labels], type)
    var asked: Set<MulticastPath> = []
    for address in InterfaceAddress.multicast() where asked.insert(address.path).inserted {
      // A socket for each, for the answer does not say on which interface it has come.
      guard let socket = MulticastSocket(isIPv4: address.isIPv4, .answers),
        socket.send(question, on: address.interface) == nil,
        let watch = loop.pointee.watch_new(
          loop, socket.descriptor, AVAHI_WATCH_IN, takeAnswer, Unmanaged.passUnretained(self).toOpaque())
      else { continue }
      paths.append(
        Path(
          interface: address.interface, isLoopback: address.flags.contains(.loopback), socket: socket, watch: watch))
    }
  }

  func close() {
    for path in paths { loop.pointee.watch_free(path.watch) }
    paths = []
  }

  fileprivate func readable(_ descriptor: Int32) {
    guard let path = paths.first(where: { $0.socket.descriptor == descriptor }),
      let (bytes, sender) = path.socket.receive(), sender.port == MulticastSocket.port,
      // A stranger must not speak for this machine.
      sender.host.isLoopback == path.isLoopback
    else { return }
    for record in MulticastMessage.records(in: bytes)
    where record.type == type && record.lifetime > 0 && DomainName.areEqual(record.owner, name) {
      onAnswer(record.data, path.interface)
    }
  }
}

/// Two ways to put the same question.
final class DoubleQuery: RecordQuery {
  private let queries: [any RecordQuery]

  init(_ queries: [any RecordQuery]) { self.queries = queries }

  func close() {
    for query in queries { query.close() }
  }
}

private func takeAnswer(_: OpaquePointer?, descriptor: Int32, _: AvahiWatchEvent, context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<LegacyQuery>.fromOpaque(context).takeUnretainedValue().readable(descriptor)
}
#endif
