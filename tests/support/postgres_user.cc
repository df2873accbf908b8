#include "tests/support/postgres_user.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

namespace twofold::testing {

const passwd* PostgresUser() {
  if (geteuid() != 0) return nullptr;
  const passwd* const user = getpwnam("postgres");
  return user != nullptr ? user : getpwnam("nobody");
}

std::string MakePostgresFolder() {
  const passwd* const owner = PostgresUser();
  const bool shm = access("/dev/shm", W_OK) == 0;
  std::string name = (shm ? "/dev/shm/" : ::testing::TempDir()) + "twofold-pg-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "cannot make " << name;
  if (owner != nullptr && chown(name.c_str(), owner->pw_uid, owner->pw_gid) != 0) {
    ADD_FAILURE() << "cannot give " << name << " to " << owner->pw_name;
  }
  return name;
}

std::vector<pid_t> ChildrenOf(pid_t parent) {
  const std::string id = std::to_string(parent);
  std::ifstream file("/proc/" + id + "/task/" + id + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

}  // namespace twofold::testing
