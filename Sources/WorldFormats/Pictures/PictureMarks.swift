import WorldModel

/// The marks drawn over the points: planes, anchors, the caption, the scale bar and the axes.
struct PictureMarks {
  /// All marks, first drawn first.
  private(set) var list: [PictureMark] = []

  private let size: SIMD2<Float>
  private let frame: PictureFrame
  /// The boxes that labels already take.
  private var taken: [(low: SIMD2<Float>, high: SIMD2<Float>)] = []

  init(_ picture: MapPicture, _ frame: PictureFrame) {
    self.frame = frame
    size = SIMD2(Float(picture.size.width), Float(picture.size.height))
    let planes = picture.map.anchors.compactMap { Plane($0) }
    if picture.showsPlanes { for plane in planes { addOutline(of: plane) } }
    addCaption(picture.map)
    addScaleBar()
    addAxes()
    let named = picture.map.anchors.filter { !$0.name.isEmpty && Plane($0) == nil }
    let pins = named.compactMap { anchor in
      frame.place(anchor.transform.translation).map { (pixel: $0.pixel, name: anchor.name) }
    }.filter { all($0.pixel .>= 0 .& $0.pixel .<= size) }
    // Markers first, so that no label is under one.
    for pin in pins { taken.append((pin.pixel - 7, pin.pixel + 7)) }
    for pin in pins { addLabel(pin.name, at: pin.pixel) }
    for pin in pins { list.append(.pin(at: pin.pixel, radius: 6, color: PictureStyle.marker)) }
    if picture.showsPlanes { for anchor in picture.map.anchors { addPlaneName(of: anchor) } }
  }

  /// The name of a plane in its middle, if there is room: planes have no marker that the name could stand beside.
  private mutating func addPlaneName(of anchor: Anchor) {
    guard Plane(anchor) != nil, !anchor.name.isEmpty,
      let middle = frame.place(anchor.transform.translation)?.pixel
    else { return }
    let extent = BitmapFont.size(of: anchor.name, scale: 2)
    let low = (middle - extent / 2).rounded(.toNearestOrAwayFromZero)
    guard isFree(low, extent) else { return }
    taken.append((low, low + extent))
    list.append(.text(anchor.name, at: low, scale: 2, color: PictureStyle.plane))
  }

  /// Whether a box lies in the picture and under no label or marker.
  private func isFree(_ low: SIMD2<Float>, _ extent: SIMD2<Float>) -> Bool {
    guard all(low .>= 0 .& low + extent .<= size) else { return false }
    return !taken.contains { all($0.low .< low + extent .& $0.high .> low) }
  }

  /// The outline of a plane, as far as it can be seen.
  private mutating func addOutline(of plane: Plane) {
    let half = (plane.extent ?? .zero) / 2
    let rectangle = [SIMD2(-half.x, -half.y), SIMD2(half.x, -half.y), half, SIMD2(-half.x, half.y)]
    let corners = (plane.outline.count >= 3 ? plane.outline : rectangle).map { corner in
      frame.place(plane.transform.act(on: SIMD3(corner.x, 0, corner.y)))?.pixel
    }
    for (index, corner) in corners.enumerated() {
      guard let corner, let next = corners[(index + 1) % corners.count] else { continue }
      list.append(.line(from: corner, to: next, width: 1.2, color: PictureStyle.plane, opacity: 0.4))
    }
  }

  /// The name of an anchor in a box beside its marker, where there is room.
  private mutating func addLabel(_ name: String, at pixel: SIMD2<Float>) {
    let text = name.count > 40 ? name.prefix(39) + "…" : name
    let extent = BitmapFont.size(of: text, scale: 2) + SIMD2(12, 10)
    let places = [
      SIMD2(14, -extent.y / 2), SIMD2(-14 - extent.x, -extent.y / 2), SIMD2(-extent.x / 2, 12),
      SIMD2(-extent.x / 2, -12 - extent.y), SIMD2(12, 10), SIMD2(12, -10 - extent.y),
    ].map { pixel + $0 }
    let low = (places.first { isFree($0, extent) } ?? places[0]).rounded(.toNearestOrAwayFromZero)
    taken.append((low, low + extent))
    list.append(.line(from: pixel, to: low + extent / 2, width: 1.2, color: PictureStyle.text, opacity: 0.5))
    list.append(.box(from: low, to: low + extent, color: PictureStyle.label, opacity: 0.88))
    list.append(.text(text, at: low + SIMD2(6, 5), scale: 2, color: PictureStyle.text))
  }

