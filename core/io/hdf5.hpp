// HDF5 for the .cpp files of io/: handles that close themselves and calls that throw.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace xp::hdf5 {

/// Throws an Error of kind failure that names what was tried and HDF5's own reason.
[[noreturn]] void fail(const std::string& what);

/// The result of a call that gives a negative number on failure.
template <class T>
T check(T result, const std::string& what) {
  if (result < 0) fail(what);
  return result;
}

/// An open HDF5 object.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close_with, const std::string& what)
      : id_(check(id, what)), close_(close_with) {}
  Handle(Handle&& other) noexcept { *this = std::move(other); }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  /// Closes now, so that a failure is seen.
  void close(const std::string& what) {
    const hid_t id = std::exchange(id_, -1);
    if (id >= 0) check(close_(id), what);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Where the values of a contiguous dataset lie in its file.
struct Place {
  std::int64_t offset = 0, bytes = 0;
};

/// Creates a dataset whose place in the file is fixed, and which HDF5 does not fill with anything.
Handle create_dataset(hid_t parent, const std::string& name, hid_t type,
                      const std::vector<hsize_t>& shape);
Place place_of(hid_t dataset);
Handle open_file(const std::string& path);  ///< to read
Handle create_group(hid_t parent, const std::string& name);
/// Creates a contiguous dataset and writes all of it. An empty shape is a scalar.
std::pair<Handle, Place> write_dataset(hid_t parent, const std::string& name, hid_t file_type,
                                       hid_t memory_type, const std::vector<hsize_t>& shape,
                                       const void* data);
/// A text in a dataset, where an attribute would be limited to 64 kB.
Place write_text(hid_t parent, const std::string& name, const std::string& text);

/// Texts are of fixed length and UTF-8.
void write_attribute(hid_t object, const char* name, const std::string& value);
void write_attribute(hid_t object, const char* name, const std::vector<std::string>& values);
void write_attribute(hid_t object, const char* name, double value);
void write_attribute(hid_t object, const char* name, const std::vector<double>& values);
void write_attribute_ascii(hid_t object, const char* name, const std::string& value);
void write_attribute_integers(hid_t object, const char* name, const std::vector<long long>& values);
void write_attribute_unsigned(hid_t object, const char* name, unsigned value);

/// The attribute as text whatever its type, for listings; empty when there is none.
std::string attribute_text(hid_t object, const char* name);

}  // namespace xp::hdf5
