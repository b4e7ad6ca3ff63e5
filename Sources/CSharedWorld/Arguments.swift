internal import CSharedWorldHeaders
import SharedWorld

/// The value behind a pointer; `name` is the argument's.
func required<T>(_ pointer: UnsafePointer<T>?, _ name: String) throws -> T {
  guard let pointer else { throw Failure.argument("\(name) is NULL") }
  return pointer.pointee
}

/// The place of an output.
func output<T>(_ pointer: UnsafeMutablePointer<T>?, _ name: String) throws -> UnsafeMutablePointer<T> {
  guard let pointer else { throw Failure.argument("\(name) is NULL") }
  return pointer
}

/// A text argument.
func text(_ pointer: UnsafePointer<CChar>?, _ name: String) throws -> String {
  guard let pointer else { throw Failure.argument("\(name) is NULL") }
  guard let text = String(validatingCString: pointer) else { throw Failure.argument("\(name) is not UTF-8") }
  return text
}

/// A text argument that may be NULL.
func optionalText(_ pointer: UnsafePointer<CChar>?, _ name: String) throws -> String? {
  pointer == nil ? nil : try text(pointer, name)
}

/// A word for programs and a sentence for people, which may be NULL, for another peer.
func remoteError(_ code: UnsafePointer<CChar>?, _ message: UnsafePointer<CChar>?) throws -> RemoteError {
  let code = try text(code, "code")
  guard (1...RemoteError.codeLimit).contains(code.utf8.count) else {
    throw Failure.argument("code has 1 to \(RemoteError.codeLimit) bytes")
  }
  return RemoteError(code, try optionalText(message, "message") ?? "")
}

/// The bytes of an argument; NULL is allowed when there are none.
func bytes(_ pointer: UnsafePointer<UInt8>?, _ count: Int, _ name: String) throws -> [UInt8] {
  guard count > 0 else { return [] }
  guard let pointer else { throw Failure.argument("\(name) is NULL") }
  return Array(UnsafeBufferPointer(start: pointer, count: count))
}

/// The placement in 16 floats, column-major.
func transform(_ pointer: UnsafePointer<Float>?) throws -> Transform {
  guard let pointer else { throw Failure.argument("transform is NULL") }
  let column = { (index: Int) in
    SIMD4(pointer[4 * index], pointer[4 * index + 1], pointer[4 * index + 2], pointer[4 * index + 3])
  }
  return Transform(columns: (column(0), column(1), column(2), column(3)))
}

/// The anchors, peers or other items of an array; none when the pointer is NULL.
func items<T>(_ pointer: UnsafePointer<T>?, _ count: Int, _ name: String) throws -> UnsafeBufferPointer<T> {
  guard let pointer, count != 0 else { return UnsafeBufferPointer(start: nil, count: 0) }
  // A size_t above Int.max arrives as a negative number.
  guard count > 0, count <= Int(Int32.max) else { throw Failure.argument("there are too many \(name)") }
  return UnsafeBufferPointer(start: pointer, count: count)
}

/// Points of three coordinates each (metres); their number is checked by the caller.
func points(_ positions: UnsafePointer<Float>?, _ count: Int) throws -> [SIMD3<Float>] {
  guard count > 0 else { return [] }
  guard let positions else { throw Failure.argument("positions is NULL") }
  return (0..<count).map { SIMD3(positions[3 * $0], positions[3 * $0 + 1], positions[3 * $0 + 2]) }
}

/// The peers of a list; nil for NULL.
func peerIDs(_ peers: UnsafePointer<sw_peer_id>?, _ count: Int) throws -> [PeerID]? {
  peers == nil ? nil : try items(peers, count, "peers").map(peerID(of:))
}

/// Keys and values, each key once.
func pairs(_ pairs: UnsafePointer<sw_pair>?, _ count: Int, _ name: String) throws -> [String: String] {
  var values: [String: String] = [:]
  for pair in try items(pairs, count, name) {
    let key = try text(pair.key, "a key of \(name)")
    guard values.updateValue(try text(pair.value, "a value of \(name)"), forKey: key) == nil else {
      throw Failure.argument("\(name) has the key '\(key)' twice")
    }
  }
  return values
}

