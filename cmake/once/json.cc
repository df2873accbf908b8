// What the header beside this file leaves out of each file.
#define TWOFOLD_ONCE
#include <nlohmann/json.hpp>
