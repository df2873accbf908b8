// `twofold frontends` and `twofold frontend ...` against a frontend that says what the test wants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command/command.h"
#include "lib/common/options.h"
#include "tests/cli/frontends/lists.h"
#include "tests/fakes/fake_frontends_service.h"

namespace twofold::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class FrontendsCommandTest : public ::testing::Test {
 protected:
  /// The exit code of "twofold ...".
  int Run(std::vector<std::string> words) {
    words.insert(words.begin(), "twofold");
    words.insert(words.end(), {"--frontend", service_.address()});
    CLI::App app("", "twofold");
    Globals globals;
    Action chosen;
    AddCommands(app, FrontendCommands(), globals, chosen);
    AddCommands(app, QueueCommands(), globals, chosen);
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const auto code = ParseCommandLine(app, static_cast<int>(argv.size()), argv.data());
    const Status status = code ? Status() : chosen();
    log_ = ::testing::internal::GetCapturedStderr();
    output_ = ::testing::internal::GetCapturedStdout();
    message_ = std::string(status.message());
    return code ? *code : ExitCode(status);
  }

  /// A frontend without the service, which serves the queue "sleep".
  void BeOfBefore() {
    v1::ListQueuesReply queues;
    queues.add_queues()->set_name("sleep");
    service_.SetQueues(queues);
    service_.Refuse({grpc::StatusCode::UNIMPLEMENTED, ""});
  }

  const List both_ =
      ListOf({Named("frontend-1", {Part(0, "x")}), Named("frontend-2", {Part(1, "y")})});
  const List on_way_ =
      ListOf({Named("frontend-1", {Part(0, "x")}), Named("frontend-2", {})}, {Part(1, "y")});
  const List on_first_ =
      ListOf({Named("frontend-1", {Part(0, "x"), Part(1, "y", 2)}), Named("frontend-2", {})});
  fakes::FakeFrontendsService service_;
  std::string output_;
  std::string log_;
  std::string message_;
};

TEST_F(FrontendsCommandTest, ListsFrontendsOrTheirQueuesInAllForms) {
  service_.Answer({on_way_});
  EXPECT_EQ(Run({"frontends"}), 0) << message_;
  EXPECT_THAT(output_, HasSubstr("FRONTEND    STATE    QUEUES"));
  EXPECT_THAT(output_, HasSubstr("y: nobody serves them"));
  EXPECT_EQ(Run({"frontends", "-v"}), 0) << message_;
  EXPECT_THAT(output_, HasSubstr("y           1      1  -           unowned"));
  EXPECT_EQ(Run({"frontends", "--output", "json"}), 0) << message_;
  EXPECT_THAT(output_, HasSubstr(R"("name":"frontend-1")"));
  EXPECT_EQ(Run({"frontends", "--partitions", "--output", "csv"}), 0) << message_;
  EXPECT_THAT(output_, HasSubstr("x,0,1,frontend-1,served,0,0,0,0,,0\n"));
}

TEST_F(FrontendsCommandTest, OneFrontendIsShownAndCannotBeDrained) {
  BeOfBefore();
  EXPECT_EQ(Run({"frontends"}), 0) << message_;
  EXPECT_THAT(output_, HasSubstr(service_.address()));
  EXPECT_THAT(output_, HasSubstr("There is one frontend, so nothing can be moved"));
  EXPECT_EQ(Run({"frontend", "drain", "frontend-1"}), 5);
  EXPECT_THAT(message_, HasSubstr("there is one frontend"));
  EXPECT_EQ(Run({"frontend", "move", "sleep", "frontend-1"}), 5);
  EXPECT_THAT(message_, HasSubstr("there is one frontend"));
}

TEST_F(FrontendsCommandTest, DrainWaitsUntilAllIsHandedOver) {
  service_.Answer({both_, both_, both_, on_way_, on_first_});
  EXPECT_EQ(Run({"frontend", "drain", "frontend-2"}), 0) << message_;
  EXPECT_THAT(service_.changes(), ElementsAre("drain frontend-2"));
  EXPECT_EQ(log_, "frontend-2 still serves y\nnobody serves y\n");
  EXPECT_THAT(output_, HasSubstr("frontend-2  serving       0"));
}

