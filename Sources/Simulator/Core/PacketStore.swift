/// Packets on their way, in places that are used again.
struct PacketStore<Packet> {
  private var packets: [Packet?] = []
  private var free: [Int32] = []

  mutating func put(_ packet: Packet) -> Int32 {
    if let place = free.popLast() {
      packets[Int(place)] = packet
      return place
    }
    packets.append(packet)
    return Int32(packets.count - 1)
  }

  mutating func take(_ place: Int32) -> Packet? {
    let packet = packets[Int(place)].take()
    free.append(place)
    return packet
  }
}
