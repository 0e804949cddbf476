#ifndef HOST_H
#define HOST_H
#endif
