#pragma once

namespace twofold::results {

/// The steps of the schema that have a file of their own; see AllMigrations.
extern const char* const kRunsAndMeasurements;

}  // namespace twofold::results
