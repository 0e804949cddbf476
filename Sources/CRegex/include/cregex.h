// A thin C face on PCRE2, with limits on the work that one match may do.
#ifndef CREGEX_H
#define CREGEX_H

#include <stddef.h>
#include <stdint.h>

#endif
