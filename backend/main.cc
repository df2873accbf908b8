#include "backend/agent/program.h"

int main(int argc, char** argv) { return twofold::backend::Main(argc, argv); }
