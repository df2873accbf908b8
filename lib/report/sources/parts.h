#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/document/document.h"
#include "lib/show/quantity.h"

/// What reports of all kinds say in the same way.
namespace twofold::report {

/// "12.3 ms"; "-" of what is not known.
std::string Value(std::optional<double> value, const std::string& unit = "");

/// "1.97 to 2.01"; "-" unless both ends are known.
std::string Interval(std::optional<double> lower, std::optional<double> upper,
                     const std::string& unit = "");

/// "0.21 s (0.2 s to 0.24 s)"; without the interval where one of its ends is not known.
show::Cell WithInterval(const show::Quantity& value, const show::Quantity& lower,
                        const show::Quantity& upper, const char* bracket = " (");

/// "1 job", "3 jobs".
std::string Count(std::uint64_t count, const std::string& what);

/// A command as a shell reads it: words with other than plain characters are quoted.
std::string CommandLine(const std::vector<std::string>& argv);

/// A field of a message that may be absent: Known(step.has_ratio(), step.ratio()).
std::optional<double> Known(bool has, double value);

/// The colour of the n-th of several: grey, the last, is for what stands behind.
Colour ColourOf(std::size_t number);

/// What can be drawn at least: a picture of one panel.
Picture PictureOf(std::string name, Panel panel, std::string caption, double height = 220);

// To a section what there is: tables with rows, pictures.
void Add(Table table, Section& section);
void Add(std::optional<Picture> picture, Section& section);
void Add(std::vector<Picture> pictures, Section& section);

}  // namespace twofold::report
