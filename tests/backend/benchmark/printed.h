#pragma once

#include <memory>
#include <string_view>

#include "backend/benchmark/artifact.h"
#include "lib/common/descriptors.h"
#include "tests/backend/temp_dir.h"

namespace twofold::backend {

/// A file with what a program has printed.
inline std::unique_ptr<OutputFile> Printed(std::string_view text) {
  const TempDir dir;
  auto file = OutputFile::Create(dir.Path("out")).value();
  WriteAll(file->descriptor(), text);
  return file;
}

}  // namespace twofold::backend
