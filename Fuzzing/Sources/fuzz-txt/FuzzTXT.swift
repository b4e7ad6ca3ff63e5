import FuzzDriver

@main
struct FuzzTXT {
  static func main() { fuzz(fuzzTXT) }
}

/// Any bytes as the TXT record of a service: what was read is written and read again as the same.
private func fuzzTXT(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let info = DiscoveryInfo(parsing: [UInt8](UnsafeBufferPointer(start: data, count: count)))
  precondition(info.keys.count <= DiscoveryInfo.maximumReceivedKeys)
  precondition(Set(info.keys).count == info.keys.count, "a key occurs twice")
  precondition(DiscoveryInfo(parsing: info.encoded) == info, "a record changes when it is written and read again")
  return 0
}
