// Share a point cloud of another program with everybody.

import Foundation
import SharedWorld
import WorldFormats

let identity = try PeerIdentity.loadOrCreate(named: "kitchen")
try await Session.withSession(as: identity, service: "my-app") { session in
  // snippet.share
  let bytes = Array(try Data(contentsOf: URL(filePath: "scan.ply")))
  let file = try MapFile(reading: bytes, fileExtension: "ply")
  print("\(file.map.cloud.count) points, \(file.droppedPoints) left out")
  try await session.share(file.map)
  // snippet.end
}
