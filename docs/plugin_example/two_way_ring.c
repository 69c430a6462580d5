// two-way-ring: half of each chunk goes round the ring one way, the other half the other way. For rings whose links
// carry as much in either direction, it takes half the time of a ring.
#include <tandem/plugin.h>

#include <stdlib.h>

enum { WAYS = 2 };

typedef struct ring {
  const tandem_host* host;
  tandem_builder* builder;
  int ranks, sms;
  int way;  // 0: to rank + 1; 1: to rank - 1
  int next; // +1 or -1
  uint32_t begin;
} ring;

// This way's half of the chunk of the rank that is `steps` before this one on its way.
static tandem_span half_of(const ring* r, int steps) {
  const int owner = ((-steps * r->next) % r->ranks + r->ranks) % r->ranks;
  return (tandem_span){.first = (uint32_t)(owner * WAYS + r->way), .count = 1};
}

// Sends one half on, once `last` is in, and waits for the one that comes in.
static uint32_t step(const ring* r, tandem_op op, int out, int in, uint32_t last) {
  const uint32_t after[] = {r->begin, last};
  op.size = sizeof op;
  op.channel = (uint32_t)r->way;
  op.sms = r->sms;
  op.peer = r->next;
  op.span = half_of(r, out);
  r->host->add_send(r->builder, &op, after, 2);
  op.peer = -r->next;
  op.span = half_of(r, in);
  return r->host->add_receive(r->builder, &op, NULL, 0);
}

// After it, the own chunk is summed in TANDEM_LOCAL.
static uint32_t reduce_scatter(const ring* r) {
  uint32_t last = r->begin;
  for (int i = 0; i < r->ranks - 1; ++i) {
    const tandem_op op = {.label = "reduce-scatter",
                          .phase = TANDEM_PHASE_RS,
                          .sources = i == 0 ? TANDEM_FROM_LOCAL : TANDEM_FROM_LOCAL | TANDEM_FROM_STAGING,
                          .target = TANDEM_STAGING};
    last = step(r, op, i + 1, i + 2, last);
  }
  if (r->ranks == 1)
    return last;
  const uint32_t after[] = {r->begin, last};
  const tandem_op sum = {.size = sizeof sum,
                         .label = "last sum",
                         .phase = TANDEM_PHASE_RS,
                         .span = half_of(r, 0),
                         .sources = TANDEM_FROM_LOCAL | TANDEM_FROM_STAGING,
                         .target = TANDEM_LOCAL,
                         .sms = r->sms};
  return r->host->add_reduce(r->builder, &sum, after, 2);
}

static void all_gather(const ring* r, uint32_t last) {
  for (int i = 0; i < r->ranks - 1; ++i) {
    const tandem_op op = {.label = "all-gather",
                          .phase = TANDEM_PHASE_AG,
                          .sources = i == 0 ? TANDEM_FROM_LOCAL : TANDEM_FROM_RESULT,
                          .target = TANDEM_RESULT};
    last = step(r, op, i, i + 1, last);
  }
}

static const char* why_not(const tandem_host* host, tandem_builder* builder, const tandem_request* request) {
  (void)host;
  (void)builder;
  switch (request->collective) {
  case TANDEM_ALL_REDUCE:
  case TANDEM_REDUCE_SCATTER:
  case TANDEM_ALL_GATHER:
    return NULL;
  default:
    return "it does only all-reduce, reduce-scatter and all-gather";
  }
}

static int plan(const tandem_host* host, tandem_builder* builder, const tandem_request* request) {
  const char* text = host->parameter(builder, "sms");
  char* end = NULL;
  long sms = strtol(text, &end, 10);
  if (end == text || *end != '\0' || sms < 0 || sms > request->sms) {
    host->fail(builder, "parameter sms: allowed: 0 to the device's number");
    return 1;
  }
  if (sms == 0)
    sms = request->sms;
  host->set_pieces_per_chunk(builder, WAYS);
  uint32_t gemm = 0;
  if (request->has_gemm)
    gemm = host->add_gemm(builder, 0, NULL, 0);
  const tandem_op launch = {.size = sizeof launch, .label = "launch", .phase = TANDEM_PHASE_RS};
  const uint32_t begin = host->add_launch(builder, &launch, &gemm, gemm == 0 ? 0 : 1);
  for (int way = 0; way < WAYS; ++way) {
    const ring r = {.host = host,
                    .builder = builder,
                    .ranks = request->ranks,
                    .sms = (int)(sms + WAYS - 1) / WAYS,
                    .way = way,
                    .next = way == 0 ? 1 : -1,
                    .begin = begin};
    uint32_t reduced = begin;
    if (request->collective != TANDEM_ALL_GATHER)
      reduced = reduce_scatter(&r);
    if (request->collective != TANDEM_REDUCE_SCATTER)
      all_gather(&r, reduced);
  }
  return 0;
}

const tandem_plugin* tandem_plugin_entry(void) {
  static const tandem_parameter parameters[] = {{"sms", "0", "SMs of the collective's kernel; 0: all"}};
  static const tandem_plugin plugin = {.size = sizeof plugin,
                                       .abi = TANDEM_PLUGIN_ABI,
                                       .name = "two-way-ring",
                                       .summary = "a ring each way, with half of the payload each",
                                       .parameter_count = 1,
                                       .parameters = parameters,
                                       .why_not = why_not,
                                       .plan = plan};
  return &plugin;
}
