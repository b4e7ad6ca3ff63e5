import Basics
import Testing

@testable import WorldModel

@Suite("Coordinates on a grid")
struct GridComponentTests {
  /// Three coordinates with grid number 0: a tail of width 0.
  private static let zeros: [UInt8] = [0]

  /// Reads three coordinates whose component holds `bytes`.
  private static func read(_ bytes: [UInt8], step: Float = 0.001) throws -> [Float] {
    var decoder = ComponentDecoder(layout: CloudLayout(FeatureCloud(), step: step))
    var rows = FrameRows(count: 3)
    try bytes.withUnsafeBytes { source throws in
      try decoder.coordinates(ComponentReader.Part(method: .packedGrid, bytes: source, offset: 0), to: &rows)
    }
    return rows.elements.map { Float(bitPattern: $0) }
  }

  private static func exact(_ index: UInt32, _ value: Float) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(index)
    writer.write(value)
    return writer.bytes
  }

  @Test func exactCoordinatesFollowTheStream() throws {
    #expect(try Self.read(Self.zeros) == [0, 0, 0])
    #expect(try Self.read(Self.zeros + Self.exact(0, 7.25) + Self.exact(2, -1e9)) == [7.25, 0, -1e9])
  }

  @Test func exactCoordinatesRiseAndAreWhole() {
    let bad: [[UInt8]] = [
      Self.exact(1, 7) + Self.exact(1, 8), Self.exact(2, 7) + Self.exact(0, 8), Self.exact(3, 7), Self.exact(.max, 7),
      Array(Self.exact(0, 7).dropLast()), Self.exact(0, 7) + [0],
    ]
    for rest in bad {
      #expect(throws: DecodingFailure.self, "\(rest)") { try Self.read(Self.zeros + rest) }
    }
    #expect(throws: DecodingFailure.self) { try Self.read([]) }
    #expect(throws: DecodingFailure.self) { try Self.read(Self.zeros, step: 0) }
  }
}
