#include "frontend/options.h"

#include <gtest/gtest.h>

#include "tests/support/one_word.h"

namespace twofold::frontend {
namespace {

TEST(FrontendOptions, EachTakesOneWord) {
  Options options;
  test::ExpectOneWordEach([&](CLI::App& app) { Declare(app, options); });
}

}  // namespace
}  // namespace twofold::frontend
