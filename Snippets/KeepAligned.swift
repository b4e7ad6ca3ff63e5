// Keep this device's frame lined up with the session's map as the device walks.

import SharedWorld

func walk(_ session: Session, _ clouds: AsyncStream<FeatureCloud>) async {
  // snippet.walk
  for await cloud in clouds {
    // Fails while too little was seen of the place: the next cloud is larger.
    _ = try? await session.frames.keepAligned(by: MapScan(cloud))
  }
  // snippet.end
}
