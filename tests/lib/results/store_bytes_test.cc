// What is in the tables, byte for byte: a file of one version of this program is read by others.
// The golden files have a line a row; UPDATE_GOLDEN=1 rewrites them.

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "lib/results/run_copy.h"
#include "lib/results/sqlite_store.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::results {
namespace {

std::vector<std::string> Texts(SQLite::Database& file, const std::string& sql) {
  std::vector<std::string> texts;
  for (SQLite::Statement row(file, sql); row.executeStep();) {
    texts.push_back(row.getColumn(0).getString());
  }
  return texts;
}

/// All rows of all tables: "metric: 1|'throughput'|...", as SQL would write the values.
std::string RowsOf(const std::string& path) {
  SQLite::Database file(path, SQLite::OPEN_READONLY);
  std::string rows;
  for (const std::string& table :
       Texts(file,
             "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN"
             " ('student', 'outcome') ORDER BY name")) {
    const auto columns =
        Texts(file, "SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('" + table + "')");
    const std::string select =
        absl::StrCat("SELECT ", absl::StrJoin(columns, " || '|' || "), " FROM ", table);
    for (const std::string& row : Texts(file, select)) {
      absl::StrAppend(&rows, table, ": ", row, "\n");
    }
  }
  return rows;
}

void ExpectGoldenRows(const std::string& name, const std::string& path) {
  const std::string golden = TWOFOLD_SOURCE "/tests/golden/results/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(golden) << RowsOf(path);
    return;
  }
  std::ostringstream expected;
  expected << std::ifstream(golden).rdbuf();
  EXPECT_EQ(RowsOf(path), expected.str()) << "differs from " << golden;
}

void Fill(SqliteStore& store) {
  JobEnded refused = Ended(5);
  refused.refused = "measurements[0].value is not finite";
  const std::vector<Record> records = {SweepCreated(),
                                       Placed(1, 1, 1, true),
                                       EndedWith(1, FullResult(9)),
                                       Placed(2, 1, 1),
                                       EndedWith(2, FullResult(11)),
                                       Placed(3, 2, 1),
                                       StartedGang(3, 2),
                                       Placed(4, 2, 2),
                                       Started(4),
                                       Placed(5, 2, 3),
                                       refused,
                                       Placed(6, 2, 3),
                                       JobRequeued{5, 6},
                                       Accepted(7, "bare"),
                                       Accepted(8, ""),
                                       EndedWith(8, FullResult(10), queue::Outcome::kFailed),
                                       RunCancelled{"bare", 77},
                                       SequenceUsed{"sleep", 8}};
  ASSERT_EQ(store.Commit(records), absl::OkStatus());
}

TEST(StoreBytes, RowsAreThoseOfEveryProgramOfThisVersion) {
  const TempDir dir;
  const auto store = SqliteStore::Open(dir.Path("jobs.db")).value();
  Fill(*store);
  ExpectGoldenRows("store_rows.txt", store->path());
}

TEST(StoreBytes, ExportHasTheSameRowsUnderNewIds) {
  const TempDir dir;
  const auto store = SqliteStore::Open(dir.Path("jobs.db")).value();
  Fill(*store);
  const auto copy = SqliteStore::Open(dir.Path("copy.db")).value();
  ASSERT_TRUE(CopyRun(*RunReader::Open(store->path()).value(), "sweep", *copy).ok());
  ExpectGoldenRows("export_rows.txt", copy->path());
}

}  // namespace
}  // namespace twofold::results
