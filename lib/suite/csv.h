#pragma once

#include <string>
#include <string_view>

#include "lib/suite/measurements.h"

namespace twofold::suite {

/// The heading of the rows below.
std::string CsvHeading();

/// One line a number, the cells of series too: what a row goes by is one dimension more there.
///   source,name,value,unit,better,headline,dimensions,at
///   a.json,throughput,13.9,Gbit/s,higher,1,direction=forward,
/// `source` is any text, such as the name of the file.
std::string CsvRows(std::string_view source, const Measurements& result);

}  // namespace twofold::suite
