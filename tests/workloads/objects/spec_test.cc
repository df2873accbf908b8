#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <string>

#include "suites/object_storage/object_storage.h"

namespace twofold::suite::object_storage {
namespace {

std::string WhyNot(const std::string& json) {
  return std::string(ReadSpec(json).status().message());
}

// All options of aisloader but --version, which all programs have: of today, and of its charts of
// 2020.
constexpr const char* kOptionsOfAisloader[] = {"usage",
                                               "quiet",
                                               "timeout",
                                               "ip",
                                               "port",
                                               "tokenfile",
                                               "randomproxy",
                                               "s3endpoint",
                                               "s3profile",
                                               "s3-use-path-style",
                                               "bucket",
                                               "provider",
                                               "bprops",
                                               "duration",
                                               "numworkers",
                                               "pctput",
                                               "pctupdate",
                                               "maxputs",
                                               "totalputsize",
                                               "epochs",
                                               "perm-shuffle-max",
                                               "seed",
                                               "readertype",
                                               "tmpdir",
                                               "minsize",
                                               "maxsize",
                                               "cksum-type",
                                               "verifyhash",
                                               "arch.pct",
                                               "arch.format",
                                               "arch.num-files",
                                               "arch.minsize",
                                               "arch.maxsize",
                                               "arch.prefix",
                                               "arch.list",
                                               "subdir",
                                               "num-subdirs",
                                               "randomname",
                                               "filelist",
                                               "skiplist",
                                               "readoff",
                                               "readlen",
                                               "get-batchsize",
                                               "cont-on-err",
                                               "latest",
                                               "cached",
                                               "list-dirs",
                                               "nbi",
                                               "evict-batchsize",
                                               "multipart-chunks",
                                               "pctmultipart",
                                               "pctmpdstream",
                                               "mpdstream-workers",
                                               "mpdstream-chunk-size",
                                               "etl",
                                               "etl-spec",
                                               "loaderid",
                                               "loadernum",
                                               "loaderidhashlen",
                                               "getloaderid",
                                               "statsinterval",
                                               "stats-output",
                                               "json",
                                               "statsdip",
                                               "statsdport",
                                               "statsdprobe",
                                               "cleanup",
                                               "dry-run",
                                               "stoppable",
                                               "trace-http",
                                               "uniquegets",
                                               "putshards",
                                               "check-statsd",
                                               "batchsize",
                                               "use-https",
                                               "getconfig"};

TEST(ObjectStorageSpec, EachOptionOfAisloaderIsTakenOrRefusedWithAReason) {
  const auto& message = *v1::suites::ObjectStorageSpec::descriptor();
  for (const std::string name : kOptionsOfAisloader) {
    bool taken = false;
    for (int i = 0; i < message.field_count(); ++i) {
      taken = taken || message.field(i)->json_name() == name;
    }
    const std::string why = WhyNot(R"({"bucket": "b", ")" + name + R"(": "1"})");
    const bool refused = why.starts_with(name + ": not taken: ") && why.size() > name.size() + 20;
    EXPECT_NE(taken, refused) << name << ": " << why;
  }
}

TEST(ObjectStorageSpec, SizesArePowersOf1024) {
  EXPECT_EQ(*ParseSize("f", "64K"), 65536U);
  EXPECT_EQ(*ParseSize("f", "64KiB"), 65536U);
  EXPECT_EQ(*ParseSize("f", "64KB"), 65536U);
  EXPECT_EQ(*ParseSize("f", "7"), 7U);
  EXPECT_EQ(*ParseSize("f", "7B"), 7U);
  EXPECT_EQ(*ParseSize("f", "2T"), std::uint64_t{2} << 40);
  EXPECT_FALSE(ParseSize("f", "99999999999T").ok());
}

TEST(ObjectStorageSpec, SizesThatAreHalfOnesAreRefused) {
  for (const char* size : {"1.5M", "64k", "64 K", "K", "1Mi", "0x10", "-1", "1M2", ""}) {
    EXPECT_NE(WhyNot(R"({"bucket": "b", "minsize": ")" + std::string(size) + "\"}"), "") << size;
  }
}

TEST(ObjectStorageSpec, TimesAreThoseOfAllFiles) {
  for (const char* time : {"1h30m", "500ms", "7", "0"}) {
    EXPECT_EQ(WhyNot(absl::StrCat(R"({"bucket": "b", "duration": ")", time, "\"}")), "") << time;
  }
  EXPECT_EQ(WhyNot(R"({"bucket": "b", "duration": "PT1H"})"),
            "duration: 'PT1H' is no time such as 30s or 1h30m, nor 0");
  EXPECT_EQ(WhyNot(R"({"bucket": "b", "timeout": "0s"})"),
            "timeout: '0s' is no time such as 30s or 1h30m");
}

