#include "lib/http/message.h"

#include <gtest/gtest.h>

namespace twofold::http {
namespace {

TEST(Escape, LeavesNothingThatHtmlWouldRead) {
  EXPECT_EQ(Escape("<a href=\"x\" id='y'>R&D</a>"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;R&amp;D&lt;/a&gt;");
}

TEST(Escape, LeavesTheRestAlone) { EXPECT_EQ(Escape("5 µs, ok"), "5 µs, ok"); }

}  // namespace
}  // namespace twofold::http
