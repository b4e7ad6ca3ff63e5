#include "CDraco.h"

#include <draco/compression/decode.h>
#include <draco/compression/encode.h>
#include <draco/point_cloud/point_cloud_builder.h>

#include <algorithm>
#include <memory>
#include <vector>

struct DracoCloud {
  std::unique_ptr<draco::PointCloud> points;
  draco::Encoder encoder;
  draco::EncoderBuffer encoded;
};

/// The tree takes attributes of 32 bits: identifiers are their low and their high halves.
static void add_identifiers(draco::PointCloudBuilder &builder, const uint64_t *identifiers, size_t count) {
  for (int half = 0; half < 2; half++) {
    std::vector<uint32_t> halves(count);
    for (size_t i = 0; i < count; i++) halves[i] = uint32_t(identifiers[i] >> (32 * half));
    int attribute = builder.AddAttribute(draco::GeometryAttribute::GENERIC, 1, draco::DT_UINT32);
    builder.SetAttributeValuesForAllPoints(attribute, halves.data(), sizeof(uint32_t));
  }
}

/// Tells the encoder a grid of this step through the lowest corner, of as few bits as hold the cloud.
static void set_grid(draco::Encoder &encoder, const float *positions, size_t count, float step) {
  float low[3], extent = 0;
  for (int axis = 0; axis < 3; axis++) {
    float high = low[axis] = positions[axis];
    for (size_t i = 1; i < count; i++) {
      low[axis] = std::min(low[axis], positions[4 * i + axis]);
      high = std::max(high, positions[4 * i + axis]);
    }
    extent = std::max(extent, high - low[axis]);
  }
  int bits = 1;
  while (bits < 30 && ((1u << bits) - 1) * step < extent) bits++;
  encoder.SetAttributeExplicitQuantization(
      draco::GeometryAttribute::POSITION, bits, 3, low, ((1u << bits) - 1) * step);
}

DracoCloud *draco_cloud_new(const float *positions, const uint64_t *identifiers, size_t count, float step) {
  auto cloud = new DracoCloud;
  draco::PointCloudBuilder builder;
  builder.Start(uint32_t(count));
  int attribute = builder.AddAttribute(draco::GeometryAttribute::POSITION, 3, draco::DT_FLOAT32);
  builder.SetAttributeValuesForAllPoints(attribute, positions, 4 * sizeof(float));
  add_identifiers(builder, identifiers, count);
  cloud->points = builder.Finalize(false);
  cloud->encoder.SetEncodingMethod(draco::POINT_CLOUD_KD_TREE_ENCODING);
  set_grid(cloud->encoder, positions, count, step);
  return cloud;
}

void draco_cloud_free(DracoCloud *cloud) { delete cloud; }

size_t draco_cloud_encode(DracoCloud *cloud) {
  cloud->encoded.Clear();
  bool ok = cloud->encoder.EncodePointCloudToBuffer(*cloud->points, &cloud->encoded).ok();
  return ok ? cloud->encoded.size() : 0;
}

size_t draco_cloud_decode(const DracoCloud *cloud) {
  draco::DecoderBuffer buffer;
  buffer.Init(cloud->encoded.data(), cloud->encoded.size());
  draco::Decoder decoder;
  auto points = decoder.DecodePointCloudFromBuffer(&buffer);
  return points.ok() ? points.value()->num_points() : 0;
}
