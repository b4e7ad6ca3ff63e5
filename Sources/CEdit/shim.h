#pragma once
// libedit's own interface, editline(3). Its `el_wset` has variable arguments, which Swift cannot call: here is one function
// for each use.
#include <histedit.h>  // Debian: libedit-dev
#include <locale.h>
#include <stdio.h>

// A line editor that reads keys by `reader` and draws nothing by itself; NULL where standard input is no terminal.
static inline EditLine *edit_open(const char *program, el_rfunc_t reader) {
  // wcwidth, iswprint and friends are to know every character, whatever the user's locale is: what we print is UTF-8.
  setlocale(LC_CTYPE, "C.UTF-8");
  FILE *in = fdopen(0, "r"), *nowhere = fopen("/dev/null", "w");
  if (!in || !nowhere) return NULL;
  EditLine *editor = el_init_fd(program, in, nowhere, nowhere, 0, 1, 2);
  if (!editor) return NULL;
  el_wset(editor, EL_GETCFN, reader);
  el_wset(editor, EL_SIGNAL, 0);
  el_wset(editor, EL_EDITOR, L"emacs");
  // Between two lines the terminal stays as it is: what is typed then is not echoed by the kernel.
  el_wset(editor, EL_SETTY, L"-x", L"-echo", L"-icanon", NULL);
  return editor;
}

static inline void edit_set_data(EditLine *editor, void *data) { el_wset(editor, EL_CLIENTDATA, data); }

static inline void *edit_data(EditLine *editor) {
  void *data = NULL;
  el_wget(editor, EL_CLIENTDATA, &data);
  return data;
}

// Puts the terminal into the mode of the editor (1), or of what runs between lines (0).
static inline void edit_prepare_terminal(EditLine *editor, int on) { el_wset(editor, EL_PREP_TERM, on); }

static inline void edit_use_history(EditLine *editor, HistoryW *list) { el_wset(editor, EL_HIST, history_w, list); }

static inline HistoryW *edit_new_history(int size) {
  HistoryW *list = history_winit();
  HistEventW event;
  if (list) {
    history_w(list, &event, H_SETSIZE, size);
    history_w(list, &event, H_SETUNIQUE, 1);
  }
  return list;
}

static inline void edit_add_history(HistoryW *list, const wchar_t *line) {
  HistEventW event;
  history_w(list, &event, H_ENTER, line);
}

static inline void edit_bind(EditLine *editor, const wchar_t *keys, const wchar_t *command) {
  el_wset(editor, EL_BIND, keys, command, NULL);
}

// Adds the commands `worldpeer-complete` and `worldpeer-paste`; libedit holds on to the names.
static inline void edit_add_commands(
    EditLine *editor, unsigned char (*complete)(EditLine *, wint_t), unsigned char (*paste)(EditLine *, wint_t)) {
  el_wset(editor, EL_ADDFN, L"worldpeer-complete", L"Complete the word", complete);
  el_wset(editor, EL_ADDFN, L"worldpeer-paste", L"Insert what the terminal pastes", paste);
}

// What is typed so far, and how many characters of it stand before the cursor.
static inline const wchar_t *edit_line(EditLine *editor, int *count, int *cursor) {
  const LineInfoW *line = el_wline(editor);
  *count = (int)(line->lastchar - line->buffer);
  *cursor = (int)(line->cursor - line->buffer);
  return line->buffer;
}
