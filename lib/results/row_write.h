#pragma once

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <string>
#include <vector>

#include "lib/results/columns.h"

namespace twofold::results {

/// A change of one row, or of many rows at once, made of the names of columns.
///
/// An engine may gather the rows of a transaction's writes and send them together: what deletes
/// first, then what inserts, then what updates. REQUIRES: a transaction that writes a row more than
/// once does so in this order, and no write depends on how many rows another one has changed,
/// beyond what Counted says.
struct RowWrite {
  enum class Kind { kDelete, kInsert, kUpdate };

  Kind kind;
  std::string one;   ///< "INSERT INTO live (id, attempts) VALUES (?, ?)"
  std::string many;  ///< "INSERT INTO live (id, attempts) SELECT unnest(?), unnest(?)": arrays
  /// Who writes looks how many rows have changed and expects one: an engine that gathers makes
  /// sure of it, and takes the transaction back if not.
  bool is_counted = false;

  [[nodiscard]] RowWrite Counted() const {
    RowWrite counted = *this;
    counted.is_counted = true;
    return counted;
  }

  /// Inserts no row that is there already, which changes none. Who gathers takes it for new: a row
  /// that is not takes the transaction back, as if it were Counted. REQUIRES: one unique column.
  [[nodiscard]] RowWrite IfNew() const {
    RowWrite if_new = *this;
    if_new.one += " ON CONFLICT DO NOTHING";
    return if_new;
  }

  /// What becomes of rows that are there already: " ON CONFLICT DO NOTHING".
  [[nodiscard]] RowWrite With(const std::string& conflict) const {
    RowWrite with = *this;
    with.one += conflict;
    with.many += conflict;
    return with;
  }
};

/// "?, ?, ?"
inline std::string Marks(std::size_t count) {
  return absl::StrJoin(std::vector<const char*>(count, "?"), ", ");
}

/// The keys, then the columns. The arrays are as long as each other; read by one unnest(?, ?) they
/// would pass through a table of their own, which takes a third of an insert's time.
RowWrite InsertInto(const std::string& table, std::vector<std::string> names,
                    const auto&... columns) {
  const std::vector<std::string> more = NamesOf(columns...);
  names.insert(names.end(), more.begin(), more.end());
  const std::string insert =
      absl::StrCat("INSERT INTO ", table, " (", absl::StrJoin(names, ", "), ") ");
  const std::vector<const char*> arrays(names.size(), "unnest(?)");
  return {.kind = RowWrite::Kind::kInsert,
          .one = absl::StrCat(insert, "VALUES (", Marks(names.size()), ")"),
          .many = absl::StrCat(insert, "SELECT ", absl::StrJoin(arrays, ", "))};
}

/// Sets the columns of the row with this `id`, which comes last among the parameters. `always` is
/// set beside them: ", node = NULL".
inline RowWrite Update(const std::string& table, const std::vector<std::string>& names,
                       const std::string& always = "") {
  const auto set = [&](const std::string& from) {
    return absl::StrJoin(names, ", ", [&](std::string* out, const std::string& name) {
      absl::StrAppend(out, name, " = ", from, from == "?" ? "" : name);
    });
  };
  return {.kind = RowWrite::Kind::kUpdate,
          .one = absl::StrCat("UPDATE ", table, " SET ", set("?"), always, " WHERE id = ?"),
          .many = absl::StrCat("UPDATE ", table, " SET ", set("given."), always, " FROM unnest(",
                               Marks(names.size() + 1), ") AS given(", absl::StrJoin(names, ", "),
                               ", id) WHERE ", table, ".id = given.id")};
}

/// Deletes the rows whose `column` has this number.
inline RowWrite DeleteFrom(const std::string& table, const std::string& column) {
  const std::string where = absl::StrCat("DELETE FROM ", table, " WHERE ", column, " = ");
  return {.kind = RowWrite::Kind::kDelete, .one = where + "?", .many = where + "ANY(?)"};
}

}  // namespace twofold::results
