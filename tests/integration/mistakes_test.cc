// Mistakes of the person who starts a program: one line that says what is wrong, exit code 2.

#include <algorithm>

#include "tests/integration/cluster_fixture.h"

namespace twofold::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Mistake {
  const char* program;
  std::vector<std::string> arguments;
  const char* message;  ///< part of the line
};

std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  out << mistake.program;
  for (const std::string& argument : mistake.arguments) out << ' ' << argument;
  return out;
}

class MistakesTest : public ::testing::TestWithParam<Mistake> {};

TEST_P(MistakesTest, IsToldInOneLineWithExitCodeTwo) {
  Program program(GetParam().program, GetParam().arguments);
  EXPECT_EQ(program.Wait(), 2);
  const std::string output = program.output();
  EXPECT_THAT(output, HasSubstr(GetParam().message));
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 1) << output;
}

INSTANTIATE_TEST_SUITE_P(
    Frontend, MistakesTest,
    ::testing::Values(
        Mistake{"twofold-frontend", {}, "QUEUE is required"},
        Mistake{"twofold-frontend", {""}, "is not a queue name"},
        Mistake{"twofold-frontend", {"\xff"}, "is not a queue name"},
        Mistake{"twofold-frontend", {"sleep", "sleep"}, "'sleep' is named twice"},
        Mistake{"twofold-frontend", {"-queue-limit", "-1", "q"}, "--queue-limit: '-1'"},
        Mistake{"twofold-frontend", {"--lease", "nan", "q"}, "--lease: 'nan' is not a number"},
        Mistake{"twofold-frontend", {"--http-address", "localhost", "q"}, "--http-address"},
        Mistake{"twofold-frontend", {"--worker-address", "x:99999", "q"}, "--worker-address"},
        Mistake{"twofold-frontend",
                {"--client-address", "256.1.1.1:1", "--worker-address", "127.0.0.1:0", "q"},
                "cannot listen on 256.1.1.1:1: "},
        Mistake{"twofold-frontend",
                {"--loops", "4", "--memory-limit", "128", "q"},
                "--loops 4: needs 64 MiB for each loop, and there are 128"},
        Mistake{"twofold-frontend", {"--durable", "q", "q"}, "--durable needs --store sqlite:PATH"},
        Mistake{"twofold-frontend",
                {"--store", "sqlite:x", "--durable", "other", "q"},
                "--durable: there is no queue 'other'"},
        Mistake{"twofold-frontend",
                {"--store", "x.db", "q"},
                "--store: the address is neither like sqlite:PATH"},
        Mistake{"twofold-frontend", {"--store", "sqlite:/", "q"}, "/"},
        Mistake{"twofold-frontend", {"--store", "sqlite:/no/such/x.db", "q"}, "/no/such/x.db"},
        Mistake{"twofold-frontend", {"--nope", "q"}, "--nope"}));

INSTANTIATE_TEST_SUITE_P(
    Backend, MistakesTest,
    ::testing::Values(
        Mistake{"twofold-backend", {}, "twofold-backend: "},
        Mistake{"twofold-backend", {"--", "sleep", "-1"}, "-1"},
        Mistake{"twofold-backend", {"--", "sleep", "nan"}, "nan"},
        Mistake{"twofold-backend", {"--limit", "-5", "--", "sleep", "1"}, "--limit: '-5'"},
        Mistake{"twofold-backend", {"--queue", "", "--", "sleep", "1"}, "is not a queue name"},
        Mistake{"twofold-backend", {"--frontend", "nowhere", "--", "sleep", "1"}, "nowhere"},
        Mistake{"twofold-backend", {"--", "/no/such/program"}, "/no/such/program"},
        Mistake{"twofold-backend", {"--glob", "/nothing/*", "--", "sleep", "1"}, "/nothing/*"}));

INSTANTIATE_TEST_SUITE_P(
    Client, MistakesTest,
    ::testing::Values(
        Mistake{"twofold-client", {}, "--queue"},
        Mistake{"twofold-client", {"--queue", "\xff"}, "is not a queue name"},
        Mistake{"twofold-client", {"--queue", "q", "--parallel", "-1"}, "--parallel: '-1'"},
        Mistake{"twofold-client", {"--queue", "q", "--limit", "inf"}, "--limit: 'inf'"},
        Mistake{"twofold-client", {"--queue", "q", "--http-address", "9996"}, "--http-address"},
        Mistake{"twofold-client",
                {"--queue", "q", "--http-address", "127.0.0.1:0", "--", std::string(100'000, 'a'),
                 std::string(100'000, 'b'), std::string(100'000, 'c')},
                "262144"}));

INSTANTIATE_TEST_SUITE_P(CommandLine, MistakesTest,
                         ::testing::Values(Mistake{"twofold", {"nonsense"}, "nonsense"},
                                           Mistake{"twofold", {"job", "get"}, "ID"}));

class PortInUseTest : public ClusterTest {};

TEST_F(PortInUseTest, IsToldInOneLineWithExitCodeTwo) {
  StartFrontend();
  Program frontend("twofold-frontend", {"--client-address", client_address_, "sleep"});
  EXPECT_EQ(frontend.Wait(), 2);
  EXPECT_THAT(frontend.output(), HasSubstr(client_address_ + ": Address already in use"));
  Program client("twofold-client", {"--queue", "sleep", "--http-address", http_address_});
  EXPECT_EQ(client.Wait(), 2);
  EXPECT_THAT(client.output(), HasSubstr(http_address_ + ": Address already in use"));
}

}  // namespace
}  // namespace twofold::testing
