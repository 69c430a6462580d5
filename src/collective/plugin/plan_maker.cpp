// Checks what a plugin says, call by call, and composes it.
#include "collective/plugin/plan_maker.h"

#include "base/error.h"
#include "collective/blocks.h"
#include "collective/messages.h"
#include "collective/plugin/plain_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

using tandem::base::UserError;
using tandem::model::Access;
using tandem::model::Buffer;
using tandem::model::Op;
using tandem::model::OpKind;
using tandem::model::Phase;
using tandem::model::WhenFull;
namespace collective = tandem::collective;
namespace model = tandem::model;

namespace {

/// What a proof can still take: it keeps a bit for each pair of operations of a program.
constexpr std::uint32_t MOST_OPERATIONS = 1 << 16, MOST_ALL_OPERATIONS = 1 << 22;
constexpr std::int32_t MOST_PIECES_PER_CHUNK = 1 << 16, MOST_RESOURCES = 1 << 10, MOST_TRAFFIC = 64;
constexpr double MOST_SECONDS = 1e6;

constexpr std::array KIND_NAMES{"send", "receive", "reduce", "work", "trigger", "launch"};

const char* name_of(tandem_builder::Kind kind) {
  return KIND_NAMES[static_cast<std::size_t>(kind)];
}

/// One of `values`, by its number.
template <class T> T one_of(const char* what, std::int32_t number, std::initializer_list<T> values) {
  if (number < 0 || static_cast<std::size_t>(number) >= values.size())
    throw UserError(fmt::format("{} {} does not exist; allowed: 0 to {}", what, number, values.size() - 1));
  return *(values.begin() + number);
}

double cost_of(const char* what, double value, double most) {
  if (!(value >= 0.0 && value <= most))
    throw UserError(fmt::format("{} is {}; allowed: 0 to {}", what, value, most));
  return value;
}

std::uint16_t small_number(const char* what, std::int64_t value) {
  if (value < 0 || value > UINT16_MAX)
    throw UserError(fmt::format("{} is {}; allowed: 0 to {}", what, value, UINT16_MAX));
  return static_cast<std::uint16_t>(value);
}

void set_cost(const tandem_cost& cost, bool has_peer, Op& op) {
  op.delay = model::Seconds(cost_of("delay_s", cost.delay_s, MOST_SECONDS));
  op.sm_seconds = cost_of("sm_seconds", cost.sm_seconds, MOST_SECONDS);
  op.sm_bytes_per_span = cost_of("sm_bytes_per_span", cost.sm_bytes_per_span, MOST_SECONDS);
  if (cost.traffic_count > MOST_TRAFFIC || (cost.traffic_count > 0 && cost.traffic == nullptr))
    throw UserError(fmt::format("its cost has {} entries of traffic{}; allowed: up to {}", cost.traffic_count,
                                cost.traffic == nullptr ? " and none is there" : "", MOST_TRAFFIC));
  for (std::uint32_t i = 0; i < cost.traffic_count; ++i) {
    const auto& part = cost.traffic[i];
    if (part.at_peer != 0 && !has_peer)
      throw UserError("its traffic is at a peer, and it has none");
    (part.at_peer != 0 ? op.peer_traffic : op.traffic)
        .push_back({op.phase, one_of("access", part.access, {Access::READ, Access::WRITE, Access::UPDATE}),
                    cost_of("per_span", part.per_span, MOST_SECONDS),
                    model::Bytes(cost_of("fixed", part.fixed, static_cast<double>(INT64_MAX)))});
  }
}

} // namespace

namespace tandem::collective {

template <class T> T whole(const T& given) {
  T result{};
  if (given.size < 2 * sizeof(std::uint32_t))
    throw UserError(fmt::format("a structure says that it has {} bytes", given.size));
  std::memcpy(&result, &given, std::min<std::size_t>(given.size, sizeof result));
  return result;
}
template tandem_plugin whole(const tandem_plugin&);
template tandem_op whole(const tandem_op&);
template tandem_cost whole(const tandem_cost&);

} // namespace tandem::collective

