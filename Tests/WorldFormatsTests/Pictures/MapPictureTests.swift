import CZlib
import Testing
import WorldFormats
import WorldModel

@Suite struct MapPictureTests {
  /// The pixels of a PNG file as this package writes it, three bytes each.
  private struct Picture {
    var width = 0
    var height = 0
    var pixels: [UInt8] = []

    init(_ file: [UInt8]) throws {
      try #require(Array(file.prefix(8)) == [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
      var stream: [UInt8] = []
      var offset = 8
      while offset < file.count {
        let length = Self.word(file, offset)
        let body = Array(file[(offset + 4)..<(offset + 8 + length)])
        try #require(crc32(0, body, uInt(body.count)) == UInt(Self.word(file, offset + 8 + length)))
        switch String(decoding: body.prefix(4), as: UTF8.self) {
        case "IHDR":
          (width, height) = (Self.word(body, 4), Self.word(body, 8))
          try #require(Array(body.suffix(5)) == [8, 2, 0, 0, 0])
        case "IDAT": stream += body.dropFirst(4)
        case let type: try #require(type == "IEND")
        }
        offset += 12 + length
      }
      var rows = [UInt8](repeating: 0, count: height * (1 + 3 * width))
      var count = uLong(rows.count)
      try #require(uncompress(&rows, &count, stream, uLong(stream.count)) == Z_OK)
      try #require(Int(count) == rows.count)
      for row in 0..<height {
        let start = row * (1 + 3 * width)
        try #require(rows[start] == 1)
        for index in 0..<(3 * width) {
          let left = index < 3 ? 0 : pixels[pixels.count - 3]
          pixels.append(rows[start + 1 + index] &+ left)
        }
      }
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> Int {
      bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }

    func pixel(_ x: Int, _ y: Int) -> [Int] { (0..<3).map { Int(pixels[3 * (y * width + x) + $0]) } }
  }

  private let square = (0..<400).map { SIMD3<Float>(Float($0 % 20) / 10, 0, Float($0 / 20) / 10) }

  private func map(_ positions: [SIMD3<Float>], anchors: [Anchor] = []) -> WorldMap {
    WorldMap(
      anchors: anchors, cloud: FeatureCloud(positions: positions, identifiers: positions.indices.map { UInt64($0) }))
  }

  @Test func `a png is well formed and has its size`() throws {
    let picture = try Picture(MapPicture(map(square), width: 160, height: 100).png())
    #expect((picture.width, picture.height) == (160, 100))
    #expect(MapPicture(WorldMap(), width: 1, height: 100_000).size == (64, 8192))
  }

  @Test func `from above x is to the right and z is down`() throws {
    // A square of dots and one anchor in its corner of largest x and smallest z.
    let corner = Anchor(name: "", transform: Transform(translation: [1.9, 0, 0]))
    var named = corner
    named.name = "a"
    let plain = try Picture(MapPicture(map(square, anchors: [corner]), width: 200, height: 200).png())
    let marked = try Picture(MapPicture(map(square, anchors: [named]), width: 200, height: 200).png())
    // 1.9 m take 84 % of 200 pixels: the corner is at 100 ± 84.
    #expect(plain.pixel(184, 16) != marked.pixel(184, 16))
    #expect(marked.pixel(184, 16) == [255, 104, 64])
    #expect(plain.pixel(16, 184) == marked.pixel(16, 184))
  }

  @Test func `an outlier at kilometers changes nothing`() throws {
    var far = square
    far[7] = [9_000, 50, -4_000]
    let picture = try Picture(MapPicture(map(far), width: 200, height: 200).png())
    let lit = (0..<40_000).count { picture.pixel($0 % 200, $0 / 200) != [15, 18, 24] }
    #expect(lit > 4_000)
  }

  @Test func `own colors are used where there are some`() throws {
    let red = FeatureCloud(
      positions: square, identifiers: square.indices.map { UInt64($0) },
      channels: FeatureCloud.Channels(colors: square.map { _ in SIMD3(250, 10, 20) }))
    var picture = MapPicture(WorldMap(cloud: red), width: 200, height: 200)
    let own = try Picture(picture.png())
    picture.coloring = .height
    let height = try Picture(picture.png())
    let isRed = { (picture: Picture) in (0..<40_000).count { picture.pixel($0 % 200, $0 / 200) == [250, 10, 20] } }
    #expect(isRed(own) > 400)
    #expect(isRed(height) == 0)
  }

  @Test func `a ceiling is cut away`() throws {
    let room = SyntheticRoom(seed: 2, pointCount: 4_000).map()
    var picture = MapPicture(room, width: 240, height: 180)
    let open = picture.png()
    picture.hidesCeiling = false
    #expect(open != picture.png())
    // Without a ceiling there is nothing to cut.
    var flat = MapPicture(map(square), width: 240, height: 180)
    let before = flat.png()
    flat.hidesCeiling = false
    #expect(flat.png() == before)
  }

  @Test func `perspective shows what the camera sees`() throws {
    var picture = MapPicture(
      map(square), view: .perspective(PinholeCamera(eye: [1, 2, 3], target: [1, 0, 1])), width: 200, height: 150)
    let front = try Picture(picture.png())
    picture.view = .perspective(PinholeCamera(eye: [1, 2, 3], target: [1, 4, 5]))
    let back = try Picture(picture.png())
    // Below the caption, left of the axes.
    let lit = { (picture: Picture) in
      (6_000..<24_000).count { picture.pixel($0 % 200, $0 / 200)[2] > 60 && $0 % 200 < 70 }
    }
    #expect(lit(front) > 50)
    #expect(lit(back) == 0)
  }

  @Test func `hostile names do not break the svg`() {
    let anchors = ["<script>&\"", "line\nbreak", String(repeating: "é", count: 200), "\u{7}\u{ffff}"].map {
      Anchor(name: $0, transform: Transform(translation: [1, 0, 1]))
    }
    let svg = MapPicture(map(square, anchors: anchors), width: 300, height: 200).svg()
    #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n"))
    #expect(svg.contains("&lt;script&gt;&amp;&quot;"))
    #expect(!svg.contains("<script") && !svg.contains("\u{7}") && !svg.contains("\u{ffff}"))
    #expect(svg.count { $0 == "<" } == svg.count { $0 == ">" })
  }

  @Test func `coordinates that are not numbers are survived`() throws {
    let bad: [SIMD3<Float>] = [[.nan, 0, 0], [.infinity, 1, 1], [-.infinity, .nan, 3e38], [3e38, -3e38, 3e38]]
    for positions in [bad, bad + square, []] {
      var anchors = positions.map { Anchor(name: "x", transform: Transform(translation: $0)) }
      anchors.append(
        Anchor(name: "p", transform: anchors.first?.transform ?? .identity, kind: .plane(.init(extent: [1, 1]))))
      var picture = MapPicture(map(positions, anchors: anchors), width: 100, height: 100)
      #expect(try Picture(picture.png()).width == 100)
      #expect(picture.svg().hasSuffix("</svg>\n"))
      picture.view = .perspective(PinholeCamera(eye: [.nan, 0, 0], target: .zero))
      #expect(try Picture(picture.png()).width == 100)
    }
  }

  @Test(arguments: [
    (0.25, "25 cm"), (0.5, "50 cm"), (1, "1 m"), (7.46, "7.5 m"), (250, "250 m"), (4_100, "4.1 km"),
  ])
  func `lengths are written in the unit that suits them`(meters: Float, text: String) {
    let map = map([[0, 0, 0], [meters, 0, meters]])
    #expect(MapPicture(map).svg().contains("\(text) x"))
  }
}
