// Tables of names, within the program. A line is an entry, or a comment that begins with #.
#ifndef VARDE_CTABLES_H
#define VARDE_CTABLES_H

struct varde_table {
    // Of the file.
    const char *name;
    // In UTF-8, with a zero byte at the end.
    const char *text;
};

struct varde_table varde_companies(void);
struct varde_table varde_company_aliases(void);
struct varde_table varde_company_namesakes(void);

#endif
