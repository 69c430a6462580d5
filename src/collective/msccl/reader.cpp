// MSCCL's XML, element by element; the attributes are those of the files that msccl-tools, Azure and RCCL ship.
#include "collective/msccl/reader.h"

#include "base/payload.h"
#include "base/units.h"
#include "base/xml.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace tandem::collective::msccl {

using base::Element;
using model::CollectiveKind;

namespace {

constexpr int MOST_GPUS = 4096, MOST_CHUNKS = 1 << 20, MOST_CHANNELS = 65536, MOST_BLOCKS = 65536, MOST_STEPS = 65000;
constexpr std::uint64_t MOST_PLACES = 1U << 26; ///< of all GPUs together

const std::vector<base::XmlTag>& tags() {
  static const std::vector<base::XmlTag> table{
      {"algo", "name nchunksperloop ngpus coll", "proto nchannels inplace outofplace minBytes maxBytes nthreads redop",
       "", "gpu", ""},
      {"gpu", "id i_chunks o_chunks s_chunks", "", "", "tb", ""},
      {"tb", "id send recv chan", "", "", "step", ""},
      {"step", "s type srcbuf srcoff dstbuf dstoff cnt depid deps hasdep", "", "", "", ""},
  };
  return table;
}

constexpr std::array KINDS{
    std::pair{"allreduce", CollectiveKind::ALL_REDUCE}, std::pair{"allgather", CollectiveKind::ALL_GATHER},
    std::pair{"reducescatter", CollectiveKind::REDUCE_SCATTER}, std::pair{"alltoall", CollectiveKind::ALL_TO_ALL}};
constexpr std::array TYPES{StepType::S,    StepType::R,   StepType::RCS, StepType::RRS, StepType::RRC,
                           StepType::RRCS, StepType::CPY, StepType::RE,  StepType::NOP};

int number(const Element& element, const char* attribute, int least, int most) {
  return element.read(
      attribute, [&](const std::string& text) { return static_cast<int>(base::parse_integer(text, least, most)); });
}

/// Empty where the file says -1.
std::optional<int> number_or_none(const Element& element, const char* attribute, int most) {
  return element.text(attribute) == "-1" ? std::nullopt : std::optional(number(element, attribute, 0, most));
}

bool flag(const Element& element, const char* attribute, bool fallback) {
  return element.has(attribute) ? number(element, attribute, 0, 1) == 1 : fallback;
}

CollectiveKind kind_of(const Element& algo) {
  std::vector<std::string> names;
  for (const auto& [name, kind] : KINDS) {
    if (algo.text("coll") == name)
      return kind;
    names.emplace_back(name);
  }
  algo.fail_at("coll", base::unknown_word("operation", algo.text("coll"), names));
}

StepType type_of(const Element& step) {
  std::vector<std::string> names;
  for (const auto type : TYPES) {
    if (step.text("type") == to_string(type))
      return type;
    names.push_back(to_string(type));
  }
  step.fail_at("type", base::unknown_word("step type", step.text("type"), names));
}

Buffer buffer_of(const Element& step, const char* attribute) {
  const auto text = step.text(attribute);
  if (text == "i")
    return Buffer::INPUT;
  if (text == "o")
    return Buffer::OUTPUT;
  if (text == "s")
    return Buffer::SCRATCH;
  step.fail_at(attribute, base::unknown_word("buffer", text, {"i", "o", "s"}));
}

class Reader {
public:
  explicit Reader(const std::string& path) : file_(path, "algo", tags()) {}

