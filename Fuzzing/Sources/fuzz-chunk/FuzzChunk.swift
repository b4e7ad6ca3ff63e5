import Basics
import FuzzDriver
import PeerProtocol

@main
struct FuzzChunk {
  static func main() { fuzz(fuzzChunk) }
}

/// Any bytes as a stored chunk behind the codec (u8) and the raw size (u32) that a manifest claims: a failure, or as many
/// bytes as claimed, which are compressed and expanded to the same again.
private func fuzzChunk(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  var reader = ByteReader(bytes.span.bytes)
  guard let number = try? reader.readByte(), let codec = StoredChunk.Codec(rawValue: number & 1),
    let size = try? reader.read(UInt32.self), let rest = try? reader.readBytes(reader.remaining)
  else { return 0 }
  // No manifest claims more.
  let claimed = min(Int(size), ProtocolLimits.chunk)
  guard let raw = try? StoredChunk(codec: codec, bytes: rest).expanded(to: claimed) else { return 0 }
  precondition(raw.count == claimed, "a chunk has another size than the manifest claims")
  let again = try? StoredChunk(compressing: raw[...]).expanded(to: claimed)
  precondition(again == raw, "a chunk changes when it is compressed and expanded")
  return 0
}
