extension HitTest {
  /// The hit on the nearest cluster of feature points around the ray.
  ///
  /// Points that appear within ``radius`` of the tapped point are candidates. Going away from the camera, the first
  /// of them that has enough others close behind it begins the cluster: a lone outlier in front of a wall does not.
  /// The surface is fitted to the cluster's neighbourhood, and the hit is where the ray meets it.
  func clusterHit(at screen: SIMD2<Float>, along ray: Ray, _ camera: PinholeCamera) -> Result? {
    var radius = radius
    while true {
      let cone = ConeSearch(screen, radius: radius, through: camera)
      let reach = 1 + 4 * radius / camera.focalLength
      if let cluster = index.nearestCluster(of: clusterSize, reach: reach, in: cone) {
        return hit(on: cluster, within: radius, along: ray, camera)
      }
      guard radius > 0, radius < largestRadius else { return nil }
      radius = min(radius * 2, largestRadius)
    }
  }

  /// The hit on the surface estimated from `cluster`.
  private func hit(
    on cluster: [SIMD3<Float>], within radius: Float, along ray: Ray, _ camera: PinholeCamera
  ) -> Result? {
    let center = cluster.reduce(SIMD3<Float>.zero, +) / Float(cluster.count)
    let footprint = radius / camera.focalLength * camera.local(center).z
    let distance = (center - ray.origin).dot(ray.direction)
    guard distance > 0, distance.isFinite else { return nil }
    guard let fit = SurfaceFit(neighborhood(of: cluster, center, footprint: footprint)) ?? SurfaceFit(cluster) else {
      return Result(
        kind: .featurePoints, transform: placement(at: ray.point(at: distance), normal: -ray.direction, camera),
        distance: distance)
    }
    let normal = fit.normal.dot(ray.direction) > 0 ? -fit.normal : fit.normal
    let surface = Plane(transform: placement(at: fit.center, normal: normal, camera))
    var meeting = surface.distance(along: ray) ?? distance
    // A surface seen edge-on meets the ray far from its points; then the points are right.
    if (meeting - distance).magnitude > 2 * footprint { meeting = distance }
    return Result(
      kind: .featurePoints, transform: placement(at: ray.point(at: meeting), normal: normal, camera),
      distance: meeting)
  }

  /// The points of the estimate: the cluster, or if it has few, all within twice the footprint of the disc.
  private func neighborhood(of cluster: [SIMD3<Float>], _ center: SIMD3<Float>, footprint: Float) -> [SIMD3<Float>] {
    guard cluster.count < 24 else { return cluster }
    return index.indices(within: 2 * footprint, of: center).map { positions[$0] }
  }

  /// A rigid placement with y along `normal` and x to the right of the camera's picture, as far as the surface allows.
  private func placement(at point: SIMD3<Float>, normal: SIMD3<Float>, _ camera: PinholeCamera) -> Transform {
    let right = camera.pose.columns.0.xyz
    // The camera's right may be the normal itself; its up cannot be that as well.
    let hint = normal.dot(right).magnitude < 0.99 ? right : camera.pose.columns.1.xyz
    let x = (hint - normal * normal.dot(hint)).unit ?? hint
    let z = x.cross(normal)
    return Transform(columns: (SIMD4(x, 0), SIMD4(normal, 0), SIMD4(z, 0), SIMD4(point, 1)))
  }
}
