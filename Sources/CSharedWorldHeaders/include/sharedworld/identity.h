/* SharedWorld for C: who this device is. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_IDENTITY_H
#define SHAREDWORLD_IDENTITY_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who this device is: a key pair that is kept in a file, and a name for people. */
typedef struct sw_identity sw_identity;

/*
 * Reads the identity called `name` (1-63 bytes) from `directory`, or makes one and keeps it there. With a NULL
 * directory it is $XDG_STATE_HOME/sharedworld, else ~/.local/state/sharedworld. Waits for the disk.
 */
sw_status sw_identity_load_or_create(const char *name, const char *directory, sw_identity **identity);

/* The id that other peers know this identity by. */
sw_status sw_identity_peer_id(const sw_identity *identity, sw_peer_id *peer);

/* Gives an identity back; the file stays. A session started with it goes on. */
void sw_identity_destroy(sw_identity *identity);

#ifdef __cplusplus
}
#endif
#endif