/// A time in milliseconds, of which 0 stands for the default.
func duration(_ milliseconds: UInt32, default standard: UInt32, most: UInt32 = 60_000) throws -> Duration {
  guard milliseconds <= most else { throw Failure.argument("timeout_ms is over \(most)") }
  return .milliseconds(milliseconds == 0 ? standard : milliseconds)
}

/// A structure that grows at its end and begins with its size, as far as the program that was compiled knows it.
func sized<T>(_ pointer: UnsafePointer<T>?, _ empty: T, _ name: String) throws -> T {
  guard let pointer else { throw Failure.argument("\(name) is NULL") }
  let raw = UnsafeRawPointer(pointer)
  let size = Int(raw.load(as: UInt32.self))
  guard size >= 2 * MemoryLayout<UInt32>.size, size <= 4096 else {
    throw Failure.argument("the size of \(name) is not set")
  }
  var known = empty
  withUnsafeMutableBytes(of: &known) {
    $0.copyBytes(from: UnsafeRawBufferPointer(start: raw, count: min(size, $0.count)))
  }
  return known
}

/// Whether an argument has the room for a structure that the caller allocates.
func checkRoom<T>(_ pointer: UnsafeMutablePointer<T>, _ name: String) throws {
  let size = Int(UnsafeRawPointer(pointer).load(as: UInt32.self))
  guard size >= 2 * MemoryLayout<UInt32>.size, size <= 4096 else {
    throw Failure.argument("the size of \(name) is not set")
  }
}

/// Writes a structure that begins with its size as far as the program that was compiled knows it.
func give<T>(_ value: T, to pointer: UnsafeMutablePointer<T>) {
  let place = UnsafeMutableRawPointer(pointer)
  let size = Int(place.load(as: UInt32.self)), head = MemoryLayout<UInt32>.size
  withUnsafeBytes(of: value) { bytes in
    let rest = UnsafeRawBufferPointer(rebasing: bytes[head..<min(size, bytes.count)])
    UnsafeMutableRawBufferPointer(start: place + head, count: rest.count).copyMemory(from: rest)
  }
}

/// A C structure that is nothing but bytes.
protocol ByteRecord {
  init()
}

extension ByteRecord {
  /// The structure with these bytes; what is missing stays zero.
  init(copying bytes: [UInt8]) {
    self.init()
    withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes.prefix($0.count)) }
  }

  /// Its bytes, in order.
  var array: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
}

extension sw_peer_id: ByteRecord {
  /// The peer it names.
  var peer: PeerID? { PeerID(bytes: array) }
}

extension sw_anchor_id: ByteRecord {
  /// The anchor it names.
  var anchor: AnchorID? { AnchorID(bytes: array) }
}

extension sw_map_id: ByteRecord {}

extension sw_digest: ByteRecord {}

/// The resource that an argument names.
func resourceID(_ pointer: UnsafePointer<sw_digest>?) throws -> ResourceID {
  guard let digest = SHA256Digest(bytes: try required(pointer, "resource").array) else {
    throw Failure.argument("resource is no id")
  }
  return ResourceID(digest)
}

/// The anchor that an argument names.
func anchorID(_ pointer: UnsafePointer<sw_anchor_id>?) throws -> AnchorID {
  guard let id = try required(pointer, "anchor").anchor else { throw Failure.argument("anchor is no id") }
  return id
}

/// The peer that a structure names.
func peerID(of peer: sw_peer_id) throws -> PeerID {
  guard let id = peer.peer else { throw Failure.argument("peer is no id") }
  return id
}

/// The peer that an argument names.
func peerID(_ pointer: UnsafePointer<sw_peer_id>?) throws -> PeerID { try peerID(of: required(pointer, "peer")) }
