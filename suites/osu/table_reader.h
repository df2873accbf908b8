#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/suite/parsing.h"
#include "suites/osu/sections.h"

namespace twofold::suite::osu {

/// One table of a test; a test has one for each datatype, and osu_mbw_mr -V one for each window.
struct Table {
  std::string datatype;  ///< "MPI_INT"; empty: the test does not say
  std::string window;    ///< window size of osu_mbw_mr -V; else empty
  SizeTable data;        ///< without columns of validation
};

/// What a test has printed.
struct Report {
  std::string version;  ///< "7.4"
  std::vector<Table> tables;
  std::vector<Measurement> single;  ///< osu_init
  bool hello = false;               ///< osu_hello has said its sentence
  std::string failure = {};         ///< a validation that failed
};

/// Errors   kDataLoss: a row or a heading that is cut off or not understood.
Result<Report> ReadReport(const Section& section);

}  // namespace twofold::suite::osu
