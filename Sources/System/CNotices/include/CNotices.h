// THIRD-PARTY-NOTICES within the program. Swift cannot embed a file: as a literal the text would be
// in the repository twice, and a resource bundle is a folder beside the program.
#ifndef VARDE_CNOTICES_H
#define VARDE_CNOTICES_H

// The text in UTF-8, with a zero byte at its end.
const char *varde_notices(void);

#endif
