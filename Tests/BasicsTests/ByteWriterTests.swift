import Basics
import Testing

@Suite struct ByteWriterTests {
  @Test func `a length written first is patched when it is known`() {
    var writer = ByteWriter()
    writer.write(UInt32(0))
    writer.write(bytes: [1, 2, 3])
    writer.patch(0x0403_0201, at: 0)
    #expect(writer.bytes == [1, 2, 3, 4, 1, 2, 3])
    writer.truncate(to: 5)
    #expect(writer.take() == [1, 2, 3, 4, 1])
    #expect(writer.count == 0)
  }

  @Test func `memory is used again`() {
    var writer = ByteWriter(capacity: 100)
    let capacity = writer.take().capacity
    #expect(capacity >= 100)
    var spent: [UInt8] = []
    spent.reserveCapacity(100)
    var next = ByteWriter(reusing: spent)
    next.write(UInt8(1))
    next.removeAll()
    #expect(next.bytes.isEmpty)
    #expect(next.take().capacity >= 100)
  }
}
