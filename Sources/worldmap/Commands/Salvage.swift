import SharedWorld
import WorldFormats
import PeerCLI

/// `worldmap salvage`.
struct Salvage: MapCommand {
  static let name = "salvage"
  static let summary = "Recover what is sound of a damaged map."
  static let discussion = """
    Points are stored in blocks with checksums of their own. A run of damage in up to 1/256 of a block is repaired where
    the file has a parity, as files of this tool have; more of it costs the block that it hits, wherever the file is cut or
    its head lost. Exits with 0 when nothing is lost, with 1 when OUTPUT has what could be recovered, and with 3
    when nothing could.
    """
  static var parser: ArgumentParser<Salvage> {
    ArgumentParser([], operands: [.word("INPUT", \.path), .word("OUTPUT", \.output)])
  }

  private var path = ""
  private var output = ""

  init() {}

  func run(_ progress: Progress, _ report: inout Report) throws(ProgramFailure) -> ExitCode {
    let bytes = try MapInput.bytes(of: path)
    progress.show("recovering \(path)", 0.3)
    let salvage = WorldMap.salvage(bytes)
    let (map, faults) = (salvage.map, salvage.faults)
    report.add("input", .string(path))
    report.add("points", .integer(map.cloud.count))
    report.add("anchors", .integer(map.anchors.count))
    report.add("faults", .array(faults.map { .string("\($0)") }))
    let repaired = salvage.repairedBlocks
    report.add("repairedBlocks", .array(repaired.map { .integer($0) }))
    for block in repaired { report.add(line: "\(path): block \(block) of the points was damaged and is repaired") }
    for fault in faults { report.add(line: "\(path): \(fault)") }
    guard faults.isEmpty || map.cloud.count + map.anchors.count > 0 else {
      throw .damaged("\(path): nothing could be recovered: " + faults.map { "\($0)" }.joined(separator: "; "))
    }
    let size = try MapOutput(output, format: .worldMap).write(map, progress)
    let content = "\(Text.plural(map.cloud.count, "point")), \(Text.plural(map.anchors.count, "anchor"))"
    report.add("output", .string(output), "\(output): \(content), \(Text.bytes(size))")
    return faults.isEmpty ? .done : .negative
  }
}
