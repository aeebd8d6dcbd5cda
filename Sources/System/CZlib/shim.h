// The system's zlib. Nothing is added to it: the macros deflateInit2 and inflateInit2 do not import into
// Swift, but the functions behind them, which also take zlib's version and the size of z_stream, do.
#ifndef VARDE_CZLIB_SHIM_H
#define VARDE_CZLIB_SHIM_H

#include <zlib.h>

#endif
