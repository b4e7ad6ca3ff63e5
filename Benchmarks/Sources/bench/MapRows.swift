import SharedWorld

/// Encoding and decoding of maps, in megabytes of raw points a second, against copying the same bytes.
enum MapRows {
  /// What a point takes in memory (bytes): three floats and an identifier.
  private static let bytesPerPoint = 20

  static let all = [("room-100k", 100_000), ("room-1M", 1_000_000)].flatMap { data, count in
    [
      Benchmark(name: "map-encode/lossless/\(data)") { [try encode(data, count)] },
      Benchmark(name: "map-decode/lossless/\(data)") { [try decode(data, count)] },
    ]
  }

  private static func encode(_ data: String, _ count: Int) throws -> Row {
    let map = SyntheticRoom(seed: 1, pointCount: count).map()
    let copy = Copy(bytes: count * bytesPerPoint)
    let times = try compare {
      consume(try map.encoded().count)
    } baseline: {
      copy.run()
    }
    return row("map-encode/lossless/\(data)", count, times)
  }

  private static func decode(_ data: String, _ count: Int) throws -> Row {
    let file = try SyntheticRoom(seed: 1, pointCount: count).map().encoded()
    let copy = Copy(bytes: count * bytesPerPoint)
    let times = try compare {
      consume(try WorldMap(decoding: file).cloud.count)
    } baseline: {
      copy.run()
    }
    return row("map-decode/lossless/\(data)", count, times)
  }

  private static func row(_ name: String, _ count: Int, _ times: (subject: Double, baseline: Double)) -> Row {
    let megabytes = Double(count * bytesPerPoint) / 1e6
    return Row(
      name: name, value: megabytes / times.subject, unit: "MB/s raw", baseline: "memcpy",
      baselineValue: megabytes / times.baseline, ratio: times.baseline / times.subject)
  }
}

/// Copies bytes between two buffers that are warm.
final class Copy {
  private let source: UnsafeMutableRawBufferPointer
  private let target: UnsafeMutableRawBufferPointer

  init(bytes: Int) {
    source = .allocate(byteCount: bytes, alignment: 64)
    target = .allocate(byteCount: bytes, alignment: 64)
    source.initializeMemory(as: UInt8.self, repeating: 1)
    target.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    source.deallocate()
    target.deallocate()
  }

  func run() {
    target.copyMemory(from: UnsafeRawBufferPointer(source))
    consume(Int(target[target.count / 2]))
  }
}

/// Keeps the optimiser from leaving out what nobody reads.
@inline(never)
func consume(_ value: Int) {}
