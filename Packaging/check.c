/* What a program has of the -dev package: it begins a session, reads its state and ends it. */
#include <sharedworld.h>
#include <stdio.h>

static int failed(const char *what) {
  fprintf(stderr, "%s: %s\n", what, sw_last_error_message());
  return 1;
}

int main(int count, char **words) {
  if (count != 2) return 2;
  sw_identity *identity;
  sw_session *session;
  sw_session_config config;
  sw_session_config_init(&config, sizeof config);
  config.discovery = SW_DISCOVERY_NONE;
  if (sw_identity_load_or_create("check", words[1], &identity) != SW_OK) return failed("identity");
  if (sw_session_start(identity, &config, &session) != SW_OK) return failed("session");
  uint64_t epoch;
  if (sw_session_host(session, NULL, &epoch) != SW_OK) return failed("host");
  printf("a session of interface %u listens on a port: %d\n", sw_abi_version(), sw_session_port(session) != 0);
  sw_session_stop(session);
  sw_identity_destroy(identity);
  return 0;
}
