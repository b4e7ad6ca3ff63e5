import Basics
import BasicsLinux
import Glibc
import PeerProtocol
import TestSupport
import Testing

@testable import PeerTransport

/// Which connections never reach this process while strangers flood it.
@Suite(.endsHangs) struct DoorTests {
  private func host(_ number: Int) -> SocketAddress.Host { .ipv4(0x0a00_0000 + UInt32(number)) }

  /// Refuses so many connections, of these hosts in turn, at once; how often the door shut.
  private func refuse(_ count: Int, of hosts: [SocketAddress.Host], at now: UInt64, _ door: inout Door) -> Int {
    (0..<count).count { door.note(refusalOf: hosts[$0 % hosts.count], at: now) }
  }

  @Test func `the door stays open below its limit, and shuts at it`() {
    var door = Door()
    #expect(refuse(Door.refusals - 1, of: [host(1)], at: 5, &door) == 0)
    #expect(door.opensAt == nil)
    // In the next window they are counted again.
    #expect(refuse(Door.refusals - 1, of: [host(1)], at: 5 + Door.window, &door) == 0)
    #expect(refuse(1, of: [host(1)], at: 5 + Door.window, &door) == 1)
    #expect(door.opensAt == 5 + Door.window + Door.pause)
  }

  @Test func `of few loud addresses only those are shut out`() {
    var door = Door()
    let quiet = (10..<20).map(host)
    #expect(refuse(20, of: quiet, at: 0, &door) == 0)
    #expect(refuse(108, of: [host(1), host(2)], at: 0, &door) == 1)
    #expect(door.shutOut == [host(1), host(2)])
    #expect(!door.isForMembers)
  }

  @Test func `of many addresses only those of members are let in`() {
    var door = Door()
    #expect(refuse(Door.refusals, of: (1...250).map(host), at: 0, &door) == 1)
    #expect(door.shutOut.isEmpty)
    #expect(door.isForMembers)
  }

  @Test func `what still comes adds to what is shut out, until the door opens for all`() {
    var door = Door()
    #expect(refuse(Door.refusals, of: (1...250).map(host), at: 0, &door) == 1)
    // The address of a member that floods.
    #expect(refuse(Door.refusals, of: [host(7)], at: 10, &door) == 1)
    #expect(door.isForMembers)
    #expect(door.shutOut == [host(7)])
    let opened = [9 + Door.pause, 10 + Door.pause, .max].map { door.open(at: $0) }
    #expect(opened == [false, true, false])
    #expect(door.shutOut.isEmpty && !door.isForMembers && door.opensAt == nil)
  }

  /// Whether a listener with this filter gets a connection from an address of this machine.
  private func passes(_ filter: SocketFilter, from source: SocketAddress) throws -> Bool {
    let listener = try Socket(for: source)
    let client = try Socket(for: source)
    try listener.listen(on: source)
    let isTaken = listener.attach(filter)
    #expect(isTaken)
    let port = try #require(listener.localAddress?.port)
    try client.connect(to: source.with(port: port))
    // The loopback network delivers, and so drops, before `connect` returns.
    var poll = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, 0) == 1
  }

  @Test(arguments: [SocketAddress.loopback(port: 0), SocketAddress(host: .ipv6(high: 0, low: 1, scope: 0), port: 0)])
  func `the kernel drops connections from who is shut out, and lets members in`(source: SocketAddress) throws {
    let (none, others) = ([SocketAddress.Host](), (1...600).map(host))
    #expect(try passes(SocketFilter(refusing: none, sparing: none as [SocketAddress.Host]?), from: source) == false)
    #expect(try passes(SocketFilter(refusing: others, sparing: nil as [SocketAddress.Host]?), from: source))
    #expect(try passes(SocketFilter(refusing: [source.host], sparing: [source.host]), from: source) == false)
    // The largest program that the kernel is asked to take.
    let members = [source.host] + others
    #expect(try passes(SocketFilter(refusing: others, sparing: members), from: source))
    #expect(try passes(SocketFilter(refusing: others, sparing: others), from: source) == false)
  }
}