void tandem_builder::fail(const std::string& message) {
  if (failure_.empty())
    failure_ = message.empty() ? "it failed and did not say why" : message;
}

collective::Composer& tandem_builder::composer() {
  if (!composer_)
    composer_.emplace(name_, request_, cluster_, pieces_per_chunk_);
  return *composer_;
}

model::Schedule tandem_builder::finish() {
  if (!failure_.empty())
    throw UserError(failure_);
  if (all_operations_ == 0)
    throw UserError("its plan has no operations");
  if (!composer().schedule().programs.empty()) {
    if (operations_ > 0)
      throw UserError("its last program is not ended with end_program()");
    if (const auto programs = composer().schedule().programs.size();
        programs != static_cast<std::size_t>(request_.op.ranks))
      throw UserError(fmt::format("it has {} programs for {} ranks", programs, request_.op.ranks));
  }
  return composer().finish(request_.op.kind);
}

const char* tandem_builder::parameter(const char* name) const {
  if (name == nullptr)
    return nullptr;
  const auto found = parameters_.find(name);
  return found == parameters_.end() ? nullptr : found->second.c_str();
}

void tandem_builder::set_pieces_per_chunk(std::uint32_t pieces) {
  if (composer_)
    throw UserError("set_pieces_per_chunk() comes after something was added");
  if (pieces < 1 || pieces > MOST_PIECES_PER_CHUNK)
    throw UserError(fmt::format("{} pieces per chunk; allowed: 1 to {}", pieces, MOST_PIECES_PER_CHUNK));
  pieces_per_chunk_ = pieces;
}

std::uint32_t tandem_builder::number(OpId op) {
  const auto more = op.index + 1 - operations_; // a GEMM is several
  if (operations_ + more > MOST_OPERATIONS || all_operations_ + more > MOST_ALL_OPERATIONS)
    throw UserError(fmt::format("more than {} operations in a program, or {} in all, are too many", MOST_OPERATIONS,
                                MOST_ALL_OPERATIONS));
  operations_ += more;
  all_operations_ += more;
  return operations_;
}

tandem_builder::OpId tandem_builder::known(std::uint32_t op, const char* what) const {
  if (op == 0 || op > operations_)
    throw UserError(fmt::format("it {} operation {}, which does not exist", what, op));
  return OpId(op - 1);
}

std::vector<tandem_builder::OpId> tandem_builder::known(const std::uint32_t* after, std::uint32_t count) const {
  if (count > 0 && after == nullptr)
    throw UserError(fmt::format("it waits for {} operations and names none", count));
  std::vector<OpId> list;
  for (std::uint32_t i = 0; i < count; ++i)
    list.push_back(known(after[i], "waits for"));
  return list;
}

std::int16_t tandem_builder::resource(std::int32_t number) const {
  if (number < 0 || number > resources_)
    throw UserError(fmt::format("resource {} does not exist", number));
  return static_cast<std::int16_t>(number - 1);
}

/// docs/models.md, "Collectives".
void tandem_builder::set_usual_cost(Kind kind, Op& op) const {
  const double reads = std::popcount(op.effect.sources);
  const double adds = op.effect.update ? 1.0 : 0.0;
  if (reads == 0.0 || (kind != Kind::SEND && kind != Kind::REDUCE))
    return;
  auto& target = kind == Kind::SEND ? op.peer_traffic : op.traffic;
  op.traffic.push_back({op.phase, Access::READ, reads, {}});
  if (adds > 0.0)
    target.push_back({op.phase, Access::READ, adds, {}});
  target.push_back({op.phase, Access::WRITE, 1.0, {}});
  if (op.sms > 0)
    op.sm_bytes_per_span = reads + 1.0 + (kind == Kind::REDUCE ? adds : 0.0);
}

