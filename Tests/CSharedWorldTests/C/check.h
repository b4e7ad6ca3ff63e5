/* What the test programs share: the interface, and a check that ends the program with the place and the last message. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "sharedworld.h"

#define CHECK(condition)                                                                          \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, sw_last_error_message()); \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)
