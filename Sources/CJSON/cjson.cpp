#include "buffer.hpp"
#include "include/cjson.h"
