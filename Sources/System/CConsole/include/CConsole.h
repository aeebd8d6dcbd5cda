// The files of the console, the folder console/, within the program: see CNotices.h for the reason.
#ifndef VARDE_CCONSOLE_H
#define VARDE_CCONSOLE_H

struct varde_console_file {
    // Below console/, such as "views/now.js".
    const char *path;
    // Without a zero byte at the end.
    const char *bytes;
    unsigned long length;
};

// Null after the last one.
const struct varde_console_file *varde_console_file_at(unsigned long index);

#endif
