import Basics
import PeerProtocol
import Testing

@testable import PeerTransport

@Suite("Delay of what shares a link with a map")
struct DelayControlTests {
  /// Flows that always have more to send, through one hop.
  private struct Hop {
    /// Bytes a nanosecond.
    var rate: Double
    /// Nanoseconds there and back when nothing waits.
    var least: Double
    /// Bytes that the hop queues before it drops.
    let queue: Double
    var flows: [DelayControl]
    private(set) var delay = 0.0

    init(megabits: Double, milliseconds: Double, flows: Int) {
      rate = megabits / 8_000
      least = milliseconds * 1e6
      queue = 1e6
      self.flows = Array(repeating: DelayControl(target: 4_000_000), count: flows)
    }

    /// The bytes that each flow has in flight; without a bound TCP fills its share of the queue.
    private func inFlight(_ flow: DelayControl) -> Double {
      let share = (rate * least + queue) / Double(flows.count)
      return flow.window.map { min(Double($0), share) } ?? share
    }

    mutating func run(_ looks: Int) {
      for _ in 0..<looks {
        let total = flows.reduce(0) { $0 + inFlight($1) }
        delay = max(0, total / rate - least)
        for index in flows.indices {
          flows[index].note(delay: UInt64(delay), inFlight: Int(inFlight(flows[index])))
        }
      }
    }

    /// How much of the hop's rate is used.
    var use: Double { min(1, flows.reduce(0) { $0 + inFlight($1) } / (rate * least)) }
  }

  @Test("flows keep the queue of a slow hop near the target and the hop busy", arguments: [1, 2, 3, 8])
  func slowHop(flows: Int) {
    var hop = Hop(megabits: 100, milliseconds: 0.3, flows: flows)
    hop.run(1)
    #expect(hop.delay > 70e6)
    hop.run(100)
    let floor = Double(flows * DelayControl.windows.lowerBound) / hop.rate
    #expect(hop.delay < max(5e6, floor))
    #expect(hop.use == 1)
  }

  @Test("a flow that is no longer held up has more in flight again")
  func recovery() {
    var hop = Hop(megabits: 100, milliseconds: 0.3, flows: 1)
    hop.run(100)
    hop.rate *= 10
    hop.run(100)
    #expect(hop.use == 1 && hop.delay < 5e6)
  }

  @Test("nothing is bounded while no bytes wait")
  func idleHop() {
    var control = DelayControl(target: 4_000_000)
    for delay in 0..<100 { control.note(delay: UInt64(delay) * 40_000, inFlight: 1_000_000) }
    #expect(control.window == nil && control.sendSize == .max)
    control.note(delay: 8_000_000, inFlight: 1_000_000)
    #expect(control.window == 500_000 && control.sendSize == 250_000)
  }

  @Test("an answer of the kernel that ends too soon, or knows no round trip, says nothing")
  func kernelAnswer() {
    var info = [UInt8](repeating: 0, count: PathState.infoSize)
    info.withUnsafeMutableBytes { info in
      info.storeBytes(of: UInt32(1_448), toByteOffset: 16, as: UInt32.self)
      info.storeBytes(of: UInt32(3), toByteOffset: 24, as: UInt32.self)
      info.storeBytes(of: UInt32(900), toByteOffset: 68, as: UInt32.self)
      info.storeBytes(of: UInt32(250), toByteOffset: 148, as: UInt32.self)
    }
    let path = info.withUnsafeBytes { PathState(info: $0) }
    #expect(path?.inFlight == 3 * 1_448)
    #expect(path?.roundTrip == 900_000 && path?.leastRoundTrip == 250_000)
    info.withUnsafeBytes { #expect(PathState(info: UnsafeRawBufferPointer(rebasing: $0.dropLast())) == nil) }
    info.withUnsafeMutableBytes { $0.storeBytes(of: UInt32.max, toByteOffset: 148, as: UInt32.self) }
    info.withUnsafeBytes { #expect(PathState(info: $0) == nil) }
  }

  @Test("the kernel tells the round trip of a connection")
  func liveConnection() throws {
    let any = SocketAddress(host: .ipv4(0x7f00_0001), port: 0)
    let listener = try Socket(for: any)
    try listener.listen(on: any)
    let bound = listener.localAddress
    let address = try #require(bound)
    let socket = try Socket(for: address)
    try socket.connect(to: address)
    let told = socket.path
    let path = try #require(told)
    #expect(path.leastRoundTrip > 0 && path.leastRoundTrip <= path.roundTrip && path.inFlight == 0)
  }
}
