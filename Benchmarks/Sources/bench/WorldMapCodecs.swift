import Foundation
import SharedWorld

/// A way to turn a cloud into bytes and back, all in memory that is warm.
protocol CloudCodec: AnyObject {
  /// Encodes the cloud it was made for; returns the number of bytes.
  func encode() throws -> Int
  /// Decodes what ``encode()`` made last.
  func decode() throws
}

/// The `.worldmap` format.
final class WorldMapCodec: CloudCodec {
  private let map: WorldMap
  private let options: EncodingOptions
  private var file: [UInt8] = []
  private var back = WorldMap()

  init(_ cloud: FeatureCloud, _ options: EncodingOptions) {
    map = WorldMap(cloud: cloud)
    self.options = options
  }

  func encode() throws -> Int {
    try map.encode(options, into: &file)
    return file.count
  }

  func decode() throws {
    try back.decode(file)
    consume(back.cloud.count)
  }
}

/// Copying, which nothing can beat: 20 bytes a point there and back.
final class CopyCodec: CloudCodec {
  private let copy: Copy
  private let bytes: Int

  init(_ cloud: FeatureCloud) {
    bytes = cloud.count * WorldMapRows.bytesPerPoint
    copy = Copy(bytes: bytes)
  }

  func encode() -> Int {
    copy.run()
    return bytes
  }

  func decode() {
    copy.run()
  }
}

/// Foundation's archiver, with the cloud as two blobs: what ARKit's maps are stored with.
final class ArchiverCodec: CloudCodec {
  private let blobs: NSArray
  private var archive = Data()

  init(_ cloud: FeatureCloud) {
    let positions = cloud.positions.flatMap { [$0.x, $0.y, $0.z] }.withUnsafeBytes { NSData(data: Data($0)) }
    blobs = [positions, cloud.identifiers.withUnsafeBytes { NSData(data: Data($0)) }]
  }

  func encode() throws -> Int {
    archive = try NSKeyedArchiver.archivedData(withRootObject: blobs, requiringSecureCoding: true)
    return archive.count
  }

  func decode() throws {
    let back = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, NSData.self], from: archive)
    consume((back as? NSArray)?.count ?? 0)
  }
}
