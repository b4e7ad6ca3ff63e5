import Glibc
import PeerCLI
import TestSupport
import Testing

@Suite("Signals that end a program", .endsHangs)
struct SignalTests {
  @Test("a signal that comes as soon as they are waited for is heard", arguments: [SIGUSR1, SIGUSR2, SIGWINCH, SIGURG])
  func atOnce(number: Int32) async {
    let signals = await Signals([number])
    kill(getpid(), number)
    #expect(await signals.next() == number)
  }
}