TEST_F(FrontendsCommandTest, DrainSaysWhatIsLeftAfterItsTime) {
  service_.Answer({both_});
  EXPECT_EQ(Run({"frontend", "drain", "frontend-2", "--timeout", "0.1"}), 1);
  EXPECT_EQ(message_, "after 0.1 seconds: frontend-2 still serves y");
  EXPECT_EQ(Run({"frontend", "drain", "frontend-2", "--no-wait"}), 0) << message_;
  EXPECT_THAT(output_, HasSubstr("frontend-2  serving       1"));
}

TEST_F(FrontendsCommandTest, MoveWaitsForTheNewOwner) {
  service_.Answer({both_, both_, both_, on_way_, on_first_});
  EXPECT_EQ(Run({"frontend", "move", "y", "frontend-1"}), 0) << message_;
  EXPECT_THAT(service_.changes(), ElementsAre("move y frontend-1"));
  EXPECT_THAT(output_, HasSubstr("y           1      2  frontend-1  served"));
}

TEST_F(FrontendsCommandTest, MistypedNamesHaveAHintAndChangeNothing) {
  service_.Answer({both_});
  EXPECT_EQ(Run({"frontend", "drain", "frontent-2"}), 3);
  EXPECT_THAT(message_, HasSubstr("did you mean 'frontend-2'?"));
  EXPECT_EQ(Run({"frontend", "move", "y", "fronted-1"}), 3);
  EXPECT_THAT(message_, HasSubstr("did you mean 'frontend-1'?"));
  EXPECT_EQ(Run({"frontend", "move", "z", "frontend-1"}), 3);
  EXPECT_THAT(message_, HasSubstr("queue: there is no 'z'"));
  EXPECT_THAT(service_.changes(), IsEmpty());
}

TEST_F(FrontendsCommandTest, ALossIsAcceptedOnlyIfItIsSaid) {
  List lost = both_;
  lost.mutable_frontends(1)->mutable_partitions(0)->set_lost(true);
  service_.Answer({lost});
  EXPECT_EQ(Run({"frontend", "accept", "y"}), 2);
  EXPECT_THAT(message_, HasSubstr("With --yes queue y goes on with what is left"));
  EXPECT_EQ(Run({"frontend", "accept", "x", "--yes"}), 5);
  EXPECT_THAT(message_, HasSubstr("queue x has lost nothing"));
  EXPECT_THAT(service_.changes(), IsEmpty());
  service_.Answer({lost, both_});
  EXPECT_EQ(Run({"frontend", "accept", "y", "--yes"}), 0) << message_;
  EXPECT_THAT(service_.changes(), ElementsAre("accept y"));
  EXPECT_THAT(output_, HasSubstr("served"));
}

TEST_F(FrontendsCommandTest, QueuesSayWhoServesThemIfThereAreSeveral) {
  v1::ListQueuesReply queues;
  queues.add_queues()->set_name("sleep");
  service_.SetQueues(queues);
  EXPECT_EQ(Run({"queues"}), 0) << message_;
  EXPECT_THAT(output_, Not(HasSubstr("FRONTEND")));
  EXPECT_THAT(output_, Not(HasSubstr("STORE")));
  queues.mutable_queues(0)->set_frontend("frontend-2");
  queues.mutable_queues(0)->set_store_trouble("no connection");
  service_.SetQueues(queues);
  EXPECT_EQ(Run({"queues"}), 0) << message_;
  EXPECT_THAT(output_, ContainsRegex("FRONTEND +STORE\n.*frontend-2 +no connection\n"));
}

TEST_F(FrontendsCommandTest, WhatTheFrontendRefusesIsTold) {
  service_.Refuse({grpc::StatusCode::PERMISSION_DENIED, "for admins"});
  EXPECT_EQ(Run({"frontends"}), 1);
  EXPECT_EQ(message_, "for admins");
}

}  // namespace
}  // namespace twofold::cli
