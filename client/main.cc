#include "client/program.h"

int main(int argc, char** argv) { return twofold::client::Main(argc, argv); }
