// libFuzzer's entry, which comes with the compiler and without a header.

#pragma once

#include <stddef.h>
#include <stdint.h>

/// Runs the fuzzer with a program's arguments; `run` returns 0 and is called from one thread.
int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*run)(const uint8_t *bytes, size_t count));
