// The text of an MSCCL file.
#include "collective/msccl/schedule.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace tandem::collective::msccl {

namespace {

const char* operation(model::CollectiveKind kind) {
  switch (kind) {
  case model::CollectiveKind::ALL_REDUCE:
    return "allreduce";
  case model::CollectiveKind::ALL_GATHER:
    return "allgather";
  case model::CollectiveKind::REDUCE_SCATTER:
    return "reducescatter";
  case model::CollectiveKind::ALL_TO_ALL:
    return "alltoall";
  default:
    throw base::Bug("an operation that the format does not have");
  }
}

char letter(Buffer buffer) {
  return buffer == Buffer::INPUT ? 'i' : buffer == Buffer::OUTPUT ? 'o' : 's';
}

/// As it may stand in an attribute.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '"')
      result += "&quot;";
    else if (c >= 0 && c < ' ')
      result += fmt::format("&#{};", static_cast<int>(c));
    else
      result += c;
  }
  return result;
}

std::string gpu_text(const Algorithm& algorithm, int id) {
  const auto& gpu = algorithm.gpus[static_cast<std::size_t>(id)];
  std::set<std::pair<std::uint32_t, std::uint32_t>> waited_for;
  for (const auto& block : gpu.blocks)
    for (const auto& step : block.steps)
      if (step.after)
        waited_for.emplace(step.after->block, step.after->step);
  auto text = fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", id,
                          algorithm.input_chunks(), algorithm.in_place ? 0 : algorithm.output_chunks(), gpu.scratch);
  for (std::uint32_t which = 0; which < gpu.blocks.size(); ++which) {
    const auto& block = gpu.blocks[which];
    text += fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", which, block.send.value_or(-1),
                        block.receive.value_or(-1), block.channel);
    for (std::uint32_t at = 0; at < block.steps.size(); ++at) {
      const auto& step = block.steps[at];
      text +=
          fmt::format("      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" "
                      "cnt=\"{}\" depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>\n",
                      at, to_string(step.type), letter(step.source.buffer), step.source.first,
                      letter(step.target.buffer), step.target.first, step.type == StepType::NOP ? 0 : step.count,
                      step.after ? static_cast<int>(step.after->block) : -1,
                      step.after ? static_cast<int>(step.after->step) : -1, waited_for.contains({which, at}) ? 1 : 0);
    }
    text += "    </tb>\n";
  }
  return text + "  </gpu>\n";
}

} // namespace

std::string to_xml(const Algorithm& algorithm) {
  int channels = 1;
  for (const auto& gpu : algorithm.gpus)
    for (const auto& block : gpu.blocks)
      channels = std::max(channels, block.channel + 1);
  auto limits = fmt::format(" minBytes=\"{:.0f}\"", algorithm.least_bytes);
  limits = algorithm.most_bytes ? limits + fmt::format(" maxBytes=\"{:.0f}\"", *algorithm.most_bytes) : std::string();
  auto text =
      fmt::format("<algo name=\"{}\" proto=\"{}\" nchannels=\"{}\" nchunksperloop=\"{}\" ngpus=\"{}\" "
                  "coll=\"{}\" inplace=\"{}\" outofplace=\"{}\"{}>\n",
                  escaped(algorithm.name), escaped(algorithm.protocol), channels, algorithm.chunks, algorithm.ranks(),
                  operation(algorithm.kind), algorithm.in_place ? 1 : 0, algorithm.in_place ? 0 : 1, limits);
  for (int id = 0; id < algorithm.ranks(); ++id)
    text += gpu_text(algorithm, id);
  return text + "</algo>\n";
}

} // namespace tandem::collective::msccl
