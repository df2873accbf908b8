#include "kubernetes/operator/program.h"

int main(int argc, char** argv) { return twofold::benchmarks::Main(argc, argv); }
