public import WorldModel

/// The file formats that a world map can be read from and written to.
@nonexhaustive
public enum MapFormat: Hashable, Sendable, CaseIterable {
  /// The package's own format, which keeps everything.
  case worldMap
  /// A point cloud of another program, which has no room for anchors.
  case pointCloud(PointCloudFormat)
  /// The archive in which iPhones and iPads save their maps; it is read and never written.
  case arkitArchive

  /// Every format that can be written, the package's own first.
  public static let writable = [worldMap] + PointCloudFormat.allCases.map(pointCloud)
  /// Every format: ``writable`` and those that are only read.
  public static let allCases = writable + [arkitArchive]

  /// The word for the format on a command line: `worldmap`, `arkit` or the raw value of a ``PointCloudFormat``.
  public var name: String {
    switch self {
    case .worldMap: "worldmap"
    case .pointCloud(let format): format.rawValue
    case .arkitArchive: "arkit"
    }
  }

  /// The format with this ``name``; nil for an unknown one.
  public init?(named name: String) {
    guard let format = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = format
  }

  /// The extension that files of this format usually have (without the dot).
  public var fileExtension: String {
    switch self {
    case .worldMap: "worldmap"
    case .pointCloud(let format): format.fileExtension
    case .arkitArchive: "arexperience"
    }
  }

  /// The usual format of files with this extension (without the dot, any case); nil for an unknown one.
  public init?(fileExtension: String) {
    if fileExtension.lowercased() == "worldmap" {
      self = .worldMap
    } else if ["arexperience", "arworldmap"].contains(fileExtension.lowercased()) {
      self = .arkitArchive
    } else if let format = PointCloudFormat(fileExtension: fileExtension) {
      self = .pointCloud(format)
    } else {
      return nil
    }
  }
}

extension WorldMap {
  /// The map as a file of `format`; of a point-cloud format only what ``PointCloudFile`` keeps.
  ///
  /// - Parameters:
  ///   - format: The format to write.
  ///   - options: How exactly and how small; a point-cloud format ignores them.
  /// - Throws: `WorldMapError.model` when the map breaks a rule of the model, `WorldMapError.invalidOption` when the
  ///   options do not fit it or the format is not ``MapFormat/writable``.
  public func file(
    as format: MapFormat, options: EncodingOptions = .lossless
  ) throws(WorldMapError) -> [UInt8] {
    switch format {
    case .worldMap: return try encoded(options)
    case .pointCloud(let format):
      do {
        try cloud.validate()
      } catch {
        throw .model(error)
      }
      return cloud.file(as: format)
    case .arkitArchive:
      throw .invalidOption(
        "archives of ARKit are only read: no device relocalises without tracking data that it recorded itself; "
          + "write a .worldmap file")
    }
  }
}
