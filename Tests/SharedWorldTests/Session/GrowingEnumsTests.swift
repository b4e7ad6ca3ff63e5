import Foundation
import TestSupport
import Testing

/// What apps outside this package can compile: they are other packages, so this test runs the compiler on one.
@Suite("Enums that later versions may extend", .endsHangs)
struct GrowingEnumsTests {
  /// The enums that the library hands out, with a case of each.
  private static let enums = [
    ("Session.Event", "peerJoined"), ("Session.LeaveReason", "kicked"), ("Session.Origin", "merge"),
    ("HostChangeReason", "elected"), ("HostOutcome", "hosts"), ("MapStatus.Stage", "received"),
    ("PeerStatus.State", "lost"), ("PeerRole", "moderator"), ("LostEdit.Value", "ownership"),
    ("AnchorChange.Kind", "added"),
    ("AnchorChanges.Element", "current"), ("Browser.Event", "found"), ("Anchor.Kind", "plain"),
    ("DecodingFailure", "truncated"), ("MessageFailure.Reason", "lost"), ("MessageReturn.Reason", "unhandled"),
    ("MappingStatus", "mapped"), ("HitTest.Kind", "plane"), ("AnchorFilter.Kind", "plain"),
    ("Anchor.Plane.Alignment", "vertical"), ("Keyframe.Lens.Model", "pinhole"),
    ("ResourceProgress.Direction", "sending"), ("NetworkDiagnosis.Finding.Weight", "good"),
    ("Passcode.Defect", "tooShort"), ("UndoHistory.Step", "remove"), ("PointCloudFileError", "unknownFormat"),
    ("PointCloudFileError.Place", "line"), ("ARKitArchiveError", "tooLarge"), ("MapFileError", "archive"),
    ("MapFormat", "worldMap"), ("PointCloudFormat", "xyz"),
  ]

  /// Compiles an app that imports the library; what the compiler says, and whether it accepts it.
  private func compile(_ app: String) async throws -> (isAccepted: Bool, output: String) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sharedworld-app-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "App.swift")
    try "import SharedWorld\nimport WorldFormats\n\(app)".write(to: source, atomically: true, encoding: .utf8)
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let sources = root.appending(path: "Sources")
    let libraries = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { $0.hasPrefix("C") }
    let compiled = try await ProgramRun(
      of: "swiftc",
      ["-typecheck", "-swift-version", "6", "-I", ProgramRun.products.appending(path: "Modules").path, source.path]
        + libraries.flatMap { ["-I", sources.appending(path: $0).path] })
    return (compiled.status == 0, compiled.text)
  }

  /// An app that knows one case of each enum: the others are what later versions have added.
  private func app(rest: String) -> String {
    Self.enums.enumerated().map { number, row in
      """
      func know\(number)(_ value: \(row.0)) -> Bool {
        switch value {
        case .\(row.1): true
        \(rest): false
        }
      }
      """
    }.joined(separator: "\n")
  }

  @Test("an app that names the cases it knows, and has @unknown default, goes on being compiled when there are more")
  func unknownDefault() async throws {
    let (isAccepted, output) = try await compile(app(rest: "@unknown default"))
    #expect(isAccepted, "\(output)")
    #expect(output.contains("switch must be exhaustive"), "the compiler names what is new, in a warning")
  }

  @Test("an app that names every case and has no default is told so today, and not by the next version")
  func exhaustive() async throws {
    let (isAccepted, output) = try await compile(
      """
      func text(_ outcome: HostOutcome) -> String {
        switch outcome {
        case .hosts: "hosts"
        case .refused: "refused"
        case .unchanged: "unchanged"
        case .ended: "ended"
        }
      }
      """)
    #expect(!isAccepted && output.contains("may have additional unknown values"), "\(output)")
  }

  @Test("an enum that an app only hands in has no unknown cases")
  func handedIn() async throws {
    let (isAccepted, output) = try await compile(
      """
      func text(_ decision: InvitationDecision) -> String {
        switch decision {
        case .accept: "accept"
        case .decline(let reason): reason
        }
      }
      """)
    #expect(isAccepted, "\(output)")
  }
}