Op tandem_builder::described(Kind kind, const tandem_op& given) {
  constexpr std::array KINDS{OpKind::TRANSFER, OpKind::RECV, OpKind::WORK, OpKind::WORK, OpKind::TRIGGER, OpKind::WORK};
  const bool talks = kind == Kind::SEND || kind == Kind::RECEIVE;
  const bool moves = kind == Kind::SEND || kind == Kind::REDUCE;
  const auto label = given.label == nullptr ? name_of(kind) : collective::plain_text(given.label);
  Op op{.kind = KINDS[static_cast<std::size_t>(kind)],
        .phase = one_of("phase", given.phase, {Phase::OTHER, Phase::RS, Phase::AG, Phase::GEMM}),
        .stream = model::Stream::COMMUNICATION,
        .label = composer().label(label.empty() ? name_of(kind) : label),
        .channel = small_number("channel", given.channel),
        .peer = talks ? given.peer : 0,
        .sms = small_number("sms", given.sms),
        .acquires = resource(given.acquires),
        .releases = resource(given.releases),
        .effect = {.span = {given.span.first, given.span.count}}};
  if (talks && given.peer % request_.op.ranks == 0)
    throw UserError("its peer is its own rank");
  if (moves) {
    if (given.sources == 0 || (given.sources & ~7U) != 0)
      throw UserError(fmt::format("sources {} do not exist", given.sources));
    op.effect.sources = static_cast<model::Sources>(given.sources);
    op.effect.target = one_of("target", given.target, {Buffer::LOCAL, Buffer::STAGING, Buffer::RESULT});
    op.effect.update = given.update != 0;
    if (given.elsewhere != 0)
      op.effect.to = given.place;
  }
  if (given.cost != nullptr)
    set_cost(collective::whole(*given.cost), kind == Kind::SEND, op);
  else
    set_usual_cost(kind, op);
  return op;
}

std::uint32_t tandem_builder::add(Kind kind, const tandem_op* op, const std::uint32_t* after,
                                  std::uint32_t after_count) {
  try {
    const auto given = op == nullptr ? tandem_op{} : collective::whole(*op);
    const auto before = known(after, after_count);
    auto made = described(kind, given);
    if (kind == Kind::LAUNCH && request_.op.ranks > 1)
      made.delay += composer().device().kernel_launch;
    return number(composer().add(std::move(made), before));
  } catch (const UserError& error) {
    throw UserError(fmt::format("its operation {}, a {}: {}", operations_ + 1, name_of(kind), error.what()));
  }
}

std::uint32_t tandem_builder::add_gemm(std::int32_t sms, const std::uint32_t* after, std::uint32_t after_count) {
  if (!request_.producer)
    throw UserError("it adds a GEMM, and there is none");
  const int all = composer().device().sms;
  if (sms < 0 || sms > all)
    throw UserError(fmt::format("a GEMM on {} SMs; the device has {}", sms, all));
  return number(collective::append_gemm(composer(), *request_.producer, sms == 0 ? all : sms, "GEMM", composer().all(),
                                        known(after, after_count)));
}

void tandem_builder::depend(std::uint32_t op, std::uint32_t on) {
  const auto waits = known(op, "names"), other = known(on, "names");
  composer().depend(waits, other);
}

std::uint32_t tandem_builder::add_resource(const char* name, std::int32_t capacity, std::int32_t when_full,
                                           double spill_bytes) {
  if (resources_ >= MOST_RESOURCES)
    throw UserError(fmt::format("more than {} resources are too many", MOST_RESOURCES));
  if (capacity < 1)
    throw UserError(fmt::format("a resource of capacity {}; allowed: 1 or more", capacity));
  composer().schedule().resources.push_back(
      {collective::plain_text(name == nullptr ? "resource" : name), capacity,
       one_of("when_full", when_full, {WhenFull::BLOCK, WhenFull::SPILL}),
       model::Bytes(cost_of("spill_bytes", spill_bytes, static_cast<double>(INT64_MAX)))});
  return static_cast<std::uint32_t>(++resources_);
}

