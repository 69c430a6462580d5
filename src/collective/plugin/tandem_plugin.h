// Tandem's interface for collective algorithms of your own, as a shared object: C, versioned, no types of C++.
//
// A plugin exports tandem_plugin_entry(), which describes it. Tandem calls it, why_not() and plan() in a forked child
// with a time limit; the plan comes back as data, is proven, and is simulated like a built-in's. A plugin that crashes,
// hangs or answers nonsense is an error message. Where the algorithm is wrong, the message says which operation of
// which rank, and what is missing.
//
// A payload of `bytes` is cut into ranks x pieces_per_chunk pieces of whole bytes, as even as they come. Chunk c is the
// pieces [c * pieces_per_chunk, (c + 1) * pieces_per_chunk) and belongs to rank c. Rank r begins with its contribution
// in TANDEM_LOCAL and ends with the result in TANDEM_RESULT, or in TANDEM_LOCAL where nothing was written there:
//
//   collective       begins with                     ends with
//   all-reduce       all pieces on every rank        the sums of all pieces on every rank
//   reduce-scatter   all pieces on every rank        rank r: the sums of chunk r
//   all-gather       rank r: chunk r                 all pieces on every rank
//   all-to-all       all pieces on every rank        rank r: chunk r of each rank s, at the place of chunk s
//   broadcast        the root: all pieces            all pieces on every rank
//   reduce           all pieces on every rank        the root: the sums of all pieces
//   scatter          the root: all pieces            rank r: chunk r
//   gather           rank r: chunk r                 the root: all pieces
//   send-receive     all pieces on every rank        the rank before's pieces, in TANDEM_RESULT
//   barrier          nothing                         nothing, once every rank has begun
//
// Where the request has a GEMM, TANDEM_LOCAL begins empty, and add_gemm() fills it.
//
// A plan is a program of operations with dependencies. Peers and spans are relative to the rank that runs it, so that
// one program does for all ranks; where ranks differ, end_program() ends the program of rank 0, 1, 2 ...
//
// All structures begin with their size in bytes, as the side that made them knows it: both sides take what the other
// does not know as zero. Times are in seconds, sizes in bytes, rates in bytes per second. Strings end in a zero byte
// and need to live only until the call returns, but for the description's, which live as long as the plugin.
#ifndef TANDEM_PLUGIN_H
#define TANDEM_PLUGIN_H

// NOLINTBEGIN(readability-identifier-naming,modernize-deprecated-headers): C
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TANDEM_PLUGIN_ABI 1

enum {
  TANDEM_REDUCE_SCATTER = 0,
  TANDEM_ALL_GATHER = 1,
  TANDEM_ALL_REDUCE = 2,
  TANDEM_ALL_TO_ALL = 3,
  TANDEM_BROADCAST = 4,
  TANDEM_REDUCE = 5,
  TANDEM_SCATTER = 6,
  TANDEM_GATHER = 7,
  TANDEM_SEND_RECV = 9,
  TANDEM_BARRIER = 10
};

// Where data of a rank lies: its own contribution and sums on top of it; partial sums that came in; the result.
enum { TANDEM_LOCAL = 0, TANDEM_STAGING = 1, TANDEM_RESULT = 2 };

// What an operation reads, as a sum: a mask of these.
enum { TANDEM_FROM_LOCAL = 1, TANDEM_FROM_STAGING = 2, TANDEM_FROM_RESULT = 4 };

// Whose account time and memory traffic go to.
enum { TANDEM_PHASE_OTHER = 0, TANDEM_PHASE_RS = 1, TANDEM_PHASE_AG = 2, TANDEM_PHASE_GEMM = 3 };

// Memory traffic; TANDEM_UPDATE is a reduction near memory, for devices that have it.
enum { TANDEM_READ = 0, TANDEM_WRITE = 1, TANDEM_UPDATE = 2 };

// What an operation does that finds a bounded resource full: waits; or goes on and pays `spill_bytes` of memory reads
// and writes.
enum { TANDEM_BLOCK = 0, TANDEM_SPILL = 1 };

// Pieces [rank * pieces_per_chunk + first + i], i = 0 .. count - 1, modulo the number of pieces: as the rank that runs
// the operation counts them, its own chunk first.
typedef struct tandem_span {
  uint32_t first, count;
} tandem_span;

// What is asked for, and the device that all ranks have.
typedef struct tandem_request {
  uint32_t size;
  int32_t collective; // TANDEM_ALL_REDUCE ...
  int32_t ranks;
  int32_t root;             // of broadcast, reduce, scatter and gather; else 0
  double bytes;             // of the whole payload, a whole number
  int32_t has_gemm;         // 1: a GEMM's output is what the collective works on
  int64_t gemm_m, gemm_n;   // its output, in elements
  int64_t gemm_k;           // the dimension that it sums over
  int32_t sms;              // of the device
  int32_t copy_engines;     // of the device
  int32_t near_memory;      // 1: its memory can add, which TANDEM_UPDATE needs
  double kernel_launch_s;   // what add_launch() costs, in seconds
  double sm_copy_bandwidth; // bytes per second that one SM loads and stores together
  double hbm_bandwidth;     // bytes per second
} tandem_request;

// Memory traffic of an operation in bytes: `fixed`, plus `per_span` times the bytes of its span.
typedef struct tandem_traffic {
  int32_t access;  // TANDEM_READ ...
  int32_t at_peer; // add_send only. 1: at the receiving rank
  double per_span;
  double fixed;
} tandem_traffic;

