import WorldModel

/// The record that a device made while it mapped, in its tracking axes: metres, z up.
///
/// Two layouts are known, `VIODatabaseSample` of archive version 1 and `MapDataSample` of version 2. Anything else, a value of
/// another type or bytes that are left over make all of it unreadable: part of the points would be no map.
struct TrackingData {
  /// A camera of the device: the place of its picture in the axes of the device's body.
  struct Camera {
    let rotation: Rotation
    /// The camera in the body (metres).
    let position: SIMD3<Double>
  }

  /// A moment at which the device kept a picture.
  struct Moment {
    let session: UInt64
    let number: UInt64
    /// From tracking axes to those of the body.
    let rotation: Rotation
    /// The body (metres).
    let position: SIMD3<Double>
    /// By the device's clock (seconds).
    let time: Double
  }

  /// A picture that was taken at a moment, and what was seen in it.
  struct Frame {
    let moment: Int
    let camera: Int
    /// The device's number of the camera.
    let cameraNumber: UInt64
    let lens: Keyframe.Lens
    /// Where its observations stand among those of all frames.
    let observations: Range<Int>
  }

  /// A point, and how well its sightings agree with it.
  struct Point {
    let position: SIMD3<Double>
    let evidence: FeatureEvidence
    /// The largest residual (pixels); infinite for a point behind a camera that saw it.
    let worstResidual: Double
    /// The observations that saw it, the first one first.
    let observations: [Int]
  }

  /// Bytes of a descriptor: 471 bits.
  static let descriptorSize = 59
  /// The least bytes of an item, by which a count is checked before memory is reserved.
  private static let least = (
    camera: 112, keyframe: 850, frame: 20, observation: 47, words: 16, landmark: 60, covariance: 81, sighting: 2,
    key: 2, node: 3, edge: 480, image: 644, pin: 300, number: 1
  )

  private(set) var moments: [Moment] = []
  private(set) var frames: [Frame] = []
  private(set) var cameras: [Camera] = []
  private(set) var points: [Point] = []
  /// The descriptors of all observations, one after the other.
  private(set) var descriptors: [UInt8] = []
  /// Where each observation lies: (x, y) at depth 1 before its camera.
  private var rays: [SIMD2<Double>] = []
  private var cameraPlaces: [UInt64: Int] = [:]
  private var momentPlaces: [Key: Int] = [:]
  private let isLater: Bool

  /// The name of a moment.
  private struct Key: Hashable {
    let session: UInt64
    let number: UInt64
  }

  /// Reads all of the bytes in `range`.
  init(reading bytes: [UInt8], _ range: Range<Int>, archiveVersion: Int?) throws(UnreadablePoints) {
    var reader = TrackingReader(bytes, range)
    isLater = try Self.readVersion(&reader, archiveVersion: archiveVersion)
    for _ in 0..<(try reader.count(least: Self.least.camera)) { try readCamera(&reader) }
    for _ in 0..<(try reader.count(least: Self.least.keyframe)) { try readMoment(&reader) }
    for _ in 0..<(try reader.count(least: Self.least.frame)) { try readFrame(&reader) }
    for _ in 0..<(try reader.count(least: Self.least.landmark)) { try readLandmark(&reader) }
    if isLater { try Self.skipGraph(&reader) }
    try reader.finish()
  }

  /// Reads the name and the version of the layout; gives whether it is the later one.
  private static func readVersion(
    _ reader: inout TrackingReader, archiveVersion: Int?
  ) throws(UnreadablePoints) -> Bool {
    let name = try reader.text()
    let known = ["VIODatabaseSample": 1, "MapDataSample": 2]
    guard let version = known[name] else {
      throw UnreadablePoints("trackingData '\(name.prefix(40))' is not known")
    }
    let isLater = version == 2
    if isLater {
      let outer = try reader.integer()
      guard outer == 1 else { throw UnreadablePoints("trackingData '\(name)' version \(outer)") }
    }
    let inner = try reader.integer()
    guard inner == 2 else { throw UnreadablePoints("trackingData '\(name)' version \(inner)") }
    guard archiveVersion == version else {
      let found = archiveVersion.map { "version \($0)" } ?? "no version"
      throw UnreadablePoints("trackingData '\(name)' in an archive of \(found)")
    }
    return isLater
  }

  private mutating func readCamera(_ reader: inout TrackingReader) throws(UnreadablePoints) {
    let number = try reader.integer()
    try reader.constant(2, "camera of version")
    let camera = Camera(rotation: try Rotation(&reader), position: try reader.position())
    _ = try readLens(&reader)
    guard cameraPlaces.updateValue(cameras.count, forKey: number) == nil else { throw reader.fault("a camera twice") }
    cameras.append(camera)
  }

