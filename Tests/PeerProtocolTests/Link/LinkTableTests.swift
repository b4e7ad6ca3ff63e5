import Basics
@testable import PeerProtocol
import Testing
import WorldModel

@Suite("Link table")
struct LinkTableTests {
  private func link(_ number: UInt64) -> Link {
    Link(
      id: LinkID(rawValue: number), peer: PeerID(SHA256Digest(hashing: [UInt8(number)])), dial: nil,
      remote: .loopback(port: 1), at: .zero)
  }

  private func table(_ numbers: UInt64...) -> LinkTable {
    var table = LinkTable()
    for number in numbers { table[LinkID(rawValue: number)] = link(number) }
    return table
  }

  @Test("links stay in the order in which they were added, whatever their numbers")
  func keepsOrder() {
    var table = table(7, 3, 5)
    #expect(table.ids.map(\.rawValue) == [7, 3, 5])
    #expect(table.values.map(\.id) == table.ids)
    #expect(table.removeValue(forKey: LinkID(rawValue: 3))?.id.rawValue == 3)
    table[LinkID(rawValue: 3)] = link(3)
    #expect(table.ids.map(\.rawValue) == [7, 5, 3])
  }

  @Test("a change reaches its link only, and that of an absent one changes nothing")
  func changesInPlace() {
    var table = table(1, 2)
    table[LinkID(rawValue: 2)]?.bytesSent = 5
    table[LinkID(rawValue: 9)]?.bytesSent = 5
    #expect(table[LinkID(rawValue: 1)]?.bytesSent == 0)
    #expect(table[LinkID(rawValue: 2)]?.bytesSent == 5)
    #expect(table[LinkID(rawValue: 9)] == nil)
    #expect(table.ids.count == 2)
  }

  @Test("an update reaches its link in one look, and is not run for an absent one")
  func updates() {
    var table = table(1, 2)
    let copy = table
    let before = table.update(LinkID(rawValue: 2)) { exchange(&$0.bytesSent, with: 5) }
    #expect(before == 0)
    #expect(table.update(LinkID(rawValue: 2)) { $0.bytesSent } == 5)
    #expect(copy[LinkID(rawValue: 2)]?.bytesSent == 0)
    #expect(table.update(LinkID(rawValue: 9)) { $0.bytesSent } == nil)
  }

  @Test("a copy does not see later changes")
  func isValue() {
    var table = table(1)
    let copy = table
    table[LinkID(rawValue: 1)]?.control.write(UInt8(1))
    #expect(copy[LinkID(rawValue: 1)]?.control.count == 0)
    #expect(table[LinkID(rawValue: 1)]?.control.count == 1)
  }

  @Test("storing nil takes a link out")
  func removes() {
    var table = table(1, 2)
    table[LinkID(rawValue: 1)] = nil
    #expect(table.ids.map(\.rawValue) == [2])
    #expect(table.removeValue(forKey: LinkID(rawValue: 1))?.id == nil)
  }
}
