#include "lib/suite/flags.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <vector>

#include "lib/common/options.h"
#include "lib/suite/spec.h"
#include "twofold/v1/spec/rules.pb.h"

namespace twofold::suite {
namespace {

using google::protobuf::Message;
using testing::HasSubstr;

// A spec with a field of each type, as a suite's spec.proto would declare it.
constexpr char kFile[] = R"(
  name: "sample.proto" package: "sample" dependency: "twofold/v1/spec/rules.proto" syntax: "proto2"
  message_type {
    name: "Sample"
    field { name: "streams" json_name: "streams" number: 1 type: TYPE_UINT32 label: LABEL_OPTIONAL default_value: "4"
            options { [twofold.v1.rule] { least: 1 most: 128 help: "connections at once" } } }
    field { name: "total_bytes" json_name: "total-bytes" number: 2 type: TYPE_UINT64 label: LABEL_OPTIONAL
            options { [twofold.v1.rule] { most: 1000000000000 unit: "bytes" } } }
    field { name: "rate" json_name: "rate" number: 3 type: TYPE_DOUBLE label: LABEL_OPTIONAL default_value: "0.5"
            options { [twofold.v1.rule] { most: 10 } } }
    field { name: "cleanup" json_name: "cleanup" number: 4 type: TYPE_BOOL label: LABEL_OPTIONAL }
    field { name: "mode" json_name: "mode" number: 5 type: TYPE_STRING label: LABEL_OPTIONAL
            options { [twofold.v1.rule] { words: "read" words: "write" } } }
    field { name: "names" json_name: "names" number: 6 type: TYPE_STRING label: LABEL_REPEATED }
  })";

class SpecFlagsTest : public testing::Test {
 protected:
  SpecFlagsTest() : pool_(google::protobuf::DescriptorPool::generated_pool()) {
    (void)v1::FieldRule::descriptor();  // links the file that this one imports
    google::protobuf::FileDescriptorProto file;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kFile, &file));
    descriptor_ = pool_.BuildFile(file)->FindMessageTypeByName("Sample");
    message_.reset(factory_.GetPrototype(descriptor_)->New());
  }

  // What the command line makes of the message, as text; else the error.
  std::string Read(std::vector<std::string> arguments) {
    CLI::App app;
    SpecFlags flags(app, *descriptor_);
    std::reverse(arguments.begin(), arguments.end());
    try {
      app.parse(arguments);
    } catch (const CLI::Error& error) {
      return error.what();
    }
    const Result<std::string> json = flags.Json();
    Status status = json.status();
    if (status.ok()) status = ReadJson(*json, *message_);
    if (status.ok()) status = CheckRules(*message_);
    return status.ok() ? message_->ShortDebugString() : std::string(status.message());
  }

  std::string Help() {
    CLI::App app;
    const SpecFlags flags(app, *descriptor_);
    return app.help();
  }

  google::protobuf::DescriptorPool pool_;
  google::protobuf::DynamicMessageFactory factory_;
  const google::protobuf::Descriptor* descriptor_ = nullptr;
  std::unique_ptr<Message> message_;
};

TEST_F(SpecFlagsTest, EachFieldIsAnOption) {
  EXPECT_EQ(Read({"--streams", "8", "--total-bytes", "500000000000", "--rate", "1.5", "--cleanup",
                  "--mode", "write", "--names", "a", "--names", "b"}),
            "streams: 8 total_bytes: 500000000000 rate: 1.5 cleanup: true mode: \"write\" "
            "names: \"a\" names: \"b\"");
}

TEST_F(SpecFlagsTest, AFlagCanBeSaidToBeFalse) {
  EXPECT_EQ(Read({"--cleanup=false"}), "cleanup: false");
}

TEST_F(SpecFlagsTest, NothingGivenIsTheEmptySpec) { EXPECT_EQ(Read({}), ""); }

TEST_F(SpecFlagsTest, OptionsOverrideTheSpecInOnePiece) {
  EXPECT_EQ(Read({R"({"streams": 2, "mode": "read"})", "--streams", "9"}),
            "streams: 9 mode: \"read\"");
}

TEST_F(SpecFlagsTest, TheLastOfSeveralValuesHolds) {
  EXPECT_EQ(Read({"--streams", "2", "--streams", "3"}), "streams: 3");
}

