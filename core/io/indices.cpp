#include <xp/io/indices.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace xp {

std::string xdmf_index(const Grid& grid, const std::vector<SnapshotEntry>& files) {
  const auto z_y_x = [](auto get) {
    return fmt::format("{} {} {}", get(Axis::z), get(Axis::y), get(Axis::x));
  };
  const std::string nodes = z_y_x([&](Axis a) { return grid.cells(a) + 1; });
  const std::string cells = z_y_x([&](Axis a) { return grid.cells(a); });
  // Without a type numbers are read in single precision, and bounds are off.
  const auto three = [](const std::string& numbers) {
    return "     <DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"3\">" +
           numbers + "</DataItem>\n";
  };
  const std::string geometry = three(z_y_x([&](Axis a) { return grid.lower(a); })) +
                               three(z_y_x([&](Axis a) { return grid.spacing(a); }));

  std::string text =
      "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n <Domain>\n"
      "  <Grid Name=\"fields\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  for (const SnapshotEntry& entry : files) {
    text += fmt::format(
        "   <Grid Name=\"grid\" GridType=\"Uniform\">\n    <Time Value=\"{}\"/>\n"
        "    <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"{}\"/>\n"
        "    <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n{}    </Geometry>\n",
        entry.time, nodes, geometry);
    for (const std::string& field : entry.fields)
      text += fmt::format(
          "    <Attribute Name=\"{0}\" AttributeType=\"Scalar\" Center=\"Cell\">\n"
          "     <DataItem Format=\"HDF\" NumberType=\"Float\" Precision=\"{1}\" "
          "Dimensions=\"{2}\">{3}:/{0}</DataItem>\n    </Attribute>\n",
          field, entry.bytes_per_value, cells, entry.file);
    text += "   </Grid>\n";
  }
  return text + "  </Grid>\n </Domain>\n</Xdmf>\n";
}

std::string series_index(const std::vector<SnapshotEntry>& files) {
  nlohmann::ordered_json index;
  index["file-series-version"] = "1.0";
  index["files"] = nlohmann::ordered_json::array();
  for (const SnapshotEntry& entry : files)
    index["files"].push_back({{"name", entry.file}, {"time", entry.time}});
  return index.dump(1) + "\n";
}

}  // namespace xp
