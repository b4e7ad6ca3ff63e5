/* SharedWorld for C: taking edits back. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_HISTORY_H
#define SHAREDWORLD_HISTORY_H

#include "contents.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Remembers the edits of anchors that are made through it, and takes them back. */
typedef struct sw_undo_history sw_undo_history;

/*
 * Begins an empty history of at most `limit` edits, 0 being 100; older ones are forgotten. Edits of others stay: taking a move back
 * puts the anchor where it was before that move, even if another peer has moved it since. An id is never used again: an anchor that
 * comes back has another one, and the functions of the history take either.
 */
sw_status sw_session_begin_undo_history(sw_session *session, uint32_t limit, sw_undo_history **history);

/*
 * The edits, with the errors of sw_session_place_with (`content` NULL is a place without payload), sw_session_move and
 * sw_session_remove. What was taken back before cannot be made again after one of them.
 */
sw_status sw_undo_history_place(
    sw_undo_history *history, const char *name, const float transform[16], const sw_anchor_content *content,
    sw_anchor_id *anchor);
sw_status sw_undo_history_move(sw_undo_history *history, const sw_anchor_id *anchor, const float transform[16]);
sw_status sw_undo_history_remove(sw_undo_history *history, const sw_anchor_id *anchor);

/* Remembers a move that was made otherwise, as a drag that has ended. */
sw_status sw_undo_history_record_move(
    sw_undo_history *history, const sw_anchor_id *anchor, const float from[16], const float to[16]);

/*
 * Takes the last edit back, or makes the one again that was taken back last. `done`, which may be NULL, receives 1, or 0 when there
 * is none. SW_UNKNOWN_ANCHOR when somebody else has removed the anchor; the edit is forgotten then.
 */
sw_status sw_undo_history_undo(sw_undo_history *history, int *done);
sw_status sw_undo_history_redo(sw_undo_history *history, int *done);
/* Whether there is an edit to take back, or to make again; 0 for NULL. */
int sw_undo_history_can_undo(const sw_undo_history *history);
int sw_undo_history_can_redo(const sw_undo_history *history);

/* The id under which the anchor that once was `anchor` lives now. */
sw_status sw_undo_history_current(const sw_undo_history *history, const sw_anchor_id *anchor, sw_anchor_id *current);

/* Gives a history back; the edits stay. */
void sw_undo_history_destroy(sw_undo_history *history);

#ifdef __cplusplus
}
#endif
#endif
