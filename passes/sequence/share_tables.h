// share_tables.h: small kernels of arguments alone, brought together.

#ifndef SINTER_PASSES_SEQUENCE_SHARE_TABLES_H
#define SINTER_PASSES_SEQUENCE_SHARE_TABLES_H

#include "capi/sn.h"

// Of each what one kernel may make, behind each other in the block. Free each, then all, with sn_vec_free.
typedef SN_VEC(SnOpVec) SnTableGroups;
SnTableGroups sn_gather_tables(MlirBlock block);

#endif
