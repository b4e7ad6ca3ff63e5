#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A point cloud as Draco holds it, and what Draco's k-d tree makes of it.
typedef struct DracoCloud DracoCloud;

/// Takes `count` positions of four floats each, of which the last does not count, and their identifiers.
DracoCloud *draco_cloud_new(const float *positions, const uint64_t *identifiers, size_t count, float step);
void draco_cloud_free(DracoCloud *cloud);

/// Encodes the cloud with coordinates `step` metres apart; returns the number of bytes, zero for an error.
size_t draco_cloud_encode(DracoCloud *cloud);
/// Decodes what was encoded last; returns the number of points, zero for an error.
size_t draco_cloud_decode(const DracoCloud *cloud);

#ifdef __cplusplus
}
#endif
