import BasicsLinux
import Glibc
import Testing

@Suite struct WakeUpTests {
  @Test func `it is readable from the first signal to the reset`() throws {
    let wakeUp = try WakeUp()
    #expect(!isReadable(wakeUp))
    wakeUp.reset()
    wakeUp.signal()
    wakeUp.signal()
    #expect(isReadable(wakeUp))
    wakeUp.reset()
    #expect(!isReadable(wakeUp))
  }

  @Test func `a failure names the call and the system's reason`() {
    #expect(SystemCallFailure("eventfd", code: EMFILE).description == "eventfd: Too many open files")
  }

  private func isReadable(_ wakeUp: WakeUp) -> Bool {
    var descriptor = pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) == 1
  }
}