TEST_F(SpecFlagsTest, RulesAreThoseOfTheMessage) {
  EXPECT_EQ(Read({"--streams", "129"}), "streams: 129 is not from 1 to 128");
  EXPECT_EQ(Read({"--total-bytes", "1000000000001"}),
            "total-bytes: 1000000000001 is not from 0 to 1000000000000");
  EXPECT_EQ(Read({"--rate", "10.5"}), "rate: 10.5 is not from 0 to 10");
  EXPECT_EQ(Read({"--rate", "-1"}), "rate: -1 is not from 0 to 10");
  EXPECT_EQ(Read({"--rate", "NaN"}), "rate: is not finite");
  EXPECT_EQ(Read({"--mode", "append"}), "mode: 'append' is none of read, write");
}

TEST_F(SpecFlagsTest, WhatIsNoSpecIsRefused) {
  EXPECT_EQ(Read({"[1]"}), "spec: is no JSON object");
  EXPECT_EQ(Read({"{"}), "spec: is no JSON object");
  EXPECT_THAT(Read({"--streams", "many"}), HasSubstr("many"));
  EXPECT_THAT(Read({R"({"sterams": 2})"}), HasSubstr("sterams"));
  EXPECT_THAT(Read({"--sterams", "2"}), HasSubstr("sterams"));
}

TEST_F(SpecFlagsTest, HelpSaysWhatTheRulesSay) {
  EXPECT_THAT(Help(), HasSubstr("connections at once (1..128, default 4)"));
  EXPECT_THAT(Help(), HasSubstr("(read|write)"));
  EXPECT_THAT(Help(), HasSubstr("(0..1000000000000, bytes)"));
}

// ---- options of some fields

class FieldOptionsTest : public SpecFlagsTest {
 protected:
  std::string Given(const std::vector<std::string>& arguments) {
    CLI::App app("", "test");
    constexpr std::string_view kFields[] = {"streams", "rate", "mode", "names"};
    AddFieldOptions(app, kFields, *message_);
    std::vector<const char*> words = {"test"};
    for (const std::string& argument : arguments) words.push_back(argument.c_str());
    testing::internal::CaptureStderr();
    const auto code = ParseCommandLine(app, static_cast<int>(words.size()), words.data());
    const std::string error = testing::internal::GetCapturedStderr();
    if (!code) return message_->ShortDebugString();
    const std::size_t start = std::string_view("test: ").size();
    return error.substr(start, error.rfind(" (try --help)") - start);
  }
};

TEST_F(FieldOptionsTest, WhatIsGivenIsSet) {
  EXPECT_EQ(
      Given({"--streams", "8", "--rate=0.25", "--mode", "read", "--names", "a", "--names=-b"}),
      "streams: 8 rate: 0.25 mode: \"read\" names: \"a\" names: \"-b\"");
}

TEST_F(FieldOptionsTest, OtherFieldsHaveNone) {
  EXPECT_THAT(Given({"--cleanup"}), HasSubstr("cleanup"));
  EXPECT_EQ(Given({}), "");
}

TEST_F(FieldOptionsTest, AValueThatBreaksTheRuleIsNamedWithItsOption) {
  EXPECT_EQ(Given({"--streams", "129"}), "--streams: 129 is not from 1 to 128");
  EXPECT_EQ(Given({"--mode", "append"}), "--mode: 'append' is none of read, write");
  EXPECT_EQ(Given({"--rate", "nan"}), "--rate: is not finite");
  EXPECT_EQ(Given({"--streams", "many"}), "--streams: 'many' is not a whole number 1..128");
  EXPECT_EQ(Given({"--rate", ""}), "--rate: '' is not a number 0..10");
}

TEST_F(FieldOptionsTest, ArgumentsGiveTheSameMessageBack) {
  const char* const all[] = {"--streams=8", "--rate=0.123456789012345", "--mode=read",
                             "--names=[x]", "--names=-y"};
  const std::string text = Given({std::begin(all), std::end(all)});
  EXPECT_EQ(FieldArguments(*message_), (std::vector<std::string>{std::begin(all), std::end(all)}));
  const auto arguments = FieldArguments(*message_);
  message_->Clear();
  EXPECT_EQ(Given(arguments), text);
}

TEST_F(FieldOptionsTest, ErrorsAboutFieldsBecomeErrorsAboutOptions) {
  EXPECT_EQ(OptionError(*descriptor_, Wrong("mode", "is odd")).message(), "--mode: is odd");
  EXPECT_EQ(OptionError(*descriptor_, Wrong("else", "is odd")).message(), "else: is odd");
  EXPECT_TRUE(OptionError(*descriptor_, absl::OkStatus()).ok());
}

}  // namespace
}  // namespace twofold::suite
