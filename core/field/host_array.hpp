// A field's values on the host, on their way into a file.
#pragma once

#include <cstdint>

#include <xp/runtime/backend.hpp>

namespace xp {

/// A field's own cells on the host, (z, y, x) without gaps, in the run's precision. A view: valid
/// until its owner is asked for the next one.
struct HostArray {
  Precision precision = Precision::double_;
  const void* data = nullptr;
  std::int64_t count = 0;

  double operator[](std::int64_t n) const {
    return precision == Precision::double_
               ? static_cast<const double*>(data)[n]
               : static_cast<double>(static_cast<const float*>(data)[n]);
  }
};

}  // namespace xp
