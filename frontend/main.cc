#include "frontend/program.h"

// jemalloc reads it before main. Freed memory goes back to the system after a second, even if
// nothing is allocated any more: a frontend that rests keeps what its jobs need.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true,dirty_decay_ms:1000";
}

int main(int argc, char** argv) { return twofold::frontend::Main(argc, argv); }
