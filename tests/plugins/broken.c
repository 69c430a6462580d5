// A plugin that does what its parameter `how` says, most of it wrong; variants by macro are wrong before it can be
// asked.
#define _GNU_SOURCE
#include "collective/plugin/tandem_plugin.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile int* nowhere = NULL;

static void sleep_for_ever(void) {
  for (;;)
    sleep(1);
}

static int endless(volatile char* stack) {
  volatile char more[4096];
  more[0] = stack[0];
  return endless(more) + more[0];
}

// The pipe that the answer goes through: nothing else is open.
static int answer_pipe(void) {
  for (int fd = 255; fd > 2; --fd) {
    struct stat about;
    if (fstat(fd, &about) == 0 && S_ISFIFO(about.st_mode) && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
      return fd;
  }
  return -1;
}

static void answer(const char* text) {
  if (write(answer_pipe(), text, strlen(text)) < 0)
    _exit(9);
}

// Trouble of the process's; returns when `how` names none.
static void misbehave(const char* how) {
  if (strcmp(how, "crash") == 0)
    *nowhere = 1;
  if (strcmp(how, "abort") == 0)
    abort();
  if (strcmp(how, "overflow") == 0)
    exit(endless("\1"));
  if (strcmp(how, "hang") == 0)
    sleep_for_ever();
  if (strcmp(how, "exit") == 0)
    exit(3);
  if (strcmp(how, "garbage") == 0)
    answer("0123456789012345678901234567890123456789012345678901234567890123456789");
  if (strcmp(how, "break-off") == 0) {
    answer("tandem-answer 00000000000000ff0123456789abcdefR");
    _exit(0);
  }
  if (strcmp(how, "bad-digest") == 0)
    answer("tandem-answer 00000000000000010123456789abcdefR");
  if (strcmp(how, "huge") == 0)
    answer("tandem-answer 7fffffffffffffff0123456789abcdefR");
  if (strcmp(how, "nonsense") == 0) { // well framed: the digest is FNV-1a's of "Rx"
    answer("tandem-answer 0000000000000002");
    unsigned long long digest = 14695981039346656037ULL;
    for (const char* c = "Rx"; *c != '\0'; ++c)
      digest = (digest ^ (unsigned char)*c) * 1099511628211ULL;
    char text[32];
    snprintf(text, sizeof text, "%016llxRx", digest);
    answer(text);
    sleep_for_ever();
  }
  if (strcmp(how, "close") == 0)
    close(answer_pipe());
  if (strcmp(how, "print") == 0) {
    puts("noise on stdout");
    fflush(stdout);
  }
}

static const char* why_not(const tandem_host* host, tandem_builder* builder, const tandem_request* request) {
  const char* how = host->parameter(builder, "why_not");
  misbehave(how);
  if (strcmp(how, "refuse") == 0)
    return "it does not want to\n";
  if (strcmp(how, "fail") == 0)
    host->fail(builder, "no such thing");
  if (strcmp(how, "wild") == 0)
    return (const char*)1;
  return request->ranks < 1 ? "it needs ranks" : "";
}

// All ranks send all that they have to the next one.
static void send_on(const tandem_host* host, tandem_builder* builder, tandem_op op) {
  op.size = sizeof op;
  op.peer = 1;
  op.sources = TANDEM_FROM_LOCAL;
  op.target = TANDEM_STAGING;
  host->add_send(builder, &op, NULL, 0);
}

// What the program says wrong.
static void say(const tandem_host* host, tandem_builder* builder, const char* how, const tandem_request* request) {
  const tandem_op plain = {.size = sizeof plain, .label = "plain", .span = {0, 1}};
  tandem_op op = plain;
  uint32_t made = strcmp(how, "nothing") == 0 ? 0 : host->add_work(builder, &plain, NULL, 0);
  if (strcmp(how, "fail") == 0)
    host->fail(builder, "two\nlines");
  else if (strcmp(how, "never-sent") == 0) {
    op.peer = -1;
    host->add_receive(builder, &op, NULL, 0);
  } else if (strcmp(how, "never-received") == 0)
    send_on(host, builder, plain);
  else if (strcmp(how, "no-size") == 0) {
    op.size = 0;
    host->add_work(builder, &op, NULL, 0);
  } else if (strcmp(how, "unknown-operation") == 0) {
    made = 99;
    host->add_work(builder, &plain, &made, 1);
  } else if (strcmp(how, "no-list") == 0)
    host->add_work(builder, &plain, NULL, 3);
  else if (strcmp(how, "own-rank") == 0) {
    op.peer = request->ranks;
    op.sources = TANDEM_FROM_LOCAL;
    host->add_send(builder, &op, NULL, 0);
  } else if (strcmp(how, "bad-source") == 0) {
    op.peer = 1;
    op.sources = 64;
    host->add_send(builder, &op, NULL, 0);
  } else if (strcmp(how, "bad-phase") == 0) {
    op.phase = 9;
    host->add_work(builder, &op, NULL, 0);
  } else if (strcmp(how, "bad-span") == 0) {
    op.span.count = 1000;
    send_on(host, builder, op);
  } else if (strcmp(how, "bad-cost") == 0) {
    const tandem_cost cost = {.size = sizeof cost, .delay_s = NAN};
    op.cost = &cost;
    host->add_work(builder, &op, NULL, 0);
  } else if (strcmp(how, "bad-resource") == 0) {
    op.acquires = 1;
    host->add_work(builder, &op, NULL, 0);
  } else if (strcmp(how, "late-pieces") == 0)
    host->set_pieces_per_chunk(builder, 2);
  else if (strcmp(how, "no-gemm") == 0)
    host->add_gemm(builder, 0, NULL, 0);
  else if (strcmp(how, "few-programs") == 0)
    host->end_program(builder);
  else if (strcmp(how, "cycle") == 0)
    host->depend(builder, made, made);
  else if (strcmp(how, "endless") == 0)
    while (host->add_work(builder, &plain, NULL, 0) != 0) {
    }
}

static int plan(const tandem_host* host, tandem_builder* builder, const tandem_request* request) {
  const char* how = host->parameter(builder, "how");
  misbehave(how);
  say(host, builder, how, request);
  return strcmp(how, "return") == 0 ? 7 : 0;
}

#ifdef HANGS_WHEN_LOADED
__attribute__((constructor)) static void hang(void) {
  sleep_for_ever();
}
#endif

#ifndef NO_ENTRY
#ifndef PLUGIN_ABI
#define PLUGIN_ABI TANDEM_PLUGIN_ABI
#endif
#ifndef PLUGIN_NAME
#define PLUGIN_NAME "broken"
#endif
#ifndef PARAMETERS
#define PARAMETERS 2
#endif

const tandem_plugin* tandem_plugin_entry(void) {
  static const tandem_parameter parameters[] = {{"how", "well", "what goes wrong"}, {"why_not", "", "and before"}};
  static const tandem_plugin plugin = {.size = sizeof plugin,
                                       .abi = PLUGIN_ABI,
                                       .name = PLUGIN_NAME,
                                       .summary = "does what it is told",
                                       .parameter_count = PARAMETERS,
                                       .parameters = parameters,
                                       .why_not = why_not,
                                       .plan = plan};
#ifdef CRASHES_WHEN_ASKED
  *nowhere = 1;
#endif
#ifdef DESCRIBES_NOTHING
  return NULL;
#endif
  return &plugin;
}
#endif
