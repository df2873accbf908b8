#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace twofold::lifecycle {

inline std::string GoldenPath(const std::string& name) {
  return std::string(GOLDEN_FOLDER) + "/" + name;
}

inline std::string GoldenText(const std::string& name) {
  std::ifstream file(GoldenPath(name), std::ios::binary);
  EXPECT_TRUE(file) << GoldenPath(name) << " is missing; write it with UPDATE_GOLDEN=1";
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Compares `text` with tests/golden/lifecycle/`name`; with UPDATE_GOLDEN=1 in the environment the
/// file is written instead.
inline void ExpectGolden(const std::string& name, const std::string& text) {
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(GoldenPath(name), std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(text, GoldenText(name)) << "differs from " << GoldenPath(name);
}

}  // namespace twofold::lifecycle
