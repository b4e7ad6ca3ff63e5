internal import CSharedWorldHeaders
import SharedWorld

/// An object as a C handle, which owns it until ``drop(_:as:)``.
func handle(_ object: some AnyObject) -> OpaquePointer {
  OpaquePointer(Unmanaged.passRetained(object).toOpaque())
}

/// The object behind a handle.
func object<T: AnyObject>(_ handle: OpaquePointer?, as type: T.Type = T.self) throws -> T {
  guard let handle else { throw Failure.argument("the handle is NULL") }
  return Unmanaged<T>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
}

/// Gives a handle's object up; NULL is nothing.
func drop<T: AnyObject>(_ handle: OpaquePointer?, as type: T.Type) {
  guard let handle else { return }
  Unmanaged<T>.fromOpaque(UnsafeRawPointer(handle)).release()
}

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
