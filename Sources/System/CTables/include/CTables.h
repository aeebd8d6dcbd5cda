// Tables of words and names, within the program. CONTRIBUTING.md describes their format.
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
