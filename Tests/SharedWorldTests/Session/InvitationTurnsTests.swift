import Basics
import Testing

@testable import SharedWorld

@Suite("Turns of invitations")
struct InvitationTurnsTests {
  private typealias Place = InvitationTurns.Place

  /// The place of a service of one of several machines.
  private static func place(_ machine: UInt32?, _ standing: InvitationTurns.Standing = .new) -> Place {
    Place(source: machine.map { .ipv4($0) }, standing: standing)
  }

  private static func forged(_ numbers: Range<Int>, by machine: UInt32?) -> [(Candidate.ID, Place)] {
    numbers.map { ("forged \($0)", place(machine)) }
  }

  private static func turns(_ waiting: [(Candidate.ID, Place)]) -> InvitationTurns {
    var turns = InvitationTurns()
    for (id, place) in waiting { #expect(turns.wait(id, at: place) == nil) }
    return turns
  }

  /// Those whose turn begins.
  private static func begun(_ turns: inout InvitationTurns) -> [Candidate.ID] {
    var begun: [Candidate.ID] = []
    while let next = turns.next() { begun.append(next) }
    return begun
  }

  @Test("attack: of 4,000 services of one machine a few are dialled at a time, and the one of another machine at once")
  func oneSource() {
    var turns = Self.turns(Self.forged(0..<4000, by: 1) + [("real", Self.place(2))])
    #expect(Self.begun(&turns) == ["forged 0", "real", "forged 1"])
    turns.end("forged 1")
    #expect(Self.begun(&turns) == ["forged 2"])
  }

  @Test("attack: the services of many machines are dialled sixteen at a time, and each machine has its turn")
  func manySources() {
    let waiting = (0..<100).flatMap { Self.forged($0 * 9..<$0 * 9 + 9, by: UInt32($0)) }
    var turns = Self.turns(waiting)
    let first = Self.begun(&turns)
    #expect(first == (0..<16).map { "forged \($0 * 9)" })
    for id in first { turns.end(id) }
    #expect(Self.begun(&turns) == (16..<32).map { "forged \($0 * 9)" })
  }

  @Test("devices that were members come first, then services that have answered, then new ones")
  func standings() {
    let waiting = [
      ("new", Self.place(1)), ("answered", Self.place(1, .answered)), ("other answered", Self.place(2, .answered)),
      ("known", Self.place(2, .known)),
    ]
    var turns = Self.turns(waiting)
    #expect(Self.begun(&turns) == ["known", "answered", "other answered", "new"])
  }

  @Test("services that have answered the dial make room for further ones, up to the links of a few")
  func reached() {
    var turns = Self.turns(Self.forged(0..<100, by: 1))
    var answered = 0
    while case let begun = Self.begun(&turns), !begun.isEmpty {
      answered += begun.count
      for id in begun { turns.reached(id) }
    }
    #expect(answered == InvitationTurns.open.ofSource)
    #expect(turns.wait("real", at: Self.place(2)) == nil)
    #expect(Self.begun(&turns) == ["real"])
    turns.end("forged 0")
    #expect(Self.begun(&turns) == ["forged 16"])
  }

  @Test("attack: too many that wait cost the machine of most of them its last ones")
  func tooMany() {
    var turns = Self.turns(Self.forged(0..<InvitationTurns.waiting, by: 1))
    #expect(turns.wait("one too many", at: Self.place(1)) == "one too many")
    #expect(turns.wait("real", at: Self.place(2)) == "forged \(InvitationTurns.waiting - 1)")
    #expect(Self.begun(&turns).contains("real"))
  }

  @Test("who gives up has no turn, and what has none leaves nothing behind")
  func givingUp() {
    var turns = Self.turns(Self.forged(0..<5, by: nil))
    turns.giveUp("forged 1", at: Self.place(nil))
    #expect(Self.begun(&turns) == ["forged 0", "forged 2", "forged 3", "forged 4"])
    turns.end("forged 1")
    turns.end("forged 0")
    #expect(Self.begun(&turns).isEmpty)
  }
}
