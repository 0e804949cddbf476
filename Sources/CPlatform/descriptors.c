#include <limits.h>
#include <sys/resource.h>

#include "cplatform.h"

int cplatform_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    return limit.rlim_cur > INT_MAX ? INT_MAX : (int)limit.rlim_cur;
}

void cplatform_raise_descriptor_limit(int most) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    rlim_t wanted = limit.rlim_max < (rlim_t)most ? limit.rlim_max : (rlim_t)most;
#ifdef __APPLE__
    // setrlimit(2) there refuses more.
    if (wanted > OPEN_MAX) wanted = OPEN_MAX;
#endif
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}
