import FuzzDriver
@testable import ServiceDiscovery

@main
struct FuzzMulticast {
  static func main() { fuzz(fuzzMulticast) }
}

/// Any bytes as a message of multicast DNS, as the data of a record, and as a name: an error, or something that obeys the rules
/// that the lists rely on.
private func fuzzMulticast(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard let type = try? ServiceType("sharedworld") else { preconditionFailure("a service type is refused") }
  for record in MulticastMessage.records(in: bytes) {
    precondition(record.owner.last == 0 && record.owner.count <= DomainName.maximumLength)
    if let instance = record.instance(of: type) { precondition((1...63).contains(instance.name.utf8.count)) }
    switch record.type {
    case .service: _ = ServiceLocation(parsing: record.data)
    case .text: _ = DiscoveryInfo(parsing: record.data)
    case .pointer: precondition(record.data.last == 0)
    case .address, .address6: break
    }
  }
  _ = MulticastMessage.answers(bytes, naming: type.dnsName)
  if let location = ServiceLocation(parsing: bytes) { precondition(location.port > 0 && !location.host.isEmpty) }
  if let text = DomainName.escaped(labels: bytes[...]) {
    precondition(DomainName.labels(ofText: text) == bytes, "a name changes when it is written and read again")
  }
  return 0
}
