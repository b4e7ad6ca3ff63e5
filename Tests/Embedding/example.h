/* What the examples share: a session on this machine that lets everybody in, and its port on standard output. */
#pragma once

#include <sharedworld.h>
#include <stdio.h>
#include <stdlib.h>

static sw_session *start_session(const char *name, const char *folder) {
  sw_identity *identity;
  sw_session *session;
  sw_session_config config;
  sw_session_config_init(&config, sizeof config);
  config.discovery = SW_DISCOVERY_NONE; /* a program of yours keeps SW_DISCOVERY_AUTOMATIC, and listens everywhere */
  config.listen_host = "127.0.0.1";
  config.invitations = SW_INVITATIONS_ACCEPT;
  if (sw_identity_load_or_create(name, folder, &identity) != SW_OK ||
      sw_session_start(identity, &config, &session) != SW_OK) {
    fprintf(stderr, "%s\n", sw_last_error_message());
    exit(1);
  }
  sw_identity_destroy(identity);
  printf("%u\n", sw_session_port(session));
  fflush(stdout);
  return session;
}