  Algorithm read() {
    const auto algo = file_.root();
    read_head(algo);
    const auto gpus = algo.children();
    if (gpus.size() != algorithm_.gpus.size())
      algo.fail_at("ngpus",
                   fmt::format("{} GPUs are announced and {} are described", algorithm_.gpus.size(), gpus.size()));
    std::set<int> seen;
    for (const auto& gpu : gpus) {
      const int id = number(gpu, "id", 0, algorithm_.ranks() - 1);
      if (!seen.insert(id).second)
        gpu.fail_at("id", fmt::format("GPU {} is described twice", id));
      read_gpu(gpu, id);
    }
    check_connections();
    return std::move(algorithm_);
  }

private:
  void read_head(const Element& algo) {
    algorithm_.name = algo.text("name");
    algorithm_.kind = kind_of(algo);
    algorithm_.gpus.resize(static_cast<std::size_t>(number(algo, "ngpus", 1, MOST_GPUS)));
    algorithm_.chunks = static_cast<std::uint32_t>(number(algo, "nchunksperloop", 1, MOST_CHUNKS));
    places_ = std::uint64_t{algorithm_.chunks} * algorithm_.gpus.size() * algorithm_.gpus.size();
    check_places(algo);
    if (algorithm_.kind != CollectiveKind::ALL_REDUCE && algorithm_.chunks % algorithm_.gpus.size() != 0)
      algo.fail_at("nchunksperloop", fmt::format("{} chunks do not make as many for each of {} GPUs", algorithm_.chunks,
                                                 algorithm_.gpus.size()));
    algorithm_.in_place = flag(algo, "inplace", false) && !flag(algo, "outofplace", false);
    if (algorithm_.in_place && algorithm_.kind == CollectiveKind::ALL_TO_ALL)
      algo.fail_at("inplace", "an all-to-all in place is not supported; allowed: 0");
    if (algo.has("proto"))
      algorithm_.protocol = algo.text("proto");
    const auto bytes = [&](const std::string& text) {
      const double value = base::parse_number(text);
      if (value > base::MOST_PAYLOAD_BYTES)
        throw base::UserError(base::in_quotes(text) + " is more than 1 PiB");
      return value;
    };
    if (algo.has("minBytes"))
      algorithm_.least_bytes = algo.read("minBytes", bytes);
    if (algo.has("maxBytes"))
      algorithm_.most_bytes = algo.read("maxBytes", bytes);
  }

  void check_places(const Element& where) const {
    if (places_ > MOST_PLACES)
      where.fail(fmt::format("its GPUs have {} places for chunks, more than {}", places_, MOST_PLACES));
  }

  void read_gpu(const Element& element, int id) {
    auto& gpu = algorithm_.gpus[static_cast<std::size_t>(id)];
    // What an operation in place does not name has no chunks, whatever the operation.
    number(element, "i_chunks", 0, MOST_CHUNKS);
    number(element, "o_chunks", 0, MOST_CHUNKS);
    gpu.scratch = static_cast<std::uint32_t>(number(element, "s_chunks", 0, MOST_CHUNKS));
    places_ += gpu.scratch;
    check_places(element);
    std::map<int, std::uint32_t> index;
    for (const auto& block : element.children())
      if (!index.emplace(number(block, "id", 0, MOST_BLOCKS - 1), static_cast<std::uint32_t>(index.size())).second)
        block.fail_at("id", fmt::format("thread block {} is described twice", block.text("id")));
    for (const auto& block : element.children())
      gpu.blocks.push_back(read_block(block, id, gpu));
    std::size_t at = 0;
    for (const auto& block : element.children())
      read_dependencies(block, index, gpu, gpu.blocks[at++]);
  }

  Block read_block(const Element& element, int id, const Gpu& gpu) {
    Block block;
    const auto peer = [&](const char* attribute) -> std::optional<int> {
      const auto rank = number_or_none(element, attribute, algorithm_.ranks() - 1);
      if (rank == id)
        element.fail_at(attribute, "a GPU does not talk to itself; allowed: another GPU, or -1 for none");
      return rank;
    };
    block.send = peer("send");
    block.receive = peer("recv");
    block.channel = number(element, "chan", 0, MOST_CHANNELS - 1);
    for (const auto& step : element.children())
      block.steps.push_back(read_step(step, block, gpu));
    return block;
  }

  Step read_step(const Element& element, const Block& block, const Gpu& gpu) {
    const auto next = static_cast<int>(block.steps.size());
    if (number(element, "s", 0, MOST_STEPS) != next)
      element.fail_at("s", fmt::format("found {} where step {} comes next", element.text("s"), next));
    if (++steps_ > MOST_STEPS)
      element.fail(fmt::format("the file has more than {} steps", MOST_STEPS));
    Step step;
    step.type = type_of(element);
    step.line = element.where().line;
    if (sends(step.type) && !block.send)
      element.fail_at("type",
                      fmt::format("{} sends, and its thread block has no peer to send to", to_string(step.type)));
    if (receives(step.type) && !block.receive)
      element.fail_at(
          "type", fmt::format("{} receives, and its thread block has no peer to receive from", to_string(step.type)));
    if (step.type == StepType::NOP)
      return step;
    step.count = static_cast<std::uint32_t>(number(element, "cnt", 1, static_cast<int>(algorithm_.chunks)));
    if (reads_source(step.type))
      step.source = read_place(element, "srcbuf", "srcoff", step.count, gpu);
    if (writes_target(step.type))
      step.target = read_place(element, "dstbuf", "dstoff", step.count, gpu);
    return step;
  }

