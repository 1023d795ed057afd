#include <xp/io/file_exchange.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <vector>

namespace xp {
namespace {

constexpr std::int64_t piece_bytes = std::int64_t{8} << 20;

// Cells of the whole array in the order of the file.
struct Range {
  std::int64_t first = 0, last = 0;
};

// The array as all ranks know it.
struct Layout {
  std::array<std::int64_t, 3> cells{};
  std::vector<Block> blocks;  // of all ranks
  std::vector<int> holders;   // ranks that hold the file
  std::size_t bytes_per_cell = 8;

  std::int64_t count() const { return cells[0] * cells[1] * cells[2]; }
};

Layout layout_of(const Communicator& communicator, const Grid& grid, int bytes_per_cell,
                 bool holds_file) {
  Layout layout;
  layout.bytes_per_cell = static_cast<std::size_t>(bytes_per_cell);
  for (const Axis axis : all_axes) layout.cells[index(axis)] = grid.cells(axis);
  struct Entry {
    Block block;
    int holds_file;
  } const mine{grid.blocks()[0], holds_file};
  std::vector<Entry> all(static_cast<std::size_t>(communicator.size()));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE,
                communicator.get());
  for (const Entry& entry : all) {
    if (entry.holds_file) layout.holders.push_back(static_cast<int>(layout.blocks.size()));
    layout.blocks.push_back(entry.block);
  }
  return layout;
}

// Calls f(cell in the block, cell in the array, cells) for what of a block's rows lies in a range.
template <class F>
void for_runs(const Layout& layout, const Block& block, const Range& range, F f) {
  const std::int64_t nx = layout.cells[0], ny = layout.cells[1];
  const auto [first, last] = range;
  if (first >= last) return;
  const std::int64_t low = std::max(first / (nx * ny) - block.first[2], std::int64_t{0});
  const std::int64_t high =
      std::min((last - 1) / (nx * ny) - block.first[2], std::int64_t{block.cells[2]} - 1);
  for (std::int64_t k = low; k <= high; ++k)
    for (std::int64_t j = 0; j < block.cells[1]; ++j) {
      const std::int64_t row =
          ((block.first[2] + k) * ny + block.first[1] + j) * nx + block.first[0];
      const std::int64_t begin = std::max(row, first), end = std::min(row + block.cells[0], last);
      if (begin < end)
        f((k * block.cells[1] + j) * block.cells[0] + begin - row, begin, end - begin);
    }
}

// What a block and a range have in common, on its way between two ranks.
struct Message {
  int rank;  // the other one
  const Block* block;
  Range range;
  std::vector<char> data;
};

// One end of a round's messages: this rank's block, or the piece of the file that it holds.
struct End {
  bool is_block;
  char* values;
  std::vector<Message> messages;

  void add(const Layout& layout, int rank, const Block& block, const Range& range) {
    std::int64_t count = 0;
    for_runs(layout, block, range, [&](auto, auto, std::int64_t n) { count += n; });
    if (count > 0)
      messages.push_back(
          {rank, &block, range,
           std::vector<char>(static_cast<std::size_t>(count) * layout.bytes_per_cell)});
  }
  // Copies values into the messages or out of them.
  void copy(const Layout& layout, bool into_messages) {
    for (Message& message : messages) {
      char* next = message.data.data();
      for_runs(layout, *message.block, message.range,
               [&](std::int64_t in_block, std::int64_t in_array, std::int64_t n) {
                 const std::int64_t at = is_block ? in_block : in_array - message.range.first;
                 char* place = values + static_cast<std::size_t>(at) * layout.bytes_per_cell;
                 const std::size_t bytes = static_cast<std::size_t>(n) * layout.bytes_per_cell;
                 std::memcpy(into_messages ? next : place, into_messages ? place : next, bytes);
                 next += bytes;
               });
    }
  }
};

void exchange(MPI_Comm communicator, std::vector<Message>& sent, std::vector<Message>& received) {
  std::vector<MPI_Request> requests(sent.size() + received.size());
  auto request = requests.begin();
  for (Message& message : received)
    MPI_Irecv(message.data.data(), static_cast<int>(message.data.size()), MPI_BYTE, message.rank, 0,
              communicator, &*request++);
  for (Message& message : sent)
    MPI_Isend(message.data.data(), static_cast<int>(message.data.size()), MPI_BYTE, message.rank, 0,
              communicator, &*request++);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void move_all(const Communicator& communicator, const Grid& grid, int bytes_per_cell, char* values,
              const Piece& piece, bool to_file) {
  if (communicator.size() == 1) return piece(0, values, grid.cell_count() * bytes_per_cell);
  const Layout layout = layout_of(communicator, grid, bytes_per_cell, bool(piece));
  const int rank = communicator.rank();
  const std::int64_t piece_cells = piece_bytes / bytes_per_cell;
  std::vector<char> held(piece ? piece_bytes : 0);
  std::exception_ptr failure;

  // A round moves one piece of each rank that holds the file. After a failure the exchange goes on,
  // since the others wait for it.
  for (std::int64_t next = 0; next < layout.count();) {
    End block{true, values, {}}, file{false, held.data(), {}};
    Range held_range;
    for (const int holder : layout.holders) {
      const Range range{next, std::min(next + piece_cells, layout.count())};
      next = range.last;
      block.add(layout, holder, layout.blocks[static_cast<std::size_t>(rank)], range);
      if (holder != rank) continue;
      held_range = range;
      for (std::size_t r = 0; r < layout.blocks.size(); ++r)
        file.add(layout, static_cast<int>(r), layout.blocks[r], range);
    }
    const auto use_piece = [&] {
      if (failure || held_range.first >= held_range.last) return;
      try {
        piece(held_range.first * bytes_per_cell, held.data(),
              (held_range.last - held_range.first) * bytes_per_cell);
      } catch (...) {
        failure = std::current_exception();
      }
    };
    End &source = to_file ? block : file, &target = to_file ? file : block;
    if (!to_file) use_piece();
    source.copy(layout, true);
    exchange(communicator.get(), source.messages, target.messages);
    target.copy(layout, false);
    if (to_file) use_piece();
  }
  everywhere(communicator, [&] {
    if (failure) std::rethrow_exception(failure);
  });
}

}  // namespace

void collect(const Communicator& communicator, const Grid& grid, int bytes_per_cell,
             const void* values, const Piece& write) {
  // The values are only read, by code that is shared with the way back.
  move_all(communicator, grid, bytes_per_cell, static_cast<char*>(const_cast<void*>(values)), write,
           true);
}

void distribute(const Communicator& communicator, const Grid& grid, int bytes_per_cell,
                void* values, const Piece& read) {
  move_all(communicator, grid, bytes_per_cell, static_cast<char*>(values), read, false);
}

}  // namespace xp
