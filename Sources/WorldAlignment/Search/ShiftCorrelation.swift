/// Counts, for every shift of a scan by whole cells, how much of it falls on occupied cells of a map.
///
/// This is the exhaustive correlation that is often done by fast Fourier transform. A scan has a few hundred occupied
/// cells, and adding bytes 32 at a time is then faster than transforming: no rounding, and one small buffer.
struct ShiftCorrelation {
  /// The number of shifts on each axis.
  let shifts: SIMD3<Int32>
  /// The length of a row of scores: a multiple of 16.
  private let width: Int
  private var scores: [UInt16]

  /// The largest value of a cell of the map, and the most samples: their product fits into 16 bits.
  static let largestCell: Float = 15
  static let mostSamples = 4096
  /// So many cells of at most 15 add up in one byte.
  private static let run = 17
  /// The bytes after the end of each row of the map that a vector may read.
  static let slack: Int32 = 16

  init(shifts: SIMD3<Int32>) {
    self.shifts = shifts
    width = (Int(shifts.x) + 15) / 16 * 16
    scores = [UInt16](repeating: 0, count: width * Int(shifts.y) * Int(shifts.z))
  }

  /// Computes the score of every shift.
  ///
  /// - Parameter offsets: For each sample of the scan, the index in `map.cells` that it reads at the shift (0, 0, 0).
  mutating func run(_ map: OccupancyGrid, _ offsets: [Int32]) {
    let (width, height, depth) = (width, Int(shifts.y), Int(shifts.z))
    let (row, slice) = (Int(map.size.x), Int(map.size.x) * Int(map.size.y))
    map.cells.withUnsafeBytes { cells in
      offsets.withUnsafeBufferPointer { offsets in
        scores.withUnsafeMutableBytes { scores in
          guard let base = cells.baseAddress, let out = scores.baseAddress else { return }
          for z in 0..<depth {
            for y in 0..<height {
              let source = base + (z * slice + y * row)
              let target = out + 2 * width * (z * height + y)
              var x = 0
              while x + 32 <= width {
                Self.add32(source + x, offsets, target + 2 * x)
                x += 32
              }
              if x < width { Self.add16(source + x, offsets, target + 2 * x) }
            }
          }
        }
      }
    }
  }

  @inline(__always)
  private static func add32(
    _ row: UnsafeRawPointer, _ offsets: UnsafeBufferPointer<Int32>, _ out: UnsafeMutableRawPointer
  ) {
    var (a, b, c, d) = (SIMD8<UInt16>.zero, SIMD8<UInt16>.zero, SIMD8<UInt16>.zero, SIMD8<UInt16>.zero)
    var index = 0
    while index < offsets.count {
      let end = min(index + run, offsets.count)
      var (p, q) = (SIMD16<UInt8>.zero, SIMD16<UInt8>.zero)
      while index < end {
        let at = row + Int(offsets[index])
        p &+= at.loadUnaligned(as: SIMD16<UInt8>.self)
        q &+= (at + 16).loadUnaligned(as: SIMD16<UInt8>.self)
        index += 1
      }
      a &+= SIMD8<UInt16>(truncatingIfNeeded: p.lowHalf)
      b &+= SIMD8<UInt16>(truncatingIfNeeded: p.highHalf)
      c &+= SIMD8<UInt16>(truncatingIfNeeded: q.lowHalf)
      d &+= SIMD8<UInt16>(truncatingIfNeeded: q.highHalf)
    }
    out.storeBytes(of: a, as: SIMD8<UInt16>.self)
    (out + 16).storeBytes(of: b, as: SIMD8<UInt16>.self)
    (out + 32).storeBytes(of: c, as: SIMD8<UInt16>.self)
    (out + 48).storeBytes(of: d, as: SIMD8<UInt16>.self)
  }

  @inline(__always)
  private static func add16(
    _ row: UnsafeRawPointer, _ offsets: UnsafeBufferPointer<Int32>, _ out: UnsafeMutableRawPointer
  ) {
    var (a, b) = (SIMD8<UInt16>.zero, SIMD8<UInt16>.zero)
    var index = 0
    while index < offsets.count {
      let end = min(index + run, offsets.count)
      var p = SIMD16<UInt8>.zero
      while index < end {
        p &+= (row + Int(offsets[index])).loadUnaligned(as: SIMD16<UInt8>.self)
        index += 1
      }
      a &+= SIMD8<UInt16>(truncatingIfNeeded: p.lowHalf)
      b &+= SIMD8<UInt16>(truncatingIfNeeded: p.highHalf)
    }
    out.storeBytes(of: a, as: SIMD8<UInt16>.self)
    (out + 16).storeBytes(of: b, as: SIMD8<UInt16>.self)
  }

  /// Takes the best shifts out, each at least three cells from the better ones.
  mutating func takePeaks(_ count: Int) -> [(score: UInt16, shift: SIMD3<Int32>)] {
    var found: [(score: UInt16, shift: SIMD3<Int32>)] = []
    let (height, depth) = (Int(shifts.y), Int(shifts.z))
    while found.count < count {
      let (best, at) = largest()
      guard best > 0 else { break }
      let (x, y, z) = (at % width, at / width % height, at / width / height)
      // The last columns of a row fill its last vector and are no shifts.
      if x < Int(shifts.x) { found.append((best, SIMD3(Int32(x), Int32(y), Int32(z)))) }
      for c in max(z - 2, 0)...min(z + 2, depth - 1) {
        for b in max(y - 2, 0)...min(y + 2, height - 1) {
          for a in max(x - 2, 0)...min(x + 2, width - 1) { scores[(c * height + b) * width + a] = 0 }
        }
      }
    }
    return found
  }

  /// The largest score, and where it is first.
  private func largest() -> (score: UInt16, index: Int) {
    scores.withUnsafeBytes { bytes in
      let vectors = bytes.bindMemory(to: SIMD8<UInt16>.self)
      var best: UInt16 = 0
      var place = 0
      for index in vectors.indices {
        let top = vectors[index].max()
        if top > best { (best, place) = (top, index) }
      }
      guard best > 0 else { return (0, 0) }
      let lane = vectors[place].indices.first { vectors[place][$0] == best } ?? 0
      return (best, place * 8 + lane)
    }
  }
}
