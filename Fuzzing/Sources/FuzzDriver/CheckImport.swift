package import WorldFormats
import WorldModel

/// Any bytes as a point-cloud file of the first of `formats`: an error, or a valid cloud that comes back when it is
/// written in each of `formats` and read again.
package func checkImport(_ bytes: [UInt8], as formats: PointCloudFormat...) {
  _ = PointCloudFormat(detecting: bytes, fileExtension: formats[0].fileExtension)
  guard let file = try? PointCloudFile(reading: bytes, as: formats[0]) else { return }
  precondition((try? file.cloud.validate()) != nil && file.cloud.isSorted)
  for format in formats { checkExport(file.cloud, as: format) }
}

private func checkExport(_ cloud: FeatureCloud, as format: PointCloudFormat) {
  let written = cloud.file(as: format)
  let detected = PointCloudFormat(detecting: written, fileExtension: format.fileExtension)
  precondition(detected == format || cloud.isEmpty, "a written file is not recognised")
  guard let again = try? PointCloudFile(reading: written, as: format) else {
    preconditionFailure("a cloud that was read cannot be written and read again")
  }
  precondition(again.droppedPoints == 0 && again.cloud.count == cloud.count)
  for (old, new) in zip(cloud, again.cloud) {
    // One whose first point is far away is read from an origin of its own, and there a `Float` is another one.
    precondition(again.origin != .zero || old.position == new.position, "positions change from file to file")
    precondition(old.identifier == new.identifier || !format.keepsIdentifiers, "identifiers change from file to file")
  }
}
