#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

namespace twofold::results {

/// Which fields of a message the columns of a table keep. Statements are made of their names, rows
/// are written from a message and read into one.
///
/// Texts, numbers and bytes are as they are; enums are their words. What repeats is JSON, so that
/// `sqlite3` can look into it: a list of texts, an object where each entry is a pair of texts
/// ({"direction":"reverse"}), else a list of objects.
///
/// Threads  Safe.
/// Errors   throws SQLite::Exception for a column that is not as it was written: the file is
///          damaged.
class Columns {
 public:
  /// `fields` are paths with blanks between them, "suite left_out timeline.parsed_ns"; a column has
  /// the name of its field. "at?": the column is empty if the list is, instead of {} or [].
  Columns(const google::protobuf::Descriptor& message, std::string_view fields);

  [[nodiscard]] int size() const { return static_cast<int>(columns_.size()); }

  /// "suite, left_out, parsed_ns"; with `pattern` "$0 = ?" "suite = ?, left_out = ?, ...".
  [[nodiscard]] std::string List(const std::string& pattern = "$0",
                                 const std::string& between = ", ") const;

  /// The same for messages that have the same in all columns, and only for them.
  /// REQUIRES: none of them is a floating-point number.
  [[nodiscard]] std::string Key(const google::protobuf::Message& message) const;

  /// Binds the fields to the parameters from `*index` on, and counts it up.
  void Bind(const google::protobuf::Message& message, SQLite::Statement& statement,
            int* index) const;

  /// Sets the fields to what the columns of `row` have, from `first` on.
  void Read(const SQLite::Statement& row, int first, google::protobuf::Message& message) const;

 private:
  struct Column {
    std::vector<const google::protobuf::FieldDescriptor*> parents = {};
    const google::protobuf::FieldDescriptor* field = nullptr;
    bool is_list = false;
    bool empty_is_nothing = false;

    /// The message within `message` that has the field.
    [[nodiscard]] const google::protobuf::Message& In(
        const google::protobuf::Message& message) const;
  };

  std::vector<Column> columns_;
};

/// Names of columns, each put in place of "$0" in the pattern.
std::string JoinNames(const std::vector<std::string>& names, const std::string& pattern,
                      const std::string& between);

/// "INSERT INTO stage (job, rank, name, argv) VALUES (?, ?, ?, ?)": the keys, then the columns.
template <typename AnyColumns>
std::string InsertSql(const std::string& table, const std::vector<std::string>& keys,
                      const AnyColumns& columns) {
  std::string names;
  std::string values;
  for (const std::string& key : keys) {
    absl::StrAppend(&names, key, ", ");
    values += "?, ";
  }
  return absl::StrCat("INSERT INTO ", table, " (", names, columns.List(), ") VALUES (", values,
                      columns.List("?"), ")");
}

/// Adds to a list of a message what the text of its column has.
/// Errors   throws SQLite::Exception, as Columns::Read.
void ReadList(const std::string& json, const std::string& field,
              google::protobuf::Message& message);

}  // namespace twofold::results
