// gpu_launch.h: what a kernel of a GPU is launched with, and who works on a tile together.

#ifndef SINTER_LOWERING_FACTS_GPU_LAUNCH_H
#define SINTER_LOWERING_FACTS_GPU_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

// Those that work on one tile together, a team.
typedef enum {
  SN_GPU_NEIGHBOURS,   // `team` threads of a warp that follow each other, 1 to 32; or all of a block
  SN_GPU_ACROSS_WARPS, // threads 32 apart, one of each warp: a block has 32 teams
  SN_GPU_CLUSTER,      // a hardware cluster of `cluster` blocks
  SN_GPU_BESIDE,       // `cluster` blocks that never meet, any number of them
  SN_GPU_GROUP,        // `cluster` blocks that meet by way of memory, any number of them; all blocks run at once
  SN_GPU_GRID,         // all threads of all blocks
} SnGpuTeams;

typedef struct {
  int64_t blocks;       // of the grid
  int64_t cluster;      // blocks of a cluster or of a group; 1: there are none
  int64_t threads;      // of a block, that work on tiles: a power of two, 32 to 1024
  int64_t more_threads; // of a block, that have other roles
  int64_t occupancy;    // blocks that share a multiprocessor
  SnGpuTeams teams;
  int64_t team; // threads of a block that are of one team
  int64_t at_once; // tiles, or elements where all are alike, that a block or a cluster has in each turn
  bool one_each;   // the host counts the blocks: each team has one tile
  bool filling;    // the runtime counts the blocks: as many as the device holds at once, `blocks` at most
  int64_t least;   // of these; the launch fails where the device holds fewer
  bool fitted;     // the host counts the blocks that have work, `blocks` at most
} SnGpuLaunch;

#endif
