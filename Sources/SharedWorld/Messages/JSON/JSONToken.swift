/// One value of a JSON text.
enum JSONToken {
  case null
  case bool(Bool)
  /// Its digits, sign and exponent, as these bytes of the text.
  case number(Range<Int>)
  /// These bytes of the text, between its quotation marks.
  case string(Range<Int>, hasEscapes: Bool)
  /// So many members follow, each a string and a value; behind them stands the token `end`.
  case object(members: Int, end: Int)
  /// So many values follow; behind them stands the token `end`.
  case array(elements: Int, end: Int)
}

/// Says that a text, or what is asked of it, is left to the decoder of Foundation.
struct JSONDetour: Error {}
