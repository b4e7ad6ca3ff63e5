import SharedWorld
import PeerCLI

/// `worldmap verify`.
struct Verify: MapCommand {
  static let name = "verify"
  static let summary = "Check every checksum and every value of a map."
  static let discussion = """
    Exits with 0 when the file is sound and with 3 when it is not. It is read block by block: its map may be larger than
    the memory.
    """
  static var parser: ArgumentParser<Verify> {
    ArgumentParser([], operands: [.word("INPUT", \.path)])
  }

  private var path = ""

  init() {}

  func run(_ progress: Progress, _ report: inout Report) throws(ProgramFailure) -> ExitCode {
    let bytes = try MapInput.bytes(of: path)
    report.add("file", .string(path))
    let faults = Self.faults(of: bytes, progress)
    report.add("sound", .bool(faults.isEmpty))
    report.add(
      "faults",
      .array(
        faults.map { fault in
          ["message": .string("\(fault)"), "offset": fault.offset.map { .integer($0) } ?? .null]
        }))
    for fault in faults { report.add(line: "\(path): \(fault)") }
    if faults.isEmpty { report.add(line: "\(path): sound, \(Text.bytes(bytes.count))") }
    return faults.isEmpty ? .done : .damaged
  }

  /// The faults: in the head, in each block, or in the blocks taken together.
  private static func faults(of bytes: [UInt8], _ progress: Progress) -> [WorldMapError] {
    var faults: [WorldMapError] = []
    do throws(WorldMapError) {
      let decoder = try WorldMapDecoder(bytes)
      for index in 0..<decoder.blockCount {
        progress.show("checking", Double(index) / Double(decoder.blockCount))
        do throws(WorldMapError) { _ = try decoder.points(ofBlock: index) } catch { faults.append(error) }
      }
      do throws(WorldMapError) { try decoder.visitAnchors { _ in } } catch { faults.append(error) }
      if faults.isEmpty { try decoder.checkWhole() }
    } catch {
      faults.append(error)
    }
    return faults
  }
}