  private mutating func readMoment(_ reader: inout TrackingReader) throws(UnreadablePoints) {
    try reader.constant(isLater ? 3 : 2, "keyframe of version")
    let rotation = try Rotation(&reader)
    let position = try reader.position()
    // Velocity, two biases, information and covariance.
    try reader.skipReals(3 + 6 + 36 + 36)
    try reader.constant(0, "keyframe with")
    let time = try reader.real()
    let key = Key(session: try reader.integer(), number: try reader.integer())
    if isLater { try reader.skipReals(1) }
    guard momentPlaces.updateValue(moments.count, forKey: key) == nil else { throw reader.fault("a keyframe twice") }
    moments.append(
      Moment(session: key.session, number: key.number, rotation: rotation, position: position, time: time))
  }

  /// Reads a lens: its kind, K and K⁻¹ (nine numbers each), and the coefficients of its distortion.
  private func readLens(_ reader: inout TrackingReader) throws(UnreadablePoints) -> Keyframe.Lens {
    try reader.constant(isLater ? 4 : 2, "lens of version")
    let kind = try reader.integer()
    let count = try reader.count(least: Self.least.number)
    guard kind == 1 && count == 27 || kind == 2 && count == 22 else {
      throw reader.fault("a lens of kind \(kind) with \(count) numbers")
    }
    var numbers: [Double] = []
    for _ in 0..<count { numbers.append(try reader.real()) }
    guard numbers[0] > 0, numbers[4] > 0 else { throw reader.fault("a lens without a focal length") }
    return Keyframe.Lens(
      model: kind == 1 ? .pinhole : .fisheye, focalLength: [numbers[0], numbers[4]],
      center: [numbers[2], numbers[5]],
      distortion: kind == 1 ? [numbers[18], numbers[19], 0, 0] : SIMD4(numbers[18..<22]))
  }

  private mutating func readFrame(_ reader: inout TrackingReader) throws(UnreadablePoints) {
    try reader.constant(4, "frame of version")
    let key = Key(session: try reader.integer(), number: try reader.integer())
    guard let moment = momentPlaces[key] else { throw reader.fault("a frame without a keyframe") }
    let number = try reader.integer()
    guard let camera = cameraPlaces[number] else { throw reader.fault("a frame without a camera") }
    guard try reader.real() == -1 else { throw reader.fault("another number than -1 in a frame") }
    let start = rays.count
    let count = try reader.count(least: Self.least.observation)
    for _ in 0..<count {
      try reader.constant(2, "observation of version")
      _ = try reader.integer()
      try reader.skipReals(2)
      rays.append([try reader.real(), try reader.real()])
      try reader.skipReals(1)
    }
    guard try reader.count(least: Self.least.words) == count else {
      throw reader.fault("other descriptors than observations")
    }
    for _ in 0..<count { try readDescriptor(&reader) }
    let lens = try readLens(&reader)
    _ = try reader.flag()
    for _ in 0..<(try reader.count(least: Self.least.number)) { _ = try reader.index(below: count, of: "observation") }
    frames.append(
      Frame(moment: moment, camera: camera, cameraNumber: number, lens: lens, observations: start..<(start + count)))
  }

