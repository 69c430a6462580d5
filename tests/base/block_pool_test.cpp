// Blocks are apart, aligned, used again, and told from other memory.
#include "base/block_pool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace tandem::base::block_pool {
namespace {

TEST(BlockPool, BlocksAreApartAndAligned) {
  struct Taken {
    unsigned char* block;
    std::size_t bytes;
    int mark;
  };
  std::vector<Taken> all;
  for (int turn = 0; turn < 400; ++turn)
    for (const std::size_t bytes : {std::size_t{1}, STEP, STEP + 1, std::size_t{200}, LARGEST - 1, LARGEST}) {
      auto* const block = static_cast<unsigned char*>(take(bytes));
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % STEP, 0);
      const int mark = static_cast<int>(all.size() % 251);
      std::memset(block, mark, bytes);
      all.push_back({block, bytes, mark});
    }
  for (const auto& [block, bytes, mark] : all)
    for (std::size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(block[i], mark);
  for (const auto& taken : all)
    EXPECT_TRUE(give_back(taken.block));
}

TEST(BlockPool, TheLastBlockThatCameBackIsTheNextOfItsSize) {
  void* const small = take(40); // of 48 bytes
  void* const large = take(49); // of 64
  EXPECT_TRUE(give_back(small));
  EXPECT_TRUE(give_back(large));
  EXPECT_EQ(take(64), large);
  EXPECT_EQ(take(33), small);
  EXPECT_TRUE(give_back(small));
  EXPECT_TRUE(give_back(large));
}

TEST(BlockPool, OtherMemoryIsNotTakenBack) {
  EXPECT_TRUE(give_back(take(1))); // the pool's addresses are known now
  int here = 0;
  const std::unique_ptr<void, decltype(&std::free)> elsewhere(std::malloc(64), &std::free);
  EXPECT_FALSE(give_back(&here));
  EXPECT_FALSE(give_back(elsewhere.get()));
  EXPECT_FALSE(give_back(nullptr));
}

TEST(BlockPool, ThreadsHaveBlocksOfTheirOwn) {
  constexpr std::size_t EACH = 5000; // of 160 bytes: several of the pieces that a thread takes
  std::vector<std::vector<void*>> taken(3);
  std::vector<std::thread> threads;
  for (auto& own : taken)
    threads.emplace_back([&own] {
      for (std::size_t i = 0; i < EACH; ++i)
        own.push_back(take(150));
    });
  for (auto& thread : threads)
    thread.join();
  std::set<void*> all;
  for (const auto& own : taken)
    all.insert(own.begin(), own.end());
  EXPECT_EQ(all.size(), 3 * EACH);
  for (void* const block : all) // of threads that have ended
    EXPECT_TRUE(give_back(block));
  std::set<void*> again;
  for (std::size_t i = 0; i < 3 * EACH; ++i)
    again.insert(take(150));
  EXPECT_EQ(again, all);
}

} // namespace
} // namespace tandem::base::block_pool
