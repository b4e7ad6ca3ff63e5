#pragma once
#include <zlib.h>  // Debian: zlib1g-dev