// What an operation costs beside the wire.
typedef struct tandem_cost {
  uint32_t size;
  uint32_t traffic_count;
  const tandem_traffic* traffic;
  double delay_s;           // paid before anything else, in seconds
  double sm_seconds;        // SM-seconds of work, shared by the operation's SMs
  double sm_bytes_per_span; // bytes that its SMs load and store per byte of the span
} tandem_cost;

// Zero is a good value for all that an operation has no use for.
typedef struct tandem_op {
  uint32_t size;
  const char* label;       // what timelines and messages call it; NULL: the kind of operation
  int32_t phase;           // TANDEM_PHASE_OTHER ...
  int32_t peer;            // a send goes to rank + peer, a receive comes from rank + peer, modulo ranks
  uint32_t channel;        // sends of a channel to one peer go one at a time, in the order in which they were added
  tandem_span span;        // what it works on
  uint32_t sources;        // mask of TANDEM_FROM_LOCAL ...: what is read; 0: no data
  int32_t target;          // TANDEM_LOCAL ...: where the sum goes; of a send, at the peer
  int32_t update;          // 0: it is stored there; 1: it is added to what is there
  int32_t sms;             // SMs that it may use at most; 0: a send by a copy engine, anything else without SM work
  int32_t acquires;        // resource that it takes a slot of before it starts ...
  int32_t releases;        // ... or gives one back to when done; 0: none
  const tandem_cost* cost; // NULL: what Tandem's own algorithms pay for the same
  int32_t elsewhere;       // 1: the target's pieces are not the span's own, but those from `place` on
  uint32_t place;          // counted as spans are; of a send, from the sender
} tandem_op;

typedef struct tandem_builder tandem_builder; // the plan in the making

// What Tandem offers while why_not() or plan() runs. Operations, resources: a number from 1 on, or 0 when the call was
// wrong; Tandem then reports the first wrong call, and the plan counts for nothing. `after`: the `after_count`
// operations of the same program that must be done before.
typedef struct tandem_host {
  uint32_t size;
  uint32_t abi;
  // Value of a parameter as the user wrote it, or its default. NULL: the plugin declares no such parameter.
  const char* (*parameter)(tandem_builder* builder, const char* name);
  // Ends the plan with a message for the user, for example about a parameter's value.
  void (*fail)(tandem_builder* builder, const char* message);
  // Pieces of a chunk; 1 unless this is called, and only before anything is added.
  void (*set_pieces_per_chunk)(tandem_builder* builder, uint32_t pieces);
  // Sends the span to `peer`, whose rank stores or adds it to `target`.
  uint32_t (*add_send)(tandem_builder* builder, const tandem_op* op, const uint32_t* after, uint32_t after_count);
  // Done when the matching send has arrived: the k-th receive of a peer and channel gets its k-th send. `span` names
  // the same pieces as the send's does, seen from here. The send waits until `after` is done.
  uint32_t (*add_receive)(tandem_builder* builder, const tandem_op* op, const uint32_t* after, uint32_t after_count);
  // Stores or adds the sum of `sources` to `target`, on this rank.
  uint32_t (*add_reduce)(tandem_builder* builder, const tandem_op* op, const uint32_t* after, uint32_t after_count);
  // Costs what `cost` says and touches no data; without a cost, it only waits for all of `after`.
  uint32_t (*add_work)(tandem_builder* builder, const tandem_op* op, const uint32_t* after, uint32_t after_count);
  // Done when all of `after` is done. From the first of them on it holds an entry of the tracker, if there is one.
  uint32_t (*add_trigger)(tandem_builder* builder, const tandem_op* op, const uint32_t* after, uint32_t after_count);
  // The launch of a communication kernel.
  uint32_t (*add_launch)(tandem_builder* builder, const tandem_op* op, const uint32_t* after, uint32_t after_count);
  // The request's GEMM on `sms` SMs, 0: all, which fills TANDEM_LOCAL. Returns its end.
  uint32_t (*add_gemm)(tandem_builder* builder, int32_t sms, const uint32_t* after, uint32_t after_count);
  // `op` waits for `on` too.
  void (*depend)(tandem_builder* builder, uint32_t op, uint32_t on);
  // Something of which each rank has `capacity` slots, for `acquires` and `releases`.
  uint32_t (*add_resource)(tandem_builder* builder, const char* name, int32_t capacity, int32_t when_full,
                           double spill_bytes);
  // The resource whose entries triggers hold; one with TANDEM_SPILL.
  void (*set_tracker)(tandem_builder* builder, uint32_t resource);
  // Ends the program of a rank, for plans whose ranks differ: one for each rank, in their order.
  void (*end_program)(tandem_builder* builder);
} tandem_host;

// A parameter that users give as `./plugin.so:name=value`.
typedef struct tandem_parameter {
  const char *name, *fallback, *help; // its default as the user would write it; one line of help
} tandem_parameter;

typedef struct tandem_plugin {
  uint32_t size;
  uint32_t abi;        // TANDEM_PLUGIN_ABI
  const char* name;    // of the algorithm, as results call it
  const char* summary; // one line
  uint32_t parameter_count;
  const tandem_parameter* parameters;
  // NULL, or an empty string: it can do it. Else one sentence that says why not, without a full stop, such as "it does
  // no broadcast"; it must live until the plugin is called again. The builder serves parameter() and fail() only.
  const char* (*why_not)(const tandem_host* host, tandem_builder* builder, const tandem_request* request);
  // Adds the operations. 0: all is well; else it has called fail().
  int (*plan)(const tandem_host* host, tandem_builder* builder, const tandem_request* request);
} tandem_plugin;

// The one function that a plugin exports.
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const tandem_plugin*
tandem_plugin_entry(void);

#ifdef __cplusplus
}
#endif

// NOLINTEND(readability-identifier-naming,modernize-deprecated-headers)

#endif