void tandem_builder::set_tracker(std::uint32_t number) {
  if (number == 0 || number > static_cast<std::uint32_t>(resources_))
    throw UserError(fmt::format("resource {} does not exist", number));
  composer().schedule().tracker = static_cast<int>(number) - 1;
}

void tandem_builder::end_program() {
  if (operations_ == 0)
    throw UserError("it ends a program without operations");
  if (composer().schedule().programs.size() >= static_cast<std::size_t>(request_.op.ranks))
    throw UserError(fmt::format("it has more than {} programs for as many ranks", request_.op.ranks));
  composer().end_program();
  operations_ = 0;
}

namespace {

/// Nothing of C++ leaves: errors are kept, and the call answers `otherwise`.
template <class Result, class Call> Result kept(tandem_builder* builder, Result otherwise, const Call& call) noexcept {
  try {
    if (builder == nullptr || !builder->failure().empty())
      return otherwise;
    try {
      return call();
    } catch (const std::exception& error) {
      builder->fail(error.what());
    }
  } catch (...) { // no memory to keep it in
  }
  return otherwise;
}

template <class Call> void kept(tandem_builder* builder, const Call& call) noexcept {
  (void)kept(builder, 0, [&] {
    call();
    return 0;
  });
}

template <tandem_builder::Kind KIND>
std::uint32_t add(tandem_builder* builder, const tandem_op* op, const std::uint32_t* after, std::uint32_t count) {
  return kept(builder, 0U, [&] { return builder->add(KIND, op, after, count); });
}

const char* parameter(tandem_builder* builder, const char* name) {
  return kept<const char*>(builder, nullptr, [&] { return builder->parameter(name); });
}

void fail(tandem_builder* builder, const char* message) {
  kept(builder, [&] { builder->fail(collective::plain_text(message == nullptr ? "" : message)); });
}

void set_pieces_per_chunk(tandem_builder* builder, std::uint32_t pieces) {
  kept(builder, [&] { builder->set_pieces_per_chunk(pieces); });
}

std::uint32_t add_gemm(tandem_builder* builder, std::int32_t sms, const std::uint32_t* after, std::uint32_t count) {
  return kept(builder, 0U, [&] { return builder->add_gemm(sms, after, count); });
}

void depend(tandem_builder* builder, std::uint32_t op, std::uint32_t on) {
  kept(builder, [&] { builder->depend(op, on); });
}

std::uint32_t add_resource(tandem_builder* builder, const char* name, std::int32_t capacity, std::int32_t when_full,
                           double spill_bytes) {
  return kept(builder, 0U, [&] { return builder->add_resource(name, capacity, when_full, spill_bytes); });
}

void set_tracker(tandem_builder* builder, std::uint32_t resource) {
  kept(builder, [&] { builder->set_tracker(resource); });
}

void end_program(tandem_builder* builder) {
  kept(builder, [&] { builder->end_program(); });
}

} // namespace

const tandem_host& collective::plugin_host() {
  using Kind = tandem_builder::Kind;
  static const tandem_host host{.size = sizeof(tandem_host),
                                .abi = TANDEM_PLUGIN_ABI,
                                .parameter = parameter,
                                .fail = fail,
                                .set_pieces_per_chunk = set_pieces_per_chunk,
                                .add_send = add<Kind::SEND>,
                                .add_receive = add<Kind::RECEIVE>,
                                .add_reduce = add<Kind::REDUCE>,
                                .add_work = add<Kind::WORK>,
                                .add_trigger = add<Kind::TRIGGER>,
                                .add_launch = add<Kind::LAUNCH>,
                                .add_gemm = add_gemm,
                                .depend = depend,
                                .add_resource = add_resource,
                                .set_tracker = set_tracker,
                                .end_program = end_program};
  return host;
}
