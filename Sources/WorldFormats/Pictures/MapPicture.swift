public import WorldModel

/// A picture of a map: its points coloured by height or in their own colours, its named anchors with labels, a scale
/// bar and the axes.
///
/// It is meant to be looked at, not measured: outliers are left out, and a ceiling is cut away so that one looks into
/// a room and not onto it. The same map gives the same picture.
public struct MapPicture: Sendable {
  /// Where one looks from.
  public enum View: Hashable, Sendable {
    /// Straight down, without perspective: x points right, z down, as on a plan.
    case above
    /// Through a camera; its aspect ratio is replaced by that of the picture.
    case perspective(PinholeCamera)
  }

  /// The source of the points' colours.
  public enum Coloring: Hashable, Sendable {
    /// Its own colour where the cloud has colours, else its height.
    case automatic
    /// Its height, from blue (low) to yellow (high).
    case height
  }

  /// Where one looks from.
  public var view: View
  /// The source of the points' colours.
  public var coloring = Coloring.automatic
  /// Whether the points of a ceiling are left out.
  public var hidesCeiling = true
  /// Whether planes are outlined.
  public var showsPlanes = true
  /// The size in pixels, each 64…8,192.
  public let size: (width: Int, height: Int)

  let map: WorldMap

  /// A picture of `map`, `width` by `height` pixels (each is brought into 64…8,192).
  public init(_ map: WorldMap, view: View = .above, width: Int = 1200, height: Int = 900) {
    self.map = map
    self.view = view
    size = (min(max(width, 64), 8192), min(max(height, 64), 8192))
  }

  /// The picture in Portable Network Graphics (ISO/IEC 15948), 8 bits a channel, without transparency.
  public func png() -> [UInt8] {
    // Points are drawn at twice the size and averaged, which smooths their rims.
    let frame = PictureFrame(self)
    var canvas = PixelCanvas(averaging: frame.plotted(scale: 2), by: 2, over: PictureStyle.background)
    for mark in PictureMarks(self, frame).list { canvas.draw(mark) }
    return PNGEncoder.encode(canvas)
  }

  /// The picture in Scalable Vector Graphics 1.1; points that fall on the same pixel are drawn once.
  public func svg() -> String {
    let frame = PictureFrame(self)
    var writer = SVGWriter(width: size.width, height: size.height, background: PictureStyle.background)
    writer.draw(frame.plotted(scale: 1))
    for mark in PictureMarks(self, frame).list { writer.draw(mark) }
    return writer.finish()
  }
}
