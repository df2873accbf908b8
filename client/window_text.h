#pragma once

#include <string>
#include <string_view>

#include "lib/stats/measured_window.h"

/// The shape of a measured window as text that needs no escape in a URL. Pure.
namespace twofold::client {

/// What parts and workers did, beside the numbers of the window: 506 letters. Parts are exact to
/// 1/8190 of the largest one, and so is each sum of them; variances to 0.6 %. Empty if the window
/// is not known.
std::string ShapeText(const stats::MeasuredWindow& window);

/// Fills in what ShapeText wrote, for a window that did `done` jobs. An empty text is of a window
/// whose workers did the same all the time. False, and nothing is changed: it is no such text.
bool ReadShape(std::string_view text, double done, stats::MeasuredWindow& window);

}  // namespace twofold::client
