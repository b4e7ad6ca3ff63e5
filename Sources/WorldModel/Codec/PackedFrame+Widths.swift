extension PackedFrame {
  /// Packs the low `width` bits of each lane; the code for every width is compiled on its own, with constant shifts.
  static func pack(_ rows: UnsafePointer<Row>, width: Int, to out: UnsafeMutableRawPointer) {
    switch width {
    case 0: break
    case 1: Width<1>.pack(rows, to: out)
    case 2: Width<2>.pack(rows, to: out)
    case 3: Width<3>.pack(rows, to: out)
    case 4: Width<4>.pack(rows, to: out)
    case 5: Width<5>.pack(rows, to: out)
    case 6: Width<6>.pack(rows, to: out)
    case 7: Width<7>.pack(rows, to: out)
    case 8: Width<8>.pack(rows, to: out)
    case 9: Width<9>.pack(rows, to: out)
    case 10: Width<10>.pack(rows, to: out)
    case 11: Width<11>.pack(rows, to: out)
    case 12: Width<12>.pack(rows, to: out)
    case 13: Width<13>.pack(rows, to: out)
    case 14: Width<14>.pack(rows, to: out)
    case 15: Width<15>.pack(rows, to: out)
    case 16: Width<16>.pack(rows, to: out)
    case 17: Width<17>.pack(rows, to: out)
    case 18: Width<18>.pack(rows, to: out)
    case 19: Width<19>.pack(rows, to: out)
    case 20: Width<20>.pack(rows, to: out)
    case 21: Width<21>.pack(rows, to: out)
    case 22: Width<22>.pack(rows, to: out)
    case 23: Width<23>.pack(rows, to: out)
    case 24: Width<24>.pack(rows, to: out)
    case 25: Width<25>.pack(rows, to: out)
    case 26: Width<26>.pack(rows, to: out)
    case 27: Width<27>.pack(rows, to: out)
    case 28: Width<28>.pack(rows, to: out)
    case 29: Width<29>.pack(rows, to: out)
    case 30: Width<30>.pack(rows, to: out)
    case 31: Width<31>.pack(rows, to: out)
    case 32: Width<32>.pack(rows, to: out)
    default: preconditionFailure("a width is at most 32")
    }
  }

  /// Unpacks `width` bits for each element.
  static func unpack(_ source: UnsafeRawPointer, width: Int, to rows: UnsafeMutablePointer<Row>) {
    switch width {
    case 0: rows.update(repeating: .zero, count: Self.rows)
    case 1: Width<1>.unpack(source, to: rows)
    case 2: Width<2>.unpack(source, to: rows)
    case 3: Width<3>.unpack(source, to: rows)
    case 4: Width<4>.unpack(source, to: rows)
    case 5: Width<5>.unpack(source, to: rows)
    case 6: Width<6>.unpack(source, to: rows)
    case 7: Width<7>.unpack(source, to: rows)
    case 8: Width<8>.unpack(source, to: rows)
    case 9: Width<9>.unpack(source, to: rows)
    case 10: Width<10>.unpack(source, to: rows)
    case 11: Width<11>.unpack(source, to: rows)
    case 12: Width<12>.unpack(source, to: rows)
    case 13: Width<13>.unpack(source, to: rows)
    case 14: Width<14>.unpack(source, to: rows)
    case 15: Width<15>.unpack(source, to: rows)
    case 16: Width<16>.unpack(source, to: rows)
    case 17: Width<17>.unpack(source, to: rows)
    case 18: Width<18>.unpack(source, to: rows)
    case 19: Width<19>.unpack(source, to: rows)
    case 20: Width<20>.unpack(source, to: rows)
    case 21: Width<21>.unpack(source, to: rows)
    case 22: Width<22>.unpack(source, to: rows)
    case 23: Width<23>.unpack(source, to: rows)
    case 24: Width<24>.unpack(source, to: rows)
    case 25: Width<25>.unpack(source, to: rows)
    case 26: Width<26>.unpack(source, to: rows)
    case 27: Width<27>.unpack(source, to: rows)
    case 28: Width<28>.unpack(source, to: rows)
    case 29: Width<29>.unpack(source, to: rows)
    case 30: Width<30>.unpack(source, to: rows)
    case 31: Width<31>.unpack(source, to: rows)
    case 32: Width<32>.unpack(source, to: rows)
    default: preconditionFailure("a width is at most 32")
    }
  }
}

/// The kernels for one width.
private enum Width<let bits: Int> {
  typealias Row = PackedFrame.Row

  @inline(__always)
  private static var mask: Row { Row(repeating: UInt32.max >> UInt32(32 - bits)) }

  static func pack(_ rows: UnsafePointer<Row>, to out: UnsafeMutableRawPointer) {
    var pending = Row.zero
    for row in 0..<PackedFrame.rows {
      let value = rows[row] & mask
      let position = row &* bits
      let shift = UInt32(truncatingIfNeeded: position & 31)
      pending |= value &<< Row(repeating: shift)
      let filled = Int(shift) &+ bits
      if filled >= 32 {
        out.storeBytes(of: pending, toByteOffset: 16 &* (position >> 5), as: Row.self)
        pending = filled == 32 ? .zero : value &>> Row(repeating: UInt32(truncatingIfNeeded: 32 &- Int(shift)))
      }
    }
  }

  static func unpack(_ source: UnsafeRawPointer, to rows: UnsafeMutablePointer<Row>) {
    for row in 0..<PackedFrame.rows {
      let position = row &* bits
      let word = position >> 5
      let shift = UInt32(truncatingIfNeeded: position & 31)
      var value = source.loadUnaligned(fromByteOffset: 16 &* word, as: Row.self) &>> Row(repeating: shift)
      if Int(shift) &+ bits > 32 {
        let next = source.loadUnaligned(fromByteOffset: 16 &* (word &+ 1), as: Row.self)
        value |= next &<< Row(repeating: 32 &- shift)
      }
      rows[row] = value & mask
    }
  }
}
