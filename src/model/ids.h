// Typed identifiers: a rank is not an operation is not a link.
#pragma once

#include <cstdint>
#include <functional>

namespace tandem::model {

template <class Tag> struct Id {
  std::uint32_t index = 0;
  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t i) : index(i) {}
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads <=>
  constexpr auto operator<=>(const Id&) const = default;
};

using Rank = Id<struct RankTag>;   ///< position of a GPU in the job, 0 .. N-1
using OpId = Id<struct OpTag>;     ///< operation within one program
using HostId = Id<struct HostTag>; ///< host of a cluster, in file order
using LinkId = Id<struct LinkTag>; ///< link (one direction) of a cluster, in file order

} // namespace tandem::model

template <class Tag> struct std::hash<tandem::model::Id<Tag>> {
  std::size_t operator()(tandem::model::Id<Tag> id) const noexcept { return id.index; }
};
