#include <xp/field/halo.hpp>

#include <algorithm>

#include <xp/runtime/backend.hpp>
#include <xp/runtime/device_messages.hpp>
#include <xp/runtime/timer.hpp>

namespace xp {
namespace {

AxisSet all_wraps(const std::vector<FieldEnds>& fields) {
  AxisSet wraps = 0;
  for (const FieldEnds& field : fields) wraps |= field.wraps;
  return wraps;
}

}  // namespace

// Copies pieces of up to `most` fields between arrays and messages: a line of cells at a time on a
// CPU, a cell on a GPU.
template <class Space, class Real>
struct HaloCopy {
  static constexpr int most = 8;

  Kokkos::View<typename HaloExchange<Space, Real>::Piece*, typename Space::memory_space> pieces;
  Real* buffer;
  FieldView<Space, Real> fields[most];
  FieldEnds ends[most];
  int first_field;
  bool unpacks;

  KOKKOS_INLINE_FUNCTION void operator()(int field, int line, int value) const {
    const int count = static_cast<int>(pieces.extent(0));
    int n = 0;
    if constexpr (is_host_space<Space>)
      while (n + 1 < count && line >= pieces(n + 1).first_line) ++n;
    else
      while (n + 1 < count && value >= pieces(n + 1).first_value) ++n;
    const auto& piece = pieces(n);
    const AxisSet wraps = ends[field].wraps;
    if ((piece.crossed & ~wraps) != 0 || (piece.walled & wraps) != 0) return;
    const AxisSet flips = piece.crossed & ends[field].antiperiodic;
    const Real sign = ((flips ^ (flips >> 1) ^ (flips >> 2)) & 1u) != 0 ? Real(-1) : Real(1);
    Real* message = buffer + piece.offset + (first_field + field) * piece.field_stride;
    const int ni = piece.size[0], nj = piece.size[1];
    if constexpr (is_host_space<Space>) {
      const int row = line - static_cast<int>(piece.first_line);
      Real* cells =
          &fields[field](piece.lower[2] + row / nj, piece.lower[1] + row % nj, piece.lower[0]);
      message += static_cast<std::int64_t>(row) * ni;
      if (unpacks)
        for (int i = 0; i < ni; ++i) cells[i] = sign * message[i];
      else
        for (int i = 0; i < ni; ++i) message[i] = cells[i];
    } else {
      const int place = value - static_cast<int>(piece.first_value);
      const int row = place / ni;
      Real& cell = fields[field](piece.lower[2] + row / nj, piece.lower[1] + row % nj,
                                 piece.lower[0] + place % ni);
      if (unpacks)
        cell = sign * message[place];
      else
        message[place] = cell;
    }
  }
};

template <class Space, class Real>
HaloExchange<Space, Real>::HaloExchange(const Grid& grid, const Communicator& communicator,
                                        std::vector<FieldEnds> fields, bool corners)
    : communicator_(communicator), fields_(std::move(fields)) {
  if (communicator.size() == 1) return;
  plan_ = plan_halo(grid, all_wraps(fields_), corners);
  if (!has_neighbours()) return;
  staged_ = !is_host_space<Space> && !mpi_takes_device_memory(communicator);
  prepare(send_, plan_.send, true);
  prepare(receive_, plan_.receive, false);
}

template <class Space, class Real>
HaloExchange<Space, Real>::~HaloExchange() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized) return;
  for (Direction* direction : {&send_, &receive_})
    for (MPI_Request& request : direction->requests) MPI_Request_free(&request);
}

template <class Space, class Real>
std::int64_t HaloExchange<Space, Real>::memory() const {
  return send_.bytes + receive_.bytes;
}

