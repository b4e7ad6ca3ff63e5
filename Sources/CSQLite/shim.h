#pragma once
#include <sqlite3.h>

/* Swift cannot call a variadic function. SQLITE_OK when the switch is now as asked. */
static inline int sw_sqlite_set(sqlite3 *database, int option, int value) {
  int now = -1;
  int code = sqlite3_db_config(database, option, value, &now);
  return code != SQLITE_OK ? code : now == value ? SQLITE_OK : SQLITE_ERROR;
}
