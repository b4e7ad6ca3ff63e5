/// A continuous query (RFC 6762 §5.2): it collects answers until it is closed.
protocol RecordQuery: AnyObject {
  /// Ends the question. Idempotent.
  func close()
}

/// Asks for the records of one name; `nil` when the back-end cannot.
///
/// The handler gets the record data as DNS carries it (RFC 1035 §3.3) and the index of the interface, now and whenever
/// a further record appears.
typealias AskForRecords = (
  _ name: String, _ type: RecordType, _ onAnswer: @escaping (_ data: [UInt8], _ interface: UInt32) -> Void
) -> (any RecordQuery)?
