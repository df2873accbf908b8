#include "lib/results/postgres_sql.h"

#include <gtest/gtest.h>

#include "lib/results/row_write.h"

namespace twofold::results {
namespace {

TEST(WithDollars, ParametersCountUp) {
  EXPECT_EQ(WithDollars("INSERT INTO t VALUES (?, ?)"), "INSERT INTO t VALUES ($1, $2)");
  EXPECT_EQ(WithDollars("a = ?3 AND b IN (?, ?) LIMIT ?2"), "a = $3 AND b IN ($4, $5) LIMIT $2");
}

TEST(WithDollars, TextsStayAsTheyAre) {
  EXPECT_EQ(WithDollars("a = '?' AND b = 'it''s ?' AND c = ?"),
            "a = '?' AND b = 'it''s ?' AND c = $1");
}

TEST(Storable, TextThatIsUtf8WithoutNulIsNotCopied) {
  std::string buffer;
  for (const std::string text : {"", "plain", "\u00fc\u2192\U0001F600"}) {
    EXPECT_EQ(Storable(text, buffer).data(), text.data());
  }
}

TEST(Storable, EachNulAndEachInvalidByteIsReplaced) {
  std::string buffer;
  EXPECT_EQ(Storable(std::string("a\0b", 3), buffer), "a\ufffdb");
  EXPECT_EQ(Storable(std::string("\0\xff\xfe", 3), buffer), "\ufffd\ufffd\ufffd");
  EXPECT_EQ(Storable("\xc3\xbc\xc3", buffer), "\u00fc\ufffd");
}

TEST(RowWrite, IsForOneRowOrForArraysOfMany) {
  const RowWrite insert = InsertInto("t", {"a", "b"}).With(" ON CONFLICT DO NOTHING");
  EXPECT_EQ(insert.one, "INSERT INTO t (a, b) VALUES (?, ?) ON CONFLICT DO NOTHING");
  EXPECT_EQ(insert.many, "INSERT INTO t (a, b) SELECT unnest(?), unnest(?) ON CONFLICT DO NOTHING");
  const RowWrite if_new = InsertInto("t", {"a"}).IfNew();
  EXPECT_EQ(if_new.one, "INSERT INTO t (a) VALUES (?) ON CONFLICT DO NOTHING");
  EXPECT_EQ(if_new.many, "INSERT INTO t (a) SELECT unnest(?)") << "a row that is there is an error";
  const RowWrite update = Update("t", {"a", "b"}, ", c = NULL");
  EXPECT_EQ(update.one, "UPDATE t SET a = ?, b = ?, c = NULL WHERE id = ?");
  EXPECT_EQ(update.many,
            "UPDATE t SET a = given.a, b = given.b, c = NULL FROM unnest(?, ?, ?)"
            " AS given(a, b, id) WHERE t.id = given.id");
  const RowWrite gone = DeleteFrom("t", "a");
  EXPECT_EQ(gone.one, "DELETE FROM t WHERE a = ?");
  EXPECT_EQ(gone.many, "DELETE FROM t WHERE a = ANY(?)");
}

}  // namespace
}  // namespace twofold::results
