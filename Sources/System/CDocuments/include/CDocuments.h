// The descriptions of the routes, protocol/openapi and protocol/schemas, and the page that shows them, within the
// program: see CNotices.h for the reason.
#ifndef VARDE_CDOCUMENTS_H
#define VARDE_CDOCUMENTS_H

struct varde_document {
    // Below protocol/, such as "openapi/hub.json".
    const char *path;
    // Without a zero byte at the end.
    const char *bytes;
    unsigned long length;
};

// Null after the last one.
const struct varde_document *varde_document_at(unsigned long index);

#endif
