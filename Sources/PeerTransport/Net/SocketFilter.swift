import Basics
import CLinux
import Glibc

/// A program of the kernel that drops the first packets of unwelcome connections to a listener (classic BPF, socket(7)).
///
/// It compares the last 32 bits of an address alone, of IPv6 too: one that they mistake for a member's finds the
/// ``AdmissionGate`` behind it.
struct SocketFilter {
  /// Addresses of one kind that a program names: the kernel takes 4,096 instructions, of bounded memory.
  static let addressLimit = 512

  let instructions: [sock_filter]

  /// Drops connections from `refused`, and those from all but `spared` unless that is nil.
  init(refusing refused: some Sequence<SocketAddress.Host>, sparing spared: (some Sequence<SocketAddress.Host>)?) {
    // Offsets of a segment count from its TCP header; those of the IP header are apart.
    let network = UInt32(bitPattern: SKF_NET_OFF)
    var program = [
      // Only a segment with SYN begins a connection.
      Self.step(BPF_LD | BPF_B | BPF_ABS, 13), Self.step(BPF_JMP | BPF_JSET | BPF_K, 0x02, then: 1), Self.pass,
      // The version decides where the source's last word is.
      Self.step(BPF_LD | BPF_B | BPF_ABS, network), Self.step(BPF_ALU | BPF_AND | BPF_K, 0xf0),
      Self.step(BPF_JMP | BPF_JEQ | BPF_K, 0x40, otherwise: 2),
      Self.step(BPF_LD | BPF_W | BPF_ABS, network + 12), Self.step(BPF_JMP | BPF_JA, 1),
      Self.step(BPF_LD | BPF_W | BPF_ABS, network + 20),
    ]
    for host in refused.prefix(Self.addressLimit) { program += Self.verdict(Self.drop, of: host) }
    if let spared { for host in spared.prefix(Self.addressLimit) { program += Self.verdict(Self.pass, of: host) } }
    instructions = program + [spared == nil ? Self.pass : Self.drop]
  }

  private static let drop = step(BPF_RET | BPF_K, 0)
  private static let pass = step(BPF_RET | BPF_K, .max)

  private static func verdict(_ verdict: sock_filter, of host: SocketAddress.Host) -> [sock_filter] {
    let word = host.bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
    return [step(BPF_JMP | BPF_JEQ | BPF_K, word, otherwise: 1), verdict]
  }

  /// One instruction; of a comparison, how many follow that are left out.
  private static func step(_ code: Int32, _ value: UInt32, then: UInt8 = 0, otherwise: UInt8 = 0) -> sock_filter {
    sock_filter(code: UInt16(code), jt: then, jf: otherwise, k: value)
  }
}

extension Socket {
  /// Puts a filter before this socket, in the place of an earlier one; whether the kernel took it.
  @discardableResult
  func attach(_ filter: SocketFilter) -> Bool {
    var instructions = filter.instructions
    return instructions.withUnsafeMutableBufferPointer { steps in
      var program = sock_fprog(len: UInt16(steps.count), filter: steps.baseAddress)
      let size = socklen_t(MemoryLayout<sock_fprog>.size)
      return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, size) == 0
    }
  }

  /// Removes the filter, if there is one; a connection inherits that of its listener.
  func detachFilter() { set(SOL_SOCKET, SO_DETACH_FILTER, 0) }
}
