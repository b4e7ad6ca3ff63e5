import Foundation
import SharedWorld
import Testing
import WorldFormats

@Suite struct FilesTests {
  /// A folder that is removed when the test ends.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }
  }

  @Test func `a file is written, replaced and has its mode`() throws {
    let folder = try Folder()
    let path = folder.path("a")
    try AtomicFile.write([1, 2, 3], to: path, permissions: 0o640)
    try AtomicFile.write([4], to: path, permissions: 0o600)
    #expect(FileManager.default.contents(atPath: path) == Data([4]))
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    try AtomicFile.write([], to: folder.path(String(repeating: "n", count: 255)))
    #expect(folder.names.count == 2)
  }

  @Test func `a failure keeps the old file and leaves no draft`() throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(atPath: folder.path("busy"), withIntermediateDirectories: true)
    try AtomicFile.write([9], to: folder.path("busy/inside"))
    for path in [folder.path("busy"), folder.path("missing/file"), folder.url.path + "/", folder.path("busy/..")] {
      let error = #expect(throws: SessionError.self) { try AtomicFile.write([1], to: path) }
      #expect(error?.code == .io)
    }
    #expect(folder.names == ["busy"])
    #expect(FileManager.default.contents(atPath: folder.path("busy/inside")) == Data([9]))
  }

  @Test(arguments: [ENOSPC, EDQUOT, EIO])
  func `a full disk has a code of its own, and the old file stays`(number: Int32) throws {
    let folder = try Folder()
    let path = folder.path("map")
    try AtomicFile.write([1], to: path)
    let error = #expect(throws: SessionError.self) {
      try AtomicFile.write(
        [2], to: path,
        renaming: { _, _ in
          errno = number
          return -1
        })
    }
    #expect(error?.code == (number == EIO ? .io : .diskFull))
    #expect(FileManager.default.contents(atPath: path) == Data([1]))
    #expect(folder.names == ["map"])
  }

  @Test func `a symbolic link is followed`() throws {
    let folder = try Folder()
    try AtomicFile.write([1], to: folder.path("real"))
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.path("real"))
    try AtomicFile.write([2], to: folder.path("link"))
    #expect(FileManager.default.contents(atPath: folder.path("real")) == Data([2]))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link")) == folder.path("real"))
  }

  @Test func `a map comes back`() throws {
    let folder = try Folder()
    let map = SyntheticRoom(seed: 1, pointCount: 300).map()
    try map.write(toFile: folder.path("room.worldmap"))
    #expect(try WorldMap(contentsOfFile: folder.path("room.worldmap")) == map)
  }

  @Test func `errors of maps are told apart`() throws {
    let folder = try Folder()
    let missing = #expect(throws: SessionError.self) { try WorldMap(contentsOfFile: folder.path("none")) }
    #expect(missing?.code == .io)
    let directory = #expect(throws: SessionError.self) { try WorldMap(contentsOfFile: folder.url.path) }
    #expect(directory?.code == .io)
    try AtomicFile.write(Array("no map".utf8), to: folder.path("text"))
    let damaged = #expect(throws: SessionError.self) { try WorldMap(contentsOfFile: folder.path("text")) }
    #expect(damaged?.code == .corruptData && damaged?.cause is WorldMapError)
    let broken = WorldMap(anchors: [Anchor(name: "a", transform: Transform(translation: [.nan, 0, 0]))])
    let refused = #expect(throws: SessionError.self) { try broken.write(toFile: folder.path("x")) }
    #expect(refused?.code == .invalidArgument)
    let large = #expect(throws: SessionError.self) { try ReadFile.bytes(of: folder.path("text"), limit: 5) }
    #expect(large?.code == .limitExceeded)
    #expect(folder.names == ["text"])
  }
}
