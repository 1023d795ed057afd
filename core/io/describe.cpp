#include <xp/io/describe.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <xp/io/checkpoint.hpp>
#include <xp/io/files.hpp>
#include <xp/io/hdf5.hpp>
#include <xp/runtime/error.hpp>

namespace xp {
namespace {

std::string listed(const std::string& name, const std::string& value) {
  return fmt::format("  {:<11} {}\n", name, value);
}

std::string describe_snapshot(const std::string& path) {
  if (H5Fis_hdf5(path.c_str()) <= 0)
    throw Error(ErrorKind::input, "'" + path + "' is not an HDF5 file",
                "a snapshot of xpsim ends in .vtkhdf");
  const hdf5::Handle file = hdf5::open_file(path);
  if (H5Lexists(file, "provenance", H5P_DEFAULT) <= 0)
    throw Error(ErrorKind::input, "'" + path + "' is an HDF5 file, but not a snapshot of xpsim");
  const hdf5::Handle provenance(H5Gopen2(file, "provenance", H5P_DEFAULT), H5Gclose,
                                "open a group");
  const std::string step = hdf5::attribute_text(provenance, "step");
  const hdf5::Handle iteration(H5Gopen2(file, ("data/" + step).c_str(), H5P_DEFAULT), H5Gclose,
                               "open the iteration");
  std::string text =
      path + ": snapshot of xpsim " + hdf5::attribute_text(provenance, "version") + "\n";
  const auto line = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) text += listed(name, value);
  };
  line("title", hdf5::attribute_text(file, "title"));
  line("step", step);
  line("time", hdf5::attribute_text(iteration, "time"));
  line("date", hdf5::attribute_text(file, "date"));
  for (const char* name : {"backend", "device", "precision", "ranks", "threads", "kokkos"})
    line(name, hdf5::attribute_text(provenance, name));

  const hdf5::Handle cells(H5Gopen2(file, "VTKHDF/CellData", H5P_DEFAULT), H5Gclose,
                           "open CellData");
  H5G_info_t info;
  hdf5::check(H5Gget_info(cells, &info), "list the fields");
  for (hsize_t n = 0; n < info.nlinks; ++n) {
    char name[256] = "";
    hdf5::check(H5Lget_name_by_idx(cells, ".", H5_INDEX_NAME, H5_ITER_INC, n, name, sizeof name,
                                   H5P_DEFAULT),
                "list the fields");
    const hdf5::Handle dataset(H5Dopen2(cells, name, H5P_DEFAULT), H5Dclose, "open a field");
    const hdf5::Handle space(H5Dget_space(dataset), H5Sclose, "read a field's shape");
    hsize_t shape[3] = {0, 0, 0};
    hdf5::check(H5Sget_simple_extent_dims(space, shape, nullptr), "read a field's shape");
    std::vector<double> values(shape[0] * shape[1] * shape[2]);
    hdf5::check(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
                "read a field");
    double low = values.empty() ? 0 : values[0], high = low;
    for (const double value : values) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
    char range[160];
    std::snprintf(range, sizeof range, "(%llu, %llu, %llu) from %.8g to %.8g",
                  static_cast<unsigned long long>(shape[0]),
                  static_cast<unsigned long long>(shape[1]),
                  static_cast<unsigned long long>(shape[2]), low, high);
    const std::string units = hdf5::attribute_text(dataset, "units");
    line(std::string("field ") + name, range + (units.empty() ? "" : " " + units));
  }
  return text;
}

std::string describe_checkpoint(const std::string& path) {
  const CheckpointContents contents = read_checkpoint_contents(path);
  std::string text = path + ": checkpoint of xpsim " + contents.version + "\n";
  text += listed("step", std::to_string(contents.step));
  const auto state = nlohmann::json::parse(contents.state, nullptr, false);
  if (state.is_object() && state.contains("time")) text += listed("time", state["time"].dump());
  text += listed("date", contents.date);
  text += listed("ranks", std::to_string(contents.ranks));
  for (const CheckpointContents::Array& array : contents.arrays)
    text +=
        listed("array " + array.name, fmt::format("({}, {}, {}) {}", array.shape[0], array.shape[1],
                                                  array.shape[2], name(array.precision)));
  return text;
}

}  // namespace

std::string describe_file(const std::string& path) {
  require_file(path);  // a missing file is the user's mistake, said in the system's words
  return is_checkpoint(path) ? describe_checkpoint(path) : describe_snapshot(path);
}

}  // namespace xp
