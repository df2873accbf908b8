#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/common/result.h"

namespace twofold {

/// A table out of CSV (RFC 4180): the first line names the columns. Lines that are empty, have
/// empty fields alone or begin with '#' count for nothing, nor do blanks around a field without
/// quotes. What Excel writes is taken, too: a byte order mark, ends of lines of any system, and
/// semicolons or tabs instead of commas, which the first line shows, or a line "sep=;" before it
/// says. The apostrophe that CsvText
/// puts in front of a text is taken away.
struct Csv {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as `columns`
  std::vector<std::size_t> lines;              ///< where each row begins, from 1
  char separator = ',';

  /// Errors   kInvalidArgument: a quote that does not end, a row of another length, a column that
  ///          is there twice, text that is not UTF-8 (as "Unicode text" of Excel), no line at all.
  static Result<Csv> Parse(const std::string& text);

  /// The place of a column.
  /// Errors   kInvalidArgument: there is none of that name; says which there are.
  [[nodiscard]] Result<std::size_t> Column(const std::string& name) const;
};

/// `text` as the content of a field that a spreadsheet shows and does not run. A spreadsheet takes
/// a text that begins with = + - @, a tab or a carriage return for a formula, whoever has written
/// it; an apostrophe in front makes it a text. Numbers stay as they are.
std::string CsvText(const std::string& text);

}  // namespace twofold
