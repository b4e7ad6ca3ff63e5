/// The LZF compression (Lehmann, liblzf) that compressed Point Cloud Data files use.
///
/// A control byte below 32 is followed by that many literal bytes and one more. Otherwise its upper three bits are a
/// length (7 adds another byte), its lower five bits with the next byte a distance: copy length + 2 bytes from
/// distance + 1 back.
enum LZF {
  /// No input of n bytes makes more than this many times n: three bytes copy at most 264.
  private static let mostGrowth = 88

  /// Decompresses `count` bytes from `start` on, which must give exactly `size` bytes.
  static func decompress(
    _ bytes: [UInt8], from start: Int, count: Int, to size: Int
  ) throws(PointCloudFileError) -> [UInt8] {
    // A size that cannot be reached reserves no memory.
    guard size <= count * mostGrowth else {
      throw .malformedBytes("\(count) bytes cannot hold \(size)", offset: start)
    }
    var output: [UInt8] = []
    output.reserveCapacity(size)
    var place = start
    let end = start + count
    while place < end {
      let control = Int(bytes[place])
      let at = place
      place += 1
      if control < 32 {
        guard control < end - place, output.count + control < size else {
          throw .malformedBytes("a run of literals is too long", offset: at)
        }
        output += bytes[place...(place + control)]
        place += control + 1
        continue
      }
      var length = control >> 5
      let extra = length == 7 ? 2 : 1
      guard extra <= end - place else { throw .malformedBytes("a copy is cut off", offset: at) }
      if length == 7 { length += Int(bytes[place]) }
      let distance = (control & 31) << 8 | Int(bytes[place + extra - 1]) + 1
      place += extra
      guard distance <= output.count, output.count + length + 2 <= size else {
        throw .malformedBytes("a copy reaches out of the data", offset: at)
      }
      // Byte by byte: a copy may overlap what it makes.
      for _ in 0..<(length + 2) { output.append(output[output.count - distance]) }
    }
    guard output.count == size else {
      throw .malformedBytes("the data make \(output.count) bytes, not \(size)", offset: end)
    }
    return output
  }

  /// Compresses `input`, with the last place of each hash of three bytes as the only candidate.
  static func compress(_ input: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(input.count + input.count / 32 + 1)
    var last = [Int](repeating: -1, count: 1 << 14)
    var literals = 0
    var place = 0
    while place < input.count {
      guard place + 2 < input.count else {
        place = input.count
        break
      }
      let key = Self.key(input, place)
      let slot = Int((key &* 2_654_435_761) >> 18)
      let candidate = last[slot]
      last[slot] = place
      guard candidate >= 0, place - candidate <= 8_192, key == Self.key(input, candidate)
      else {
        place += 1
        continue
      }
      var length = 3
      while length < 264, place + length < input.count, input[candidate + length] == input[place + length] {
        length += 1
      }
      appendLiterals(input[literals..<place], to: &output)
      appendCopy(length: length - 2, distance: place - candidate - 1, to: &output)
      place += length
      literals = place
    }
    appendLiterals(input[literals..<place], to: &output)
    return output
  }

  /// The three bytes at `place` as one number.
  private static func key(_ input: [UInt8], _ place: Int) -> UInt32 {
    UInt32(input[place]) << 16 | UInt32(input[place + 1]) << 8 | UInt32(input[place + 2])
  }

  private static func appendLiterals(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8]) {
    var rest = bytes
    while !rest.isEmpty {
      let run = rest.prefix(32)
      output.append(UInt8(run.count - 1))
      output += run
      rest = rest.dropFirst(32)
    }
  }

  private static func appendCopy(length: Int, distance: Int, to output: inout [UInt8]) {
    output.append(UInt8(min(length, 7) << 5 | distance >> 8))
    if length >= 7 { output.append(UInt8(length - 7)) }
    output.append(UInt8(distance & 255))
  }
}