  /// The caption at the top left.
  private mutating func addCaption(_ map: WorldMap) {
    let extent = frame.box.extent
    let sides = [extent.x, extent.y, extent.z].map { Self.length($0) }
    let text =
      "\(Self.grouped(map.cloud.count)) points, \(Self.grouped(map.anchors.count)) anchors, "
      + sides.joined(separator: " x ")
    list.append(.text(text, at: SIMD2(16, 14), scale: 2, color: PictureStyle.faint))
    taken.append((.zero, SIMD2(30, 24) + BitmapFont.size(of: text, scale: 2)))
  }

  /// A bar of 1, 2 or 5 times a power of ten metres, at the bottom left of a picture without perspective.
  private mutating func addScaleBar() {
    guard case .above(let scale, _) = frame.projection else { return }
    var lengths: [Float] = []
    for power: Float in [0.001, 0.01, 0.1, 1, 10, 100, 1_000, 10_000, 100_000] {
      lengths += [power, 2 * power, 5 * power]
    }
    guard let length = lengths.last(where: { $0 * scale <= size.x / 5 }) else { return }
    let left = SIMD2(20, size.y - 22)
    let right = left + SIMD2(length * scale, 0)
    list.append(.line(from: left, to: right, width: 2, color: PictureStyle.text, opacity: 1))
    for end in [left, right] {
      list.append(
        .line(from: end - SIMD2(0, 5), to: end + SIMD2(0, 5), width: 2, color: PictureStyle.text, opacity: 1))
    }
    list.append(.text(Self.length(length), at: left + SIMD2(0, -24), scale: 2, color: PictureStyle.text))
    taken.append((left - SIMD2(20, 40), right + 20))
  }

  /// The directions of the world's axes, at the bottom right.
  private mutating func addAxes() {
    let origin = size - SIMD2(64, 64)
    taken.append((origin - 60, size))
    for (axis, name) in ["x", "y", "z"].enumerated() {
      var direction = SIMD3<Float>.zero
      direction[axis] = 1
      let arrow = onScreen(direction) * 36
      // An axis that points at the viewer has no direction on the screen.
      guard arrow.length > 8 else { continue }
      let tip = origin + arrow
      list.append(.line(from: origin, to: tip, width: 2.5, color: PictureStyle.axes[axis], opacity: 1))
      let letter = tip + arrow / arrow.length * 12 - SIMD2(5, 7)
      list.append(.text(name, at: letter, scale: 2, color: PictureStyle.axes[axis]))
    }
  }

  /// A world direction as it lies on the screen.
  private func onScreen(_ direction: SIMD3<Float>) -> SIMD2<Float> {
    switch frame.projection {
    case .above: SIMD2(direction.x, direction.z)
    case .perspective(let camera, _):
      SIMD2(direction.dot(camera.pose.columns.0.xyz), -direction.dot(camera.pose.columns.1.xyz))
    }
  }

  /// A length in the unit that suits it.
  static func length(_ meters: Float) -> String {
    switch meters {
    case ..<1: decimal(meters * 100, digits: meters < 0.1 ? 1 : 0) + " cm"
    case ..<1_000: decimal(meters, digits: meters < 100 ? 1 : 0) + " m"
    default: decimal(meters / 1_000, digits: 1) + " km"
    }
  }

  /// A number with at most `digits` decimals, without zeros at the end.
  private static func decimal(_ number: Float, digits: Int) -> String {
    guard number < 1e9 else { return "\(number)" }
    guard digits > 0 else { return "\(Int(number.rounded()))" }
    let tenths = Int((number * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  /// A count with a comma before every third digit from the right.
  private static func grouped(_ count: Int) -> String {
    let digits = Array(String(count))
    return digits.indices.map { index in
      (index > 0 && (digits.count - index) % 3 == 0 ? "," : "") + String(digits[index])
    }.joined()
  }
}
