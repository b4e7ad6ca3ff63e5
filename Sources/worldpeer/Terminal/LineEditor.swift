import CEdit
import PeerCLI

/// A line editor on the terminal of standard input, by libedit: keys, the history and its search, and the user's `.editrc`.
///
/// libedit keeps the line and says nothing to the terminal: what it would draw, it could not draw again above or below output that
/// came meanwhile. It belongs to one thread.
final class LineEditor {
  /// Why reading a line ended.
  enum Outcome: Equatable {
    case line(String)
    /// The user gave the line up by Ctrl-C.
    case interrupted
    /// Ctrl-D on an empty line, or the end of the terminal.
    case ended
  }

  /// Why waiting for keys ended.
  enum Wake {
    case bytes([UInt8])
    case interrupt
    case ended
  }

  /// The calls that a line editor makes to the terminal's owner.
  struct Owner {
    /// Shows the line and the cursor in it, then waits.
    let wait: (_ line: [Unicode.Scalar], _ position: Int) -> Wake
    /// Completes what stands before the cursor.
    let complete: (String) -> Completer.Completion?
    /// Shows the words that fit; without any, says that none does.
    let offer: ([String]) -> Void
  }

  private let editor: OpaquePointer
  private let history: OpaquePointer
  private let owner: Owner
  private var input = KeyInput()
  /// How far an interrupt has come: the key that ends a search or a sequence was sent.
  private var isInterrupted = false

  /// Keys beside those of libedit: what terminals send for Delete, Home, End and the arrows with Ctrl.
  private static let bindings = [
    ("\t", "worldpeer-complete"), (KeyInput.pasteStart, "worldpeer-paste"), ("\u{12}", "em-inc-search-prev"),
    ("\u{17}", "ed-delete-prev-word"), ("\u{1b}[3~", "ed-delete-next-char"), ("\u{1b}[H", "ed-move-to-beg"),
    ("\u{1b}[F", "ed-move-to-end"), ("\u{1b}[1~", "ed-move-to-beg"), ("\u{1b}[4~", "ed-move-to-end"),
    ("\u{1b}[1;5C", "em-next-word"), ("\u{1b}[1;5D", "ed-prev-word"),
  ]

  /// An editor with the commands of earlier runs; nil where standard input is no terminal.
  init?(program: String, history lines: [String], owner: Owner) {
    guard let editor = edit_open(program, { LineEditor.of($0).readKey(into: $1) }),
      let history = edit_new_history(Int32(CommandHistory.limit))
    else { return nil }
    (self.editor, self.history, self.owner) = (editor, history, owner)
    edit_set_data(editor, Unmanaged.passUnretained(self).toOpaque())
    edit_use_history(editor, history)
    for line in lines { remember(line) }
    edit_add_commands(
      editor, { editor, _ in UInt8(LineEditor.of(editor).complete()) },
      { editor, _ in UInt8(LineEditor.of(editor).paste()) })
    el_source(editor, nil)
    for (keys, command) in Self.bindings {
      Self.wide(keys) { keys in Self.wide(command) { edit_bind(editor, keys, $0) } }
    }
  }

  deinit {
    el_end(editor)
    history_wend(history)
  }

  /// Reads the next line.
  func readLine() -> Outcome {
    isInterrupted = false
    var count: Int32 = 0
    guard let text = el_wgets(editor, &count), count > 0 else { return .ended }
    if isInterrupted { return .interrupted }
    let scalars = UnsafeBufferPointer(start: text, count: Int(count)).map(Self.scalar)
    guard scalars.last == "\n" || scalars.last == "\r" else { return .ended }
    return .line(String(String.UnicodeScalarView(scalars.dropLast())))
  }

  /// Adds a line to the history in memory.
  func remember(_ line: String) { Self.wide(line) { edit_add_history(history, $0) } }

  /// Puts the terminal into the mode of the editor again, after another program may have used it.
  func prepareTerminal() {
    edit_prepare_terminal(editor, 0)
    edit_prepare_terminal(editor, 1)
  }

  // MARK: Called by libedit

  private static func of(_ editor: OpaquePointer?) -> LineEditor {
    guard let data = edit_data(editor) else { preconditionFailure("libedit lost its client data") }
    return Unmanaged<LineEditor>.fromOpaque(data).takeUnretainedValue()
  }

  private func readKey(into key: UnsafeMutablePointer<wchar_t>?) -> Int32 {
    guard let scalar = nextKey() else { return 0 }
    key?.pointee = wchar_t(scalar.value)
    return 1
  }

  private func nextKey() -> Unicode.Scalar? {
    if isInterrupted {
      // The bell key has ended what was going on; now the line goes, and an empty one is given back.
      clear()
      return "\n"
    }
    while true {
      switch input.next() {
      case .key(let scalar): return scalar
      case .pasted(let text): Self.wide(text) { _ = el_winsertstr(editor, $0) }
      case nil:
        let (line, position) = typed
        switch owner.wait(line, position) {
        case .bytes(let bytes): input.append(bytes)
        case .ended: return nil
        case .interrupt:
          input = KeyInput()
          isInterrupted = true
          return "\u{07}"
        }
      }
    }
  }

  private func complete() -> Int32 {
    // A tab within text that comes at once is pasted, not pressed.
    guard input.isEmpty else {
      Self.wide(" ") { _ = el_winsertstr(editor, $0) }
      return CC_REFRESH
    }
    let (line, position) = typed
    let before = String(String.UnicodeScalarView(line.prefix(position)))
    guard let completion = owner.complete(before) else {
      owner.offer([])
      return CC_REFRESH
    }
    if completion.candidates.count > 1, before.hasSuffix(completion.text) { owner.offer(completion.candidates) }
    el_deletestr(editor, Int32(completion.replaced))
    if !completion.text.isEmpty { Self.wide(completion.text) { _ = el_winsertstr(editor, $0) } }
    return CC_REFRESH
  }

  private func paste() -> Int32 {
    input.beginPaste()
    return CC_REFRESH
  }

  private func clear() {
    el_cursor(editor, Int32(typed.line.count))
    el_deletestr(editor, Int32(typed.line.count))
  }

  private var typed: (line: [Unicode.Scalar], position: Int) {
    var (count, position): (Int32, Int32) = (0, 0)
    let text = edit_line(editor, &count, &position)
    return (UnsafeBufferPointer(start: text, count: Int(count)).map(Self.scalar), Int(position))
  }

  private static func scalar(_ character: wchar_t) -> Unicode.Scalar {
    Unicode.Scalar(UInt32(bitPattern: Int32(character))) ?? "\u{fffd}"
  }

  /// Runs `body` with a text as libedit takes it.
  private static func wide(_ text: String, _ body: (UnsafePointer<wchar_t>) -> Void) {
    let characters = text.unicodeScalars.map { wchar_t($0.value) } + [0]
    characters.withUnsafeBufferPointer { if let start = $0.baseAddress { body(start) } }
  }
}
