import PeerCLI
import SharedWorld
import WorldFormats

/// An overview of a file of any format.
///
/// A `.worldmap` file of a few kilobytes may unpack to gigabytes: it is read block by block, and the map is never made.
/// Other files are read whole.
struct OverviewInput {
  let overview: MapOverview
  /// The format of the file, and what of it is not in the map.
  let losses: MapLosses
  /// The size of the file (bytes).
  let size: Int

  /// Reads the file at `path`, and calls `visit` for each anchor.
  init(_ path: String, _ progress: Progress, anchors visit: (Anchor) -> Void) throws(ProgramFailure) {
    progress.show("reading \(path)", 0)
    let bytes = try MapInput.bytes(of: path)
    progress.show("decoding \(path)", 0.3)
    size = bytes.count
    do throws(WorldMapError) {
      overview = try WorldMapDecoder(bytes).overview { $0.forEach(visit) }
      losses = MapLosses(.worldMap)
    } catch .notAWorldMap {
      let input = try MapInput(bytes, fileExtension: path.fileExtension, of: path)
      overview = MapOverview(input.map)
      losses = input.losses
      input.map.anchors.forEach(visit)
    } catch {
      throw .damaged("\(path): \(error)")
    }
  }
}
