#include <xp/solvers/linear/level_axis.hpp>

#include <algorithm>

namespace xp {

LevelAxis LevelAxis::coarsened() const {
  LevelAxis result = *this;
  result.cells_ = cells_ / 2;
  result.size_ = 2 * size_;
  return result;
}

double LevelAxis::width(std::int64_t cell) const {
  // The image of a cell beyond an end: across a wall the mirrored one, else that of the other end.
  if (cell < 0) cell = ends_[0].wraps ? cells_ + cell : -1 - cell;
  if (cell >= cells_) cell = ends_[1].wraps ? cell - cells_ : 2 * cells_ - 1 - cell;
  cell = std::clamp<std::int64_t>(cell, 0, cells_ - 1);
  const std::int64_t end = cell == cells_ - 1 ? finest_ : (cell + 1) * size_;
  return static_cast<double>(end - cell * size_) * spacing_;
}

double LevelAxis::wall_link(const AxisEnd& end, double width) const {
  return end.alpha == 0 ? 0 : end.alpha / (0.5 * end.alpha * width + end.beta);
}

double LevelAxis::link(std::int64_t face) const {
  if (!exists_) return 0;
  // One cell that is its own neighbour, with the sign changed perhaps: then the difference is 2 u.
  if (cells_ == 1 && ends_[0].wraps) return ends_[0].flips ? 2 / width(0) : 0;
  if (face <= 0 && !ends_[0].wraps) return wall_link(ends_[0], width(0));
  if (face >= cells_ && !ends_[1].wraps) return wall_link(ends_[1], width(cells_ - 1));
  return 2 / (width(face - 1) + width(face));
}

std::int64_t LevelAxis::parent(std::int64_t cell) const {
  return std::min(cell / 2, cells_ / 2 - 1);
}

double LevelAxis::center(std::int64_t cell) const {
  return static_cast<double>(cell * size_) * spacing_ + 0.5 * width(cell);
}

LevelAxis::Weights LevelAxis::weights(std::int64_t cell) const {
  const LevelAxis coarse = coarsened();
  const std::int64_t own = parent(cell);
  const double distance = center(cell) - coarse.center(own);
  if (distance == 0) return {};
  const bool up = cell != 2 * own;
  const std::int64_t other = up ? own + 1 : own - 1;
  const bool beyond = other < 0 || other >= coarse.cells();
  const AxisEnd& end = ends_[up ? 1 : 0];
  const double width = coarse.width(own);
  // A first cell lies below its parent's centre, the second of two above; of three the second one
  // may lie on either side of it.
  const double part = (up ? distance : -distance) / (0.5 * (width + coarse.width(other)));
  if (!beyond || end.wraps) return {1 - part, part};
  return {1 - part * width * coarse.wall_link(end, width), 0};
}

}  // namespace xp
