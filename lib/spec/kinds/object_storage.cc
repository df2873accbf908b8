#include "lib/spec/kinds/kinds.h"

namespace twofold::spec::kinds {

// No system has given its fields names yet, so all are taken as they come.
Kind ObjectStorage() {
  return {"ObjectStorage", "object-storage", false, {.fixed = 1}, WithCommon({}), true};
}

}  // namespace twofold::spec::kinds
