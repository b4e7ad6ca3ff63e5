extension SocketAddress: CustomStringConvertible {
  /// `192.0.2.1:80`, `[2001:db8::1]:80` or `[fe80::1%3]:80` (RFC 5952, RFC 6874 with a plain percent sign).
  package var description: String {
    switch host {
    case .ipv4: "\(host):\(port)"
    case .ipv6: "[\(host)]:\(port)"
    }
  }

  /// Reads the form that ``description`` writes; nil for anything else, names included.
  package init?(_ text: String) {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
      let port = UInt16(digits: text[text.utf8.index(after: colon)...])
    else { return nil }
    var address = text[..<colon]
    let isBracketed = address.utf8.count > 2 && address.first == "[" && address.last == "]"
    if isBracketed { address = address.dropFirst().dropLast() }
    // A bare IPv6 address would make the port ambiguous, and brackets belong to IPv6 alone.
    guard address.contains(":") == isBracketed, let host = Host(String(address)) else { return nil }
    self.init(host: host, port: port)
  }
}

extension SocketAddress.Host: CustomStringConvertible {
  /// Dotted decimal, or IPv6 as RFC 5952 writes it, with `%` and the interface index when there is one.
  package var description: String {
    switch self {
    case .ipv4(let word):
      return stride(from: 24, through: 0, by: -8).map { "\(word >> UInt32($0) & 0xff)" }.joined(separator: ".")
    case .ipv6(let high, let low, let scope):
      let groups = [high, low].flatMap { word in
        stride(from: 48, through: 0, by: -16).map { UInt16(truncatingIfNeeded: word >> UInt64($0)) }
      }
      return Self.text(of: groups) + (scope == 0 ? "" : "%\(scope)")
    }
  }

  /// Reads dotted decimal or IPv6 with an optional `%` and interface index; nil for anything else.
  package init?(_ text: String) {
    if !text.contains(":") {
      guard let word = Self.dotted(Substring(text)) else { return nil }
      self = .ipv4(word)
      return
    }
    let parts = text.split(separator: "%", omittingEmptySubsequences: false)
    guard parts.count <= 2, let groups = Self.groups(of: parts[0]) else { return nil }
    var scope: UInt32 = 0
    if parts.count == 2 {
      guard let index = UInt32(digits: parts[1]), index > 0 else { return nil }
      scope = index
    }
    let high = groups.prefix(4).reduce(0) { $0 << 16 | UInt64($1) }
    let low = groups.suffix(4).reduce(0) { $0 << 16 | UInt64($1) }
    self = .ipv6(high: high, low: low, scope: scope)
  }

  /// Eight groups in hexadecimal, the first longest run of at least two zero groups replaced by `::` (RFC 5952 §4.2).
  private static func text(of groups: [UInt16]) -> String {
    var best = 0..<0
    var start = 0
    for index in 0...8 where index == 8 || groups[index] != 0 {
      if index - start > max(best.count, 1) { best = start..<index }
      start = index + 1
    }
    let words = groups.map { String($0, radix: 16) }
    guard !best.isEmpty else { return words.joined(separator: ":") }
    return words[..<best.lowerBound].joined(separator: ":") + "::" + words[best.upperBound...].joined(separator: ":")
  }

  /// The eight groups of an IPv6 address (RFC 4291 §2.2), nil when it is malformed.
  private static func groups(of text: Substring) -> [UInt16]? {
    guard let gap = text.firstDoubleColon else {
      guard let groups = list(text), groups.count == 8 else { return nil }
      return groups
    }
    let front = text[..<gap.lowerBound]
    guard !front.contains("."), let head = list(front), let tail = list(text[gap.upperBound...]) else { return nil }
    // "::" stands for at least one group.
    guard head.count + tail.count < 8 else { return nil }
    return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
  }

  /// Groups between single colons, the last perhaps an IPv4 address, none when the text is empty.
  private static func list(_ text: Substring) -> [UInt16]? {
    if text.isEmpty { return [] }
    let words = text.split(separator: ":", omittingEmptySubsequences: false)
    var groups: [UInt16] = []
    for (index, word) in words.enumerated() {
      if index == words.count - 1, word.contains(".") {
        guard let quad = dotted(word) else { return nil }
        groups += [UInt16(quad >> 16), UInt16(truncatingIfNeeded: quad)]
        continue
      }
      guard (1...4).contains(word.utf8.count), word.allSatisfy(\.isHexDigit), let group = UInt16(word, radix: 16)
      else { return nil }
      groups.append(group)
    }
    return groups
  }

  /// Four decimal numbers of 0…255 without leading zeros, which some readers would take as octal.
  private static func dotted(_ text: Substring) -> UInt32? {
    let words = text.split(separator: ".", omittingEmptySubsequences: false)
    guard words.count == 4 else { return nil }
    var address: UInt32 = 0
    for word in words {
      guard word.utf8.first != UInt8(ascii: "0") || word.utf8.count == 1, let byte = UInt8(digits: word) else {
        return nil
      }
      address = address << 8 | UInt32(byte)
    }
    return address
  }
}

extension FixedWidthInteger {
  /// Reads decimal digits and nothing else: no sign, no space.
  fileprivate init?(digits text: Substring) {
    guard text.utf8.allSatisfy({ UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") }) else { return nil }
    self.init(text)
  }
}

extension Substring {
  /// The first place where two colons stand together.
  fileprivate var firstDoubleColon: Range<Index>? {
    zip(indices, indices.dropFirst()).first { self[$0] == ":" && self[$1] == ":" }
      .map { $0..<index($1, offsetBy: 1) }
  }
}
