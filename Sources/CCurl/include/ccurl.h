// The one door to libcurl: typed forms of its variadic calls.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

#endif