template <class Space, class Real>
void HaloExchange<Space, Real>::prepare(Direction& direction,
                                        const std::vector<HaloMessage>& messages, bool sends) {
  const auto fields = static_cast<std::int64_t>(fields_.size());
  std::vector<Piece> pieces;
  std::vector<std::int64_t> starts;
  std::int64_t start = 0;
  for (const HaloMessage& message : messages) {
    starts.push_back(start);
    for (const HaloPiece& piece : message.pieces) {
      const Box& box = piece.box;
      pieces.push_back({{box.lower[0], box.lower[1], box.lower[2]},
                        {box.size(0), box.size(1), box.size(2)},
                        piece.crossed,
                        piece.walled,
                        direction.lines,
                        direction.values,
                        start + piece.offset,
                        message.values});
      direction.lines += static_cast<std::int64_t>(box.size(1)) * box.size(2);
      direction.values += box.count();
    }
    start += message.values * fields;
  }
  direction.bytes = start * static_cast<std::int64_t>(sizeof(Real));

  using Pieces = decltype(direction.pieces);
  direction.pieces = Pieces("halo: pieces", pieces.size());
  Kokkos::View<const Piece*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> list(
      pieces.data(), pieces.size());
  Kokkos::deep_copy(direction.pieces, list);
  const auto size = static_cast<std::size_t>(start);
  direction.buffer = decltype(direction.buffer)("halo: messages", size);
  if (staged_) direction.staging = decltype(direction.staging)("halo: staging", size);

  Real* data = staged_ ? direction.staging.data() : direction.buffer.data();
  const MPI_Datatype type = sizeof(Real) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT;
  constexpr int tag = 1;
  direction.requests.resize(messages.size());
  for (std::size_t n = 0; n < messages.size(); ++n) {
    const int count = static_cast<int>(messages[n].values * fields), rank = messages[n].rank;
    if (sends)
      MPI_Send_init(data + starts[n], count, type, rank, tag, communicator_.get(),
                    &direction.requests[n]);
    else
      MPI_Recv_init(data + starts[n], count, type, rank, tag, communicator_.get(),
                    &direction.requests[n]);
  }
}

template <class Space, class Real>
void HaloExchange<Space, Real>::copy(const Space& space, const char* kernel,
                                     const Direction& direction,
                                     const std::vector<FieldView<Space, Real>>& fields,
                                     bool unpacks) const {
  HaloCopy<Space, Real> copy;
  copy.pieces = direction.pieces;
  copy.buffer = direction.buffer.data();
  copy.unpacks = unpacks;
  for (std::size_t first = 0; first < fields.size(); first += HaloCopy<Space, Real>::most) {
    const std::size_t count =
        std::min<std::size_t>(HaloCopy<Space, Real>::most, fields.size() - first);
    copy.first_field = static_cast<int>(first);
    for (std::size_t n = 0; n < count; ++n) {
      copy.fields[n] = fields[first + n];
      copy.ends[n] = fields_[first + n];
    }
    const int lines = is_host_space<Space> ? static_cast<int>(direction.lines) : 1;
    const int values = is_host_space<Space> ? 1 : static_cast<int>(direction.values);
    for_each(space, kernel, Box{{0, 0, 0}, {values, lines, static_cast<int>(count)}}, copy);
  }
}

template <class Space, class Real>
void HaloExchange<Space, Real>::start(const Space& space,
                                      const std::vector<FieldView<Space, Real>>& fields) {
  if (!has_neighbours()) return;
  const ScopedTimer timer("halo: start", seconds_);
  MPI_Startall(static_cast<int>(receive_.requests.size()), receive_.requests.data());
  copy(space, "halo: pack", send_, fields, false);
  if (staged_) Kokkos::deep_copy(space, send_.staging, send_.buffer);
  space.fence();
  MPI_Startall(static_cast<int>(send_.requests.size()), send_.requests.data());
  count_halo(static_cast<std::int64_t>(send_.requests.size()), send_.bytes);
}

template <class Space, class Real>
void HaloExchange<Space, Real>::finish(const Space& space,
                                       const std::vector<FieldView<Space, Real>>& fields) {
  if (!has_neighbours()) return;
  const ScopedTimer timer("halo: finish", seconds_);
  {
    const ScopedTimer waiting("halo: wait", wait_seconds_);
    MPI_Waitall(static_cast<int>(receive_.requests.size()), receive_.requests.data(),
                MPI_STATUSES_IGNORE);
  }
  if (staged_) Kokkos::deep_copy(space, receive_.buffer, receive_.staging);
  copy(space, "halo: unpack", receive_, fields, true);
  const ScopedTimer waiting("halo: wait", wait_seconds_);
  MPI_Waitall(static_cast<int>(send_.requests.size()), send_.requests.data(), MPI_STATUSES_IGNORE);
}

#define XP_HALO_EXCHANGE(Space, Real) template class HaloExchange<Space, Real>;
XP_INSTANTIATE(XP_HALO_EXCHANGE)
#undef XP_HALO_EXCHANGE

}  // namespace xp
