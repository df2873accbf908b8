#include "backend/benchmark/offers.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <string>

#include "lib/suite/text.h"
#include "tests/backend/temp_dir.h"

namespace twofold::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

// The probe prints "name=VALUE"; without that there is no device.
Result<suite::Labels> Offer(const suite::StageOutput& probe) {
  if (const std::string end = suite::BadEnd(probe); !end.empty()) {
    return suite::ToolFailed("probe", end);
  }
  const auto lines = suite::Lines(probe.out);
  const auto name = lines.empty() ? std::nullopt : suite::After(lines[0], "name=");
  if (!name) return absl::NotFoundError("no device");
  return suite::Labels{{"device.name", std::string(*name)}};
}

constexpr suite::Suite kAnywhere = {.name = "anywhere", .kind = "Anywhere"};
constexpr suite::Suite kWithDevice = {.name = "with-device",
                                      .kind = "WithDevice",
                                      .probe = {"list-devices", "--all"},
                                      .offer = &Offer};

class OffersTest : public ::testing::Test {
 protected:
  Offers Ask() {
    return AskOffers(io_, reaper_, {&kAnywhere, &kWithDevice},
                     {.spec = {},
                      .suite_path = {tools_.Path("")},
                      .work_dir = "/tmp",
                      .worker = {},
                      .allowed = {},
                      .peers = nullptr,
                      .limits = {}});
  }

  void AddProbe(const std::string& text) {
    chmod(tools_.Write("list-devices", "#!/bin/sh\n" + text + "\n").c_str(), 0755);
  }

  boost::asio::io_context io_{1};
  process::Reaper reaper_{io_};
  TempDir tools_;
};

TEST_F(OffersTest, WhatTheProbeFindsBecomesLabels) {
  AddProbe("[ \"$1\" = --all ] && echo name=Fast one");
  const Offers offers = Ask();
  EXPECT_THAT(offers.suites, ElementsAre(&kAnywhere, &kWithDevice));
  EXPECT_THAT(offers.labels, ElementsAre(Pair("device.name", "Fast one")));
  EXPECT_THAT(offers.missing, IsEmpty());
}

TEST_F(OffersTest, AMissingDeviceIsNamedAndTheOtherSuitesStay) {
  AddProbe("echo nothing here");
  const Offers offers = Ask();
  EXPECT_THAT(offers.suites, ElementsAre(&kAnywhere));
  EXPECT_THAT(offers.labels, IsEmpty());
  EXPECT_THAT(offers.missing, ElementsAre("with-device: no device"));
}

TEST_F(OffersTest, AMissingProbeIsAReason) {
  EXPECT_THAT(Ask().missing, ElementsAre(HasSubstr("list-devices is not installed")));
}

TEST_F(OffersTest, AFailedProbeIsAReason) {
  AddProbe("exit 3");
  EXPECT_THAT(Ask().missing, ElementsAre("with-device: probe: exit code 3"));
}

TEST_F(OffersTest, OfAFloodOnlyTheBeginningIsRead) {
  AddProbe("echo name=x; head -c 1000000 /dev/zero | tr '\\0' y");
  const Offers offers = Ask();
  ASSERT_THAT(offers.labels, SizeIs(1));
  EXPECT_LE(offers.labels.at("device.name").size(), 256U);
}

TEST_F(OffersTest, LabelsArePrintable) {
  AddProbe("printf 'name=a\\033[1mb'");
  EXPECT_THAT(Ask().labels, ElementsAre(Pair("device.name", HasSubstr("[1mb"))));
  EXPECT_EQ(Ask().labels.at("device.name").find('\033'), std::string::npos);
}

}  // namespace
}  // namespace twofold::backend
