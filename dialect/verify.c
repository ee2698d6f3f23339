#include "capi/form.h"
#include "dialect/dialect.h"
MlirLogicalResult sinter_rowwise_verify(MlirOperation op);
MlirLogicalResult sinter_contract_verify(MlirOperation op);
MlirLogicalResult sinter_yield_verify(MlirOperation op);
MlirLogicalResult sinter_row_reduce_verify(MlirOperation op);
MlirLogicalResult sinter_broadcast_verify(MlirOperation op);
MlirLogicalResult sinter_index_verify(MlirOperation op);
MlirLogicalResult sinter_pick_verify(MlirOperation op);
MlirType sinter_pick_infer(intptr_t n, const MlirValue *operands);
MlirLogicalResult sinter_rowwise_verify(MlirOperation op) { return SN_OK; }
MlirLogicalResult sinter_contract_verify(MlirOperation op) { return SN_OK; }
MlirLogicalResult sinter_yield_verify(MlirOperation op) { return SN_OK; }
MlirLogicalResult sinter_row_reduce_verify(MlirOperation op) { return SN_OK; }
MlirLogicalResult sinter_broadcast_verify(MlirOperation op) { return SN_OK; }
MlirLogicalResult sinter_index_verify(MlirOperation op) { return SN_OK; }
MlirLogicalResult sinter_pick_verify(MlirOperation op) { return SN_OK; }
MlirType sinter_pick_infer(intptr_t n, const MlirValue *operands) { return sn_element(sn_type_of(operands[0])); }
bool sn_schedule_check(const char *mnemonic, MlirAttribute params, char *why, size_t size) { return true; }
