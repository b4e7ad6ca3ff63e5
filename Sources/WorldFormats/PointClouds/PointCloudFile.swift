public import WorldModel

/// Reads and writes point clouds in the formats of other programs.
///
/// Positions are taken as they are: metres, in the frame of the file; where the first is beyond 16 km (UTM) all are shifted by
/// ``origin``. Colours, normals and confidences are kept where the format has them, descriptors are not. A column of
/// identifiers holds whole numbers; one of real numbers is passed over. Points whose position is not finite are dropped and
/// counted.
public struct PointCloudFile: Hashable, Sendable {
  /// The points, in the order of their identifiers; in the order of the file when that has none.
  public var cloud: FeatureCloud
  /// The format that was read.
  public var format: PointCloudFormat
  /// How many points were left out because their position is NaN or infinite.
  public var droppedPoints: Int
  /// The place in the file's frame that is (0, 0, 0) of ``cloud`` (metres): whole kilometres, and 0 where the file is near
  /// its own origin.
  public var origin: CloudOrigin

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - format: The format; nil recognises it by its content and `fileExtension`.
  ///   - fileExtension: Without the dot; only for recognising.
  public init(
    reading bytes: [UInt8], as format: PointCloudFormat? = nil, fileExtension: String? = nil
  ) throws(PointCloudFileError) {
    guard let format = format ?? PointCloudFormat(detecting: bytes, fileExtension: fileExtension) else {
      throw .unknownFormat
    }
    let builder =
      switch format {
      case .plyASCII, .plyLittleEndian, .plyBigEndian: try PLYReader.read(bytes)
      case .pcdASCII, .pcdBinary, .pcdCompressed: try PCDReader.read(bytes)
      case .colmapText: try COLMAPText.read(bytes)
      case .colmapBinary: try COLMAPBinary.read(bytes)
      case .xyz: try XYZText.read(bytes)
      }
    self.format = format
    droppedPoints = builder.dropped
    origin = CloudOrigin(x: builder.origin.x, y: builder.origin.y, z: builder.origin.z)
    cloud = try builder.finish(isText: format.isText)
  }
}

extension FeatureCloud {
  /// The cloud as a file of `format`; see ``PointCloudFile`` for what is kept.
  public func file(as format: PointCloudFormat) -> [UInt8] {
    switch format {
    case .plyASCII, .plyLittleEndian, .plyBigEndian: PLYWriter.write(self, format)
    case .pcdASCII, .pcdBinary, .pcdCompressed: PCDWriter.write(self, format)
    case .colmapText: COLMAPText.write(self)
    case .colmapBinary: COLMAPBinary.write(self)
    case .xyz: XYZText.write(self)
    }
  }

  /// The cloud as binary PLY with the place in the frame of its first file that is (0, 0, 0) here, as a comment.
  package func ply(from origin: CloudOrigin) -> [UInt8] { PLYWriter.write(self, .plyLittleEndian, origin: origin) }
}
