// Tables of names, within the program: see CNotices.h for the reason. A line is an entry, or a comment that
// begins with #.
#ifndef VARDE_CTABLES_H
#define VARDE_CTABLES_H

struct varde_table {
    // Without a zero byte at the end.
    const char *bytes;
    unsigned long length;
};

struct varde_table varde_companies(void);
struct varde_table varde_company_aliases(void);
struct varde_table varde_company_namesakes(void);

#endif
