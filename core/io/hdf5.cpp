#include <xp/io/hdf5.hpp>

#include <algorithm>

#include <xp/runtime/error.hpp>

namespace xp::hdf5 {
namespace {

herr_t keep_deepest(unsigned, const H5E_error2_t* error, void* text) {
  *static_cast<std::string*>(text) = error->desc ? error->desc : "";
  return 0;
}

Handle scalar_space() {
  return {H5Screate(H5S_SCALAR), H5Sclose, "create a dataspace"};
}

Handle simple_space(std::size_t count) {
  const hsize_t size = count;
  return {H5Screate_simple(1, &size, nullptr), H5Sclose, "create a dataspace"};
}

Handle text_type(std::size_t length, H5T_cset_t characters = H5T_CSET_UTF8) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "create a text type");
  check(H5Tset_size(type, length > 0 ? length : 1), "set the length of a text type");
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "set the padding of a text type");
  check(H5Tset_cset(type, characters), "set the characters of a text type");
  return type;
}

void write(hid_t object, const char* name, hid_t file_type, hid_t memory_type, hid_t space,
           const void* data) {
  const std::string what = std::string("write the attribute '") + name + "'";
  Handle attribute(H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                   what);
  check(H5Awrite(attribute, memory_type, data), what);
}

}  // namespace

void fail(const std::string& what) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_deepest, &reason);
  // Walking upward ends at the outermost call; the innermost description says more.
  std::string deepest;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_deepest, &deepest);
  if (deepest.empty()) deepest = reason;
  throw Error(ErrorKind::failure,
              "HDF5 could not " + what + (deepest.empty() ? "" : ": " + deepest));
}

Handle create_dataset(hid_t parent, const std::string& name, hid_t type,
                      const std::vector<hsize_t>& shape) {
  const std::string what = "create the dataset '" + name + "'";
  Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose,
               what);
  Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what);
  check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), what);
  check(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), what);
  check(H5Pset_obj_track_times(creation, false), what);
  return {H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
          H5Dclose, what};
}

Place place_of(hid_t dataset) {
  const haddr_t offset = H5Dget_offset(dataset);
  if (offset == HADDR_UNDEF) fail("place a dataset");
  return {static_cast<std::int64_t>(offset),
          static_cast<std::int64_t>(H5Dget_storage_size(dataset))};
}

Handle open_file(const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open '" + path + "'"};
}

Handle create_group(hid_t parent, const std::string& name) {
  const std::string what = "create the group '" + name + "'";
  Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, what);
  check(H5Pset_obj_track_times(creation, false), what);
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose, what};
}

std::pair<Handle, Place> write_dataset(hid_t parent, const std::string& name, hid_t file_type,
                                       hid_t memory_type, const std::vector<hsize_t>& shape,
                                       const void* data) {
  Handle dataset = create_dataset(parent, name, file_type, shape);
  check(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data),
        "write the dataset '" + name + "'");
  const Place place = place_of(dataset);
  return {std::move(dataset), place};
}

Place write_text(hid_t parent, const std::string& name, const std::string& text) {
  const Handle type = text_type(text.size());
  return write_dataset(parent, name, type, type, {}, text.c_str()).second;
}

void write_attribute(hid_t object, const char* name, const std::string& value) {
  const Handle type = text_type(value.size());
  write(object, name, type, type, scalar_space(), value.c_str());
}

void write_attribute(hid_t object, const char* name, const std::vector<std::string>& values) {
  std::size_t longest = 1;
  for (const std::string& value : values) longest = std::max(longest, value.size());
  std::string padded;
  for (const std::string& value : values)
    padded += value + std::string(longest - value.size(), '\0');
  const Handle type = text_type(longest);
  write(object, name, type, type, simple_space(values.size()), padded.data());
}

void write_attribute(hid_t object, const char* name, double value) {
  write(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, scalar_space(), &value);
}

void write_attribute(hid_t object, const char* name, const std::vector<double>& values) {
  write(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, simple_space(values.size()),
        values.data());
}

void write_attribute_ascii(hid_t object, const char* name, const std::string& value) {
  const Handle type = text_type(value.size(), H5T_CSET_ASCII);
  write(object, name, type, type, scalar_space(), value.c_str());
}

void write_attribute_integers(hid_t object, const char* name,
                              const std::vector<long long>& values) {
  write(object, name, H5T_STD_I64LE, H5T_NATIVE_LLONG, simple_space(values.size()), values.data());
}

void write_attribute_unsigned(hid_t object, const char* name, unsigned value) {
  write(object, name, H5T_STD_U32LE, H5T_NATIVE_UINT, scalar_space(), &value);
}

std::string attribute_text(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return {};
  Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, "open an attribute");
  Handle type(H5Aget_type(attribute), H5Tclose, "read an attribute's type");
  Handle space(H5Aget_space(attribute), H5Sclose, "read an attribute's shape");
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  std::string text;
  if (H5Tget_class(type) == H5T_STRING) {
    if (H5Tis_variable_str(type) > 0) return {};
    text.resize(H5Tget_size(type) * count);
    check(H5Aread(attribute, type, text.data()), "read an attribute");
    return text.substr(0, text.find_last_not_of('\0') + 1);
  }
  std::vector<double> values(count);
  check(H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()), "read an attribute");
  for (const double value : values) {
    char number[32];
    std::snprintf(number, sizeof number, "%.17g", value);
    text += (text.empty() ? "" : ", ") + std::string(number);
  }
  return text;
}

}  // namespace xp::hdf5
