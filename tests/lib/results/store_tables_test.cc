#include "lib/results/store_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lib/results/row_digest.h"

namespace twofold::results {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;

const Table& Named(const std::vector<Table>& tables, const std::string& name) {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table& table) { return table.name == name; });
  if (found == tables.end()) throw std::runtime_error("there is no table " + name);
  return *found;
}

TEST(TablesOfStore, AreThoseOfTheSchemaWithTheirColumns) {
  const std::vector<Table> tables = TablesOfStore();
  std::vector<std::string> names;
  for (const Table& table : tables) names.push_back(table.name);
  EXPECT_THAT(names, IsSupersetOf({"job", "live", "member", "ended", "queue", "run", "measured"}));
  const Table& measured = Named(tables, "measured");
  EXPECT_EQ(measured.ColumnList(), "job, number, metric, value, at");
  std::vector<Kind> kinds;
  for (const TableColumn& column : measured.columns) kinds.push_back(column.kind);
  EXPECT_THAT(
      kinds, ElementsAre(Kind::kInteger, Kind::kInteger, Kind::kInteger, Kind::kReal, Kind::kText));
  EXPECT_EQ(Named(tables, "job").columns[6].kind, Kind::kBytes);
}

TEST(TablesOfStore, SayWhichRowsANewStoreHas) {
  const std::vector<Table> tables = TablesOfStore();
  EXPECT_EQ(Named(tables, "job").rows_of_new_store, 0);
  EXPECT_EQ(Named(tables, "run").rows_of_new_store, 1);
  EXPECT_EQ(Named(tables, "outcome").rows_of_new_store, 7);
}

RowDigest DigestOf(const std::vector<std::vector<Value>>& rows) {
  RowDigest digest;
  for (const auto& row : rows) digest.Add(row);
  return digest;
}

TEST(RowDigest, OrderDoesNotCount) {
  const std::vector<Value> first = {std::int64_t{1}, "a"};
  const std::vector<Value> second = {std::int64_t{2}, "b"};
  EXPECT_EQ(DigestOf({first, second}), DigestOf({second, first}));
  EXPECT_EQ(DigestOf({first, second}).Hex(), DigestOf({second, first}).Hex());
  EXPECT_THAT(DigestOf({first}).Hex(), SizeIs(32));
}

TEST(RowDigest, EverythingElseDoes) {
  const std::vector<std::vector<std::vector<Value>>> different = {
      {},
      {{std::int64_t{0}}},
      {{std::int64_t{0}}, {std::int64_t{0}}},
      {{0.0}},
      {{std::monostate()}},
      {{""}},
      {{"a", "bc"}},
      {{"ab", "c"}},
      {{"a"}, {"bc"}},
      {{"abc"}},
  };
  for (std::size_t i = 0; i < different.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(DigestOf(different[i]) == DigestOf(different[j])) << i << " and " << j;
    }
  }
}

TEST(RowDigest, SignOfAZeroDoesNotCountAsSqliteDoesNotKeepIt) {
  EXPECT_EQ(DigestOf({{0.0}}), DigestOf({{-0.0}}));
  EXPECT_FALSE(DigestOf({{1.0}}) == DigestOf({{-1.0}}));
}

}  // namespace
}  // namespace twofold::results