  /// Reads 16 words of 32 bits, of which all but the first 471 bits are zero.
  private mutating func readDescriptor(_ reader: inout TrackingReader) throws(UnreadablePoints) {
    let start = descriptors.count
    for _ in 0..<16 {
      let word = try reader.integer()
      guard word <= UInt64(UInt32.max) else { throw reader.fault("a descriptor's word over 32 bits") }
      for shift in stride(from: 0, to: 32, by: 8) {
        descriptors.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
    let end = start + Self.descriptorSize
    guard descriptors[end - 1] < 0x80, descriptors[end...].allSatisfy({ $0 == 0 }) else {
      throw reader.fault("a descriptor of more than 471 bits")
    }
    descriptors.removeLast(descriptors.count - end)
  }

  private mutating func readLandmark(_ reader: inout TrackingReader) throws(UnreadablePoints) {
    try reader.constant(2, "landmark of version")
    let (session, number) = (try reader.integer(), try reader.integer())
    let position = try reader.position()
    try reader.skipReals(3)
    var covariance: [SIMD3<Double>] = []
    let matrices = try reader.count(least: Self.least.covariance)
    guard matrices < 2 else { throw reader.fault("a landmark with \(matrices) covariances") }
    for _ in 0..<(3 * matrices) { covariance.append(try reader.vector()) }
    let count = try reader.count(least: Self.least.sighting)
    guard count > 0 else { throw reader.fault("a landmark that no frame saw") }
    var (worst, observations) = (0.0, [Int]())
    for _ in 0..<count {
      let frame = frames[try reader.index(below: frames.count, of: "frame")]
      let index = try reader.index(below: frame.observations.count, of: "observation")
      let observation = frame.observations.lowerBound + index
      observations.append(observation)
      worst = max(worst, residual(of: position, in: frame, seenAt: rays[observation]))
    }
    let reference = frames[try reader.index(below: frames.count, of: "frame")]
    points.append(
      Point(
        position: position,
        evidence: FeatureEvidence(
          session: session, number: number, sightings: UInt32(clamping: count), residual: Float(worst),
          depthDeviation: covariance.isEmpty ? nil : deviation(covariance, of: position, from: reference)),
        worstResidual: worst, observations: observations))
  }

  /// The graph of keyframes, edges, images and pins of the later layout: no importer needs it, but its end must fit.
  private static func skipGraph(_ reader: inout TrackingReader) throws(UnreadablePoints) {
    try reader.constant(1, "graph of version")
    for _ in 0..<(try reader.count(least: least.node)) {
      for _ in 0..<2 { _ = try reader.integer() }
      for _ in 0..<(2 * (try reader.count(least: least.key))) { _ = try reader.integer() }
    }
    for _ in 0..<(try reader.count(least: least.edge)) {
      try reader.constant(2, "edge of version")
      try reader.constant(0, "edge with")
      for _ in 0..<2 {
        for _ in 0..<2 { _ = try reader.integer() }
        try reader.constant(0xffff_ffff, "edge with")
      }
      try reader.skipReals(16 + 36)
      _ = try reader.integer()
    }
    try reader.constant(0, "graph with")
    for _ in 0..<(try reader.count(least: least.image)) {
      for _ in 0..<3 { _ = try reader.integer() }
      try reader.constant(1, "image of version")
      for _ in 0..<128 { _ = try reader.single() }
    }
    for _ in 0..<(try reader.count(least: least.pin)) {
      _ = try reader.text()
      try reader.constant(1, "pin of version")
      _ = try reader.text()
      for _ in 0..<4 { _ = try reader.integer() }
      try reader.skipReals(16 + 16)
      try reader.constant(1, "pin with")
      try reader.constant(2, "pin with")
      _ = try reader.integer()
    }
    _ = try reader.integer()
  }
}

extension TrackingData {
  /// The distance between where a frame saw a point and the point's image (pixels); infinite behind the camera.
  private func residual(of position: SIMD3<Double>, in frame: Frame, seenAt ray: SIMD2<Double>) -> Double {
    let (moment, camera) = (moments[frame.moment], cameras[frame.camera])
    let seen = camera.rotation.act(on: moment.rotation.act(on: position - moment.position) - camera.position)
    guard seen.z > 0 else { return .infinity }
    let offset = SIMD2(seen.x, seen.y) / seen.z - ray
    return frame.lens.focalLength.x * (offset * offset).sum().squareRoot()
  }

  /// The standard deviation of a point along the line of sight of a frame (metres); nil when the covariance gives none.
  private func deviation(_ covariance: [SIMD3<Double>], of position: SIMD3<Double>, from frame: Frame) -> Float? {
    let line = position - center(of: frame)
    let length = (line * line).sum()
    let rows = SIMD3((covariance[0] * line).sum(), (covariance[1] * line).sum(), (covariance[2] * line).sum())
    let variance = (rows * line).sum() / length
    // A matrix that is no covariance gives a negative number or none.
    guard variance >= 0, variance.isFinite else { return nil }
    return Float(variance.squareRoot())
  }

  /// Where the camera of a frame was (metres).
  func center(of frame: Frame) -> SIMD3<Double> {
    let moment = moments[frame.moment]
    return moment.position + moment.rotation.actInversely(on: cameras[frame.camera].position)
  }
}

/// A rotation by rows.
struct Rotation {
  /// The axes of the target in the source.
  let rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

  /// Reads nine numbers, row by row, which must be a rotation to 0.001.
  init(_ reader: inout TrackingReader) throws(UnreadablePoints) {
    let (x, y, z) = (try reader.vector(), try reader.vector(), try reader.vector())
    let errors = [
      (x * x).sum() - 1, (y * y).sum() - 1, (z * z).sum() - 1, (x * y).sum(), (y * z).sum(), (z * x).sum(),
    ]
    let cross = SIMD3(x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x)
    guard errors.allSatisfy({ $0.magnitude <= 0.001 }), (cross * z).sum() > 0 else {
      throw reader.fault("a rotation that is none")
    }
    rows = (x, y, z)
  }

  func act(on vector: SIMD3<Double>) -> SIMD3<Double> {
    [(rows.0 * vector).sum(), (rows.1 * vector).sum(), (rows.2 * vector).sum()]
  }

  func actInversely(on vector: SIMD3<Double>) -> SIMD3<Double> {
    rows.0 * vector.x + rows.1 * vector.y + rows.2 * vector.z
  }
}
