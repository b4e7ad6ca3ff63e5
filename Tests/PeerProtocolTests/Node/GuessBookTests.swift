import Basics
import Testing
import WorldModel

@testable import PeerProtocol

@Suite("Guesses of a passcode")
struct GuessBookTests {
  @Test("a guess that was open when the app unlocked the room and proves right gives nobody another one")
  func unlockingForgetsOpenGuesses() {
    var book = GuessBook()
    book.open()
    book.reset()
    book.succeed(Sample.alice, at: .ipv4(0x7f00_0001), isCounted: true)
    #expect(book.left == ProtocolLimits.wrongPasscodes)
  }
}
