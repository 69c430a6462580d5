// Conditions, SMs and parts of collectives on their own.
#include "collective/plain.h"

#include "collective/ring_place.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace tandem::collective {

namespace {

constexpr int MOST_BYTES_OF_CHUNK = 1 << 30;

std::vector<std::string> protocol_words() {
  std::vector<std::string> words;
  for (const auto& known : PROTOCOLS)
    words.emplace_back(known.word);
  return words;
}

std::string protocol_named(const std::string& word) {
  const auto* found =
      std::find_if(PROTOCOLS.begin(), PROTOCOLS.end(), [&](const ProtocolName& known) { return known.word == word; });
  return found->name;
}

} // namespace

PlainStrategy::PlainStrategy(std::string name, std::vector<model::CollectiveKind> kinds, const Parameters& parameters,
                             std::string costs)
    : name_(std::move(name)), kinds_(std::move(kinds)), sms_(whole_parameter(parameters, "sms", 0, MOST_SMS)),
      protocol_(protocol_named(word_parameter(parameters, "protocol", protocol_words()))), costs_(std::move(costs)) {}

std::string PlainStrategy::why_not(const Request& request, const model::Cluster& cluster) const {
  if (request.producer || request.consumer)
    return "it is for a collective on its own, and there is a GEMM";
  check_sms(sms_, cluster);
  if (auto reason = needs_one_of(kinds_, request); !reason.empty())
    return reason;
  if (auto reason = needs_uniform_gpus(request, cluster); !reason.empty())
    return reason;
  return lacks_protocol(request, cluster);
}

const model::Protocol* PlainStrategy::find_costs(const model::Library& library) const {
  const auto* own = library.find(name_, protocol_);
  return own != nullptr || costs_.empty() ? own : library.find(costs_, protocol_);
}

std::string PlainStrategy::lacks_protocol(const Request& request, const model::Cluster& cluster) const {
  if (protocol_.empty())
    return {};
  if (!cluster.library)
    return fmt::format("protocol {} needs a communication library, and device {} names none (--library)", protocol_,
                       cluster.gpus.front().device->name);
  if (const auto* found = find_costs(*cluster.library))
    return lacks_medium(*found, cluster, request.op.ranks);
  std::vector<std::string> known;
  for (const auto& entry : cluster.library->entries)
    known.push_back(entry.algorithm + " " + entry.protocol.name);
  return fmt::format("library {} has no {} {}, only {}", cluster.library->name, name_, protocol_,
                     fmt::join(known, ", "));
}

void PlainStrategy::prepare(Composer& composer, const model::Cluster& cluster, int flows, int network_flows) const {
  composer.be_one_kernel();
  if (protocol_.empty())
    return;
  auto protocol = find_costs(*cluster.library)->shared_by(flows, network_flows);
  if (cluster.library->find(name_, protocol_) == nullptr)
    protocol.name += " of " + costs_;
  composer.follow(protocol);
}

Mover PlainStrategy::mover(const Composer& composer, int flows, std::uint16_t channel) const {
  const int all = sms_ == 0 ? composer.device().sms : sms_;
  return {.sms = std::max(1, all / std::max(1, flows)), .channel = channel};
}

std::string lacks_medium(const model::Protocol& protocol, const model::Cluster& cluster, int ranks) {
  std::vector<int> others;
  if (ranks > 1)
    others.push_back(1);
  if (cluster.gpus_per_node > 0 && ranks > cluster.gpus_per_node)
    others.push_back(first_across_network(cluster));
  for (const int other : others) {
    const auto route = cluster.route(model::Rank(0), model::Rank(static_cast<std::uint32_t>(other)));
    if (const auto medium = cluster.medium(route); !protocol.over(medium).is_known)
      return fmt::format("library {} has no costs of {} over medium {}, which is between GPUs 0 and {} (a link's "
                         "property medium)",
                         cluster.library->name, protocol.name, model::medium_name(medium), other);
  }
  return {};
}

std::vector<Parameter> plain_parameters(const std::vector<Parameter>& own) {
  std::vector<Parameter> all{
      {"sms", "0", "SMs of the collective's kernel; 0: all"},
      {"protocol", "none",
       "how kernels hand data over, with the costs of the platform's library: ll, ll128, simple; none: costs nothing"}};
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

std::vector<Parameter> pipeline_parameters(const std::vector<Parameter>& before) {
  auto list = before;
  list.push_back({"chunks", "16", "parts that the payload goes through the pipeline in"});
  list.push_back({"smallest_chunk", "0",
                  "bytes of a part at least: what is too little for `chunks` of them goes in parts of this size and a "
                  "rest"});
  return list;
}

PipelineCut pipeline_cut(const Parameters& parameters) {
  return {whole_parameter(parameters, "chunks", 1, MOST_CHUNKS),
          static_cast<double>(whole_parameter(parameters, "smallest_chunk", 0, MOST_BYTES_OF_CHUNK))};
}

PipelineParts::PipelineParts(const model::CollectiveOp& op, int pipelines, PipelineCut cut) : chunks_(cut.chunks) {
  const auto shares = split_bytes(op.bytes, static_cast<std::size_t>(pipelines));
  const double largest = *std::max_element(shares.begin(), shares.end());
  const bool is_little = largest < cut.chunks * cut.smallest;
  if (is_little)
    chunks_ = std::max(1, static_cast<int>(std::ceil(largest / cut.smallest)));
  for (const double share : shares) {
    if (!is_little) {
      const auto even = split_bytes(model::Bytes(share), static_cast<std::size_t>(chunks_));
      piece_bytes_.insert(piece_bytes_.end(), even.begin(), even.end());
      continue;
    }
    for (int chunk = 0; chunk < chunks_; ++chunk)
      piece_bytes_.push_back(std::clamp(share - chunk * cut.smallest, 0.0, cut.smallest));
  }
  parts_ = static_cast<int>(piece_bytes_.size());
  pieces_per_chunk_ = static_cast<std::uint32_t>((parts_ + op.ranks - 1) / op.ranks);
  piece_bytes_.resize(static_cast<std::size_t>(op.ranks) * pieces_per_chunk_, 0.0);
}

Span PipelineParts::span(const Composer& composer, int rank, int pipeline, int chunk) const {
  const int index = pipeline * chunks_ + chunk;
  const auto first = static_cast<std::uint32_t>(index);
  const auto pieces = static_cast<std::uint32_t>(piece_bytes_.size());
  return composer.pieces_at(rank, first, index + 1 == parts_ ? pieces - first : 1);
}

OpId append_in_place(Composer& composer, Span span, const std::vector<OpId>& after) {
  return composer.add({.phase = model::Phase::AG,
                       .stream = model::Stream::COMMUNICATION,
                       .label = composer.label("in place"),
                       .effect = {model::FROM_LOCAL, model::Buffer::RESULT, false, span}},
                      after);
}

} // namespace tandem::collective
