import FuzzDriver

@main
struct FuzzHTTP {
  static func main() { fuzz(fuzzHTTP) }
}

/// Any bytes as a request to the page of worldview, in pieces as the first byte says: the pieces do not change what is read,
/// and what is read obeys the rules that the server relies on.
private func fuzzHTTP(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard let size = bytes.first.map({ Int($0) + 1 }) else { return 0 }
  let text = bytes.dropFirst()
  let whole = read([Array(text)])
  let pieces = stride(from: text.startIndex, to: text.endIndex, by: size).map {
    Array(text[$0..<min($0 + size, text.endIndex)])
  }
  if case .some(let request) = whole {
    precondition(read(pieces) == request, "pieces change what is read")
    precondition(request.path.hasPrefix("/") && !request.path.contains("?"))
    precondition(request.fields.allSatisfy { $0.name == $0.name.lowercased() && !$0.value.contains("\r\n") })
  }
  return 0
}

/// The request in these pieces; nil when it is refused or not whole.
private func read(_ pieces: [[UInt8]]) -> HTTPRequest? {
  var reader = HTTPRequestReader()
  for piece in pieces {
    if let request = try? reader.append(piece) { return request }
  }
  return nil
}
