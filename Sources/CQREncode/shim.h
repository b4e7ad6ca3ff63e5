#pragma once
#include <qrencode.h>  // Debian: libqrencode-dev
