#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>

#include "cplatform.h"

void cplatform_open_standard_streams(void) {
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
        // open(2) gives the lowest number that is free, which is this one.
        if (open("/dev/null", O_RDWR) < 0) return;
    }
}

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
