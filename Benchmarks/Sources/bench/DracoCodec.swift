#if DRACO
import CDraco
import SharedWorld

/// Draco's k-d tree over coordinates a millimetre apart, with the identifiers; its cloud is made beforehand.
final class DracoCodec: CloudCodec {
  private let cloud: OpaquePointer?
  private let count: Int

  init(_ cloud: FeatureCloud) {
    count = cloud.count
    self.cloud = cloud.positions.withUnsafeBytes { positions in
      draco_cloud_new(positions.bindMemory(to: Float.self).baseAddress, cloud.identifiers, cloud.count, 0.001)
    }
  }

  deinit { draco_cloud_free(cloud) }

  func encode() -> Int {
    let size = draco_cloud_encode(cloud)
    precondition(size > 0, "Draco cannot encode this cloud")
    return size
  }

  func decode() {
    precondition(draco_cloud_decode(cloud) == count, "Draco cannot decode its own bytes")
  }
}
#endif
