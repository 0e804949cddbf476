#include "cregex.h"
