import Basics
@testable import PeerProtocol
import Testing
import WorldModel

@Suite("Places of links")
struct LinkDirectoryTests {
  private func peer(_ number: UInt64) -> PeerID { PeerID(SHA256Digest(hashing: [UInt8(number)])) }

  private func directory(_ numbers: UInt64...) -> LinkDirectory {
    var directory = LinkDirectory()
    for number in numbers { _ = open(number, in: &directory) }
    return directory
  }

  private func open(_ number: UInt64, in directory: inout LinkDirectory) -> LinkRef {
    directory.open(LinkID(rawValue: number), peer: peer(number), remote: .loopback(port: 1), isDialled: false)
  }

  @Test("links stay in the order in which they were opened, whatever their numbers and places")
  func keepsOrder() throws {
    var directory = directory(7, 3, 5)
    #expect(directory.all.map(\.id.rawValue) == [7, 3, 5])
    let three = try #require(directory.link(LinkID(rawValue: 3)))
    directory.close(three)
    let nine = open(9, in: &directory)
    #expect(nine.slot == three.slot)
    #expect(directory.all.map(\.id.rawValue) == [7, 5, 9])
  }

  @Test("a link that has ended is found by nothing, also when another one has its place")
  func endedLink() throws {
    var directory = directory(1)
    let one = try #require(directory.link(LinkID(rawValue: 1)))
    var book = PerLink<Int>()
    book.begin(one, with: 11)
    directory.close(one)
    #expect(directory[one]?.peer == nil && directory.link(one.id) == nil && !directory.isOpen(one))
    let two = open(2, in: &directory)
    #expect(two.slot == one.slot)
    book.begin(two, with: 22)
    #expect(book[one] == nil && !book.has(one) && book[two] == 22)
    book[one] = 5
    #expect(book.update(one) { $0 += 1 } == nil && book[two] == 22)
  }

  @Test("a change reaches its link only, and copies do not see it")
  func changesInPlace() throws {
    var directory = directory(1, 2)
    let (one, two) = (directory.all[0], directory.all[1])
    var book = PerLink<[Int]>()
    book.begin(one, with: [])
    book.begin(two, with: [])
    let copy = book
    book[two]?.append(7)
    #expect(book[one] == [] && book[two] == [7] && copy[two] == [])
    #expect(book.update(two) { $0.count } == 1)
    #expect(book.end(two) == [7] && book[two] == nil && !book.has(two))
    directory.identify(two, as: NodeID(peer: peer(2), incarnation: 4), .current)
    directory.carry(two)
    #expect(
      directory.carrier(of: peer(2)) == two && directory.carrier(of: NodeID(peer: peer(2), incarnation: 5)) == nil)
    #expect(directory.members.isEmpty)
    directory.admit(two)
    #expect(directory.members.map(\.link) == [two] && directory.sender(two)?.node.incarnation == 4)
    directory.close(two)
    #expect(directory.members.isEmpty && directory.carrier(of: peer(2)) == nil)
  }
}