  Place read_place(const Element& element, const char* buffer, const char* offset, std::uint32_t count,
                   const Gpu& gpu) const {
    const Place place{buffer_of(element, buffer), static_cast<std::uint32_t>(number(element, offset, 0, MOST_CHUNKS))};
    const auto size = place.buffer == Buffer::SCRATCH ? gpu.scratch
                      : place.buffer == Buffer::INPUT ? algorithm_.input_chunks()
                                                      : algorithm_.output_chunks();
    if (place.first + count > size)
      element.fail_at(offset, fmt::format("chunks {} to {} do not exist in buffer {}, which has {}", place.first,
                                          place.first + count - 1, element.text(buffer), size));
    return place;
  }

  static void read_dependencies(const Element& element, const std::map<int, std::uint32_t>& index, const Gpu& gpu,
                                Block& block) {
    std::size_t at = 0;
    for (const auto& step : element.children()) {
      const auto other = number_or_none(step, "depid", MOST_BLOCKS - 1),
                 which = number_or_none(step, "deps", MOST_STEPS);
      number(step, "hasdep", 0, 1);
      auto& read = block.steps[at++];
      if (!other || !which)
        continue;
      const auto found = index.find(*other);
      if (found == index.end())
        step.fail_at("depid", fmt::format("thread block {} does not exist", *other));
      if (static_cast<std::size_t>(*which) >= gpu.blocks[found->second].steps.size())
        step.fail_at("deps", fmt::format("thread block {} has no step {}", *other, *which));
      read.after = {found->second, static_cast<std::uint32_t>(*which)};
    }
  }

  /// Each connection has one thread block at either end, and as many receives as sends.
  void check_connections() const {
    using Key = std::tuple<int, int, int>; // from, to, channel
    std::map<Key, std::vector<const Step*>> sent, got;
    const auto collect = [&](std::map<Key, std::vector<const Step*>>& ends, const Key& key, const Block& block,
                             bool (*talks)(StepType), const char* what) {
      std::vector<const Step*> steps;
      for (const auto& step : block.steps)
        if (talks(step.type))
          steps.push_back(&step);
      if (steps.empty())
        return;
      if (!ends.emplace(key, steps).second)
        throw base::UserError(
            {.file = file_.path(), .line = steps.front()->line},
            fmt::format("a second thread block {} GPU {} on channel {}", what, std::get<1>(key), std::get<2>(key)));
    };
    for (int rank = 0; rank < algorithm_.ranks(); ++rank)
      for (const auto& block : algorithm_.gpus[static_cast<std::size_t>(rank)].blocks) {
        if (block.send)
          collect(sent, {rank, *block.send, block.channel}, block, sends, "sends to");
        if (block.receive)
          collect(got, {*block.receive, rank, block.channel}, block, receives, "receives for");
      }
    for (const auto& [key, steps] : sent)
      check_ends(key, steps, got.contains(key) ? got.at(key) : std::vector<const Step*>{});
    for (const auto& [key, steps] : got)
      if (!sent.contains(key))
        check_ends(key, {}, steps);
  }

  void check_ends(const std::tuple<int, int, int>& key, const std::vector<const Step*>& sent,
                  const std::vector<const Step*>& got) const {
    const auto& [from, to, channel] = key;
    const auto common = std::min(sent.size(), got.size());
    if (sent.size() != got.size()) {
      const auto* extra = sent.size() > common ? sent[common] : got[common];
      throw base::UserError({.file = file_.path(), .line = extra->line},
                            fmt::format("GPU {} sends {} messages to GPU {} on channel {}, which receives {}", from,
                                        sent.size(), to, channel, got.size()));
    }
    for (std::size_t k = 0; k < common; ++k)
      if (sent[k]->count != got[k]->count)
        throw base::UserError({.file = file_.path(), .line = got[k]->line},
                              fmt::format("{} chunks are received where GPU {} sends {} (line {})", got[k]->count, from,
                                          sent[k]->count, sent[k]->line));
  }

  base::XmlFile file_;
  Algorithm algorithm_;
  std::uint64_t places_ = 0;
  int steps_ = 0;
};

} // namespace

Algorithm read_algorithm(const std::string& path) {
  return Reader(path).read();
}

} // namespace tandem::collective::msccl