TEST(ObjectStorageSpec, OneSizeThatIsGivenIsTheOtherToo) {
  EXPECT_EQ(ReadSpec(R"({"bucket": "b", "minsize": "4K"})")->maxsize(), "4K");
  EXPECT_EQ(ReadSpec(R"({"bucket": "b", "maxsize": "2M"})")->minsize(), "2M");
}

TEST(ObjectStorageSpec, IsRefusedWithTheFieldAndTheFix) {
  struct Case {
    const char* json;
    const char* why;
  };
  for (const Case& one :
       {Case{"{}", "bucket: is missing"},
        Case{R"({"bucket": "b", "pctput": 80, "pcthead": 30})", "pctput: with pcthead"},
        Case{R"({"bucket": "b", "pctput": 5, "pctdelete": 10})", "pctdelete: is more than"},
        Case{R"({"bucket": "b", "pctput": 100, "pctupdate": 10})", "pctupdate: there are no"},
        Case{R"({"bucket": "b", "minsize": "2M", "maxsize": "1M"})", "minsize: 2M is more"},
        Case{R"({"bucket": "b", "pctput": 9, "pctmultipart": 5})", "pctmultipart: needs multi"},
        Case{R"({"bucket": "b", "pctput": 100, "epochs": 1})", "epochs: there are no reads"},
        Case{R"({"bucket": "b", "epochs": 1, "uniquegets": false})", "epochs: needs uniquegets"},
        Case{R"({"bucket": "b", "verifyhash": true, "readlen": "4K"})", "verifyhash: checksums"},
        Case{R"({"bucket": "b", "loaderid": "4", "nodecount": 4})", "loaderid: 4 is not less"},
        Case{R"({"bucket": "b", "loaderid": "x"})", "loaderid: is a number"},
        Case{R"({"bucket": "b", "etl": "md5"})", "etl: not taken"},
        Case{R"({"bucket": "s3://b/data/x", "protocol": "s3"})",
             "bucket: 's3://b/data/x' has a folder in it: write bucket b and subdir data/x"},
        Case{R"({"bucket": "s3://"})", "bucket: 's3://' names none"},
        Case{R"({"bucket": "http://host/b"})", "bucket: 'http://host/b' is no name"},
        Case{R"({"bucket": "a b"})", "bucket: 'a b' has more than"},
        Case{R"({"bucket": "gs://b", "provider": "aws"})", "provider: aws is not that of gs://b"},
        Case{R"({"bucket": "b", "numworkers": 0})", "numworkers: 0 is not from 1"}}) {
    EXPECT_TRUE(WhyNot(one.json).starts_with(one.why)) << one.json << ": " << WhyNot(one.json);
  }
}

TEST(ObjectStorageSpec, AUriOfABucketSaysItsNameAndItsProvider) {
  EXPECT_EQ(ReadSpec(R"({"bucket": "s3://b/", "protocol": "s3"})")->bucket(), "b");
  EXPECT_EQ(ReadSpec(R"({"bucket": "s3://b"})")->provider(), "aws");
  EXPECT_EQ(ReadSpec(R"({"bucket": "ais://b/"})")->bucket(), "b");
  EXPECT_EQ(ReadSpec(R"({"bucket": "dav/b/", "protocol": "http"})")->bucket(), "dav/b");
}

TEST(ObjectStorageSpec, AnotherLimitMakesTheDurationUnlimited) {
  EXPECT_GT(TimeOf(ReadSpec(R"({"bucket": "b", "epochs": 1})")->duration()),
            Duration(std::chrono::hours(1000)));
  EXPECT_EQ(ReadSpec(R"({"bucket": "b", "epochs": 1, "duration": "5s"})")->duration(), "5s");
}

}  // namespace
}  // namespace twofold::suite::object_storage
