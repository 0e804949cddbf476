// A thin C face on simdjson.
#ifndef CJSON_H
#define CJSON_H

#include <stddef.h>
#include <stdint.h>

#endif
