import SharedWorld

/// Taps into a generated room, and the index they need.
enum HitTestRows {
  static let all = [("1k", 1_000), ("100k", 100_000), ("1M", 1_000_000)].flatMap { name, count in
    [
      Benchmark(name: "hit-test/\(name)") { [try hitTest(name, count)] },
      Benchmark(name: "index/\(name)") { [try index(name, count)] },
    ]
  }

  /// Looks from the middle of the room, where a person with a phone stands, to all sides.
  private static let cameras = (0..<8).map { side in
    let directions: [SIMD3<Float>] = [
      [1, 0, 0], [1, -0.3, 1], [0, 0.2, 1], [-1, -0.5, 1], [-1, 0, 0], [-1, 0.3, -1], [0, -0.2, -1], [1, 0, -1],
    ]
    return PinholeCamera(eye: .zero, target: directions[side])
  }

  /// Places of a screen: a grid of 8 by 8.
  private static let screens = (0..<64).map { SIMD2<Float>(Float($0 % 8) + 0.5, Float($0 / 8) + 0.5) / 8 }

  private static func hitTest(_ name: String, _ count: Int) throws -> Row {
    let map = try WorldMapData.room("room-\(name)", count).cloud()
    let test = HitTest(cloud: map)
    let taps = Double(cameras.count * screens.count)
    let times = compare {
      for camera in cameras {
        for screen in screens { consume(test.results(at: screen, through: camera).count) }
      }
    } baseline: {
      consume(nearest(map.positions, to: cameras[0].ray(through: [0.5, 0.5])))
    }
    let (tap, pass) = (times.subject / taps * 1e6, times.baseline * 1e6)
    return Row(
      name: "hit-test/\(name)", value: tap, unit: "µs/tap", baseline: "a pass over all points", baselineValue: pass,
      ratio: tap / pass)
  }

  /// What a hit-test without an index does at least: the point with the smallest angle to the ray.
  private static func nearest(_ positions: [SIMD3<Float>], to ray: Ray) -> Int {
    var (best, found) = (-Float.infinity, 0)
    for (index, position) in positions.enumerated() {
      let offset = position - ray.origin
      let along = (offset * ray.direction).sum()
      let cosine = along / (offset * offset).sum().squareRoot()
      if cosine > best { (best, found) = (cosine, index) }
    }
    return found
  }

  private static func index(_ name: String, _ count: Int) throws -> Row {
    let positions = try WorldMapData.room("room-\(name)", count).cloud().positions
    let copy = Copy(bytes: count * MemoryLayout<SIMD3<Float>>.stride)
    let times = compare {
      consume(SpatialIndex(positions).count)
    } baseline: {
      copy.run()
    }
    return Row(
      name: "index/\(name)", value: times.subject * 1e3, unit: "ms", baseline: "memcpy of the positions",
      baselineValue: times.baseline * 1e3, ratio: times.subject / times.baseline)
  }
}
