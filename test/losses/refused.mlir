// RUN: sinter-opt --split-input-file --verify-diagnostics %s

// What PyTorch refuses of its losses' options, shapes and types is an error at the op, before anything runs.

func.func @mse_shape(%a0: tensor<4x8xf32>, %a1: tensor<4x7xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x7xf32>'; give the shape 4x8, or what is broadcast to it}}
  %l = sinter.mse(%a0, %a1) : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<f32>
  return
}

// -----

func.func @l1_shape(%a0: tensor<4x8xf32>, %a1: tensor<4x7xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x7xf32>'; give the shape 4x8, or what is broadcast to it}}
  %l = sinter.l1(%a0, %a1) : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<f32>
  return
}

// -----

func.func @smooth_l1_shape(%a0: tensor<4x8xf32>, %a1: tensor<4x7xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x7xf32>'; give the shape 4x8, or what is broadcast to it}}
  %l = sinter.smooth_l1(%a0, %a1) : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<f32>
  return
}

// -----

func.func @huber_shape(%a0: tensor<4x8xf32>, %a1: tensor<4x7xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x7xf32>'; give the shape 4x8, or what is broadcast to it}}
  %l = sinter.huber(%a0, %a1) : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<f32>
  return
}

// -----

func.func @kl_div_shape(%a0: tensor<4x8xf32>, %a1: tensor<4x7xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x7xf32>'; give the shape 4x8, or what is broadcast to it}}
  %l = sinter.kl_div(%a0, %a1) : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<f32>
  return
}

// -----

func.func @poisson_nll_shape(%a0: tensor<4x8xf32>, %a1: tensor<4x7xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x7xf32>'; give the shape 4x8, or what is broadcast to it}}
  %l = sinter.poisson_nll(%a0, %a1) : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<f32>
  return
}

// -----

func.func @hinge_embedding_shape(%a0: tensor<4x8xf32>, %a1: tensor<4x7xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x7xf32>'; give the shape 4x8, or what is broadcast to it}}
  %l = sinter.hinge_embedding(%a0, %a1) : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<f32>
  return
}

// -----

func.func @soft_margin_shape(%a0: tensor<4x8xf32>, %a1: tensor<4x7xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x7xf32>'; give the shape 4x8, or what is broadcast to it}}
  %l = sinter.soft_margin(%a0, %a1) : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<f32>
  return
}

// -----

func.func @multilabel_soft_margin_shape(%a0: tensor<4x8xf32>, %a1: tensor<4x7xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x7xf32>'; give the shape 4x8, or what is broadcast to it}}
  %l = sinter.multilabel_soft_margin(%a0, %a1) : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<f32>
  return
}

// -----

func.func @mse_reduction(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{'reduction' is one of "mean", "sum", "none"}}
  %l = sinter.mse(%a0, %a1) {reduction = "batchmean"} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @smooth_l1_beta(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{'beta' is -1, and has to be at least 0}}
  %l = sinter.smooth_l1(%a0, %a1) {beta = -1.0} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @huber_delta(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{'delta' is 0, and has to be above 0}}
  %l = sinter.huber(%a0, %a1) {delta = 0.0} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @bce_target(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<8xf32>', and the shape of 'input' of type 'tensor<4x8xf32>' is needed: they are not broadcast}}
  %l = sinter.bce(%a0, %a1) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<f32>
  return
}

// -----

func.func @bce_column(%a0: tensor<4x1xf32>, %a1: tensor<4xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4xf32>', and the shape of 'input' of type 'tensor<4x1xf32>' is needed}}
  %l = sinter.bce(%a0, %a1) : (tensor<4x1xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @bce_weight(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<2x4x8xf32>) {
  // expected-error @+1 {{operand 'weight' has type 'tensor<2x4x8xf32>'; give the shape 4x8, or what is broadcast to it}}
  %l = sinter.bce(%a0, %a1, weight = %a2) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<2x4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @bce_with_logits_target(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<8xf32>', and the shape of 'input' of type 'tensor<4x8xf32>' is needed: they are not broadcast}}
  %l = sinter.bce_with_logits(%a0, %a1) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<f32>
  return
}

// -----

func.func @bce_with_logits_column(%a0: tensor<4x1xf32>, %a1: tensor<4xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4xf32>', and the shape of 'input' of type 'tensor<4x1xf32>' is needed}}
  %l = sinter.bce_with_logits(%a0, %a1) : (tensor<4x1xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @bce_with_logits_weight(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<2x4x8xf32>) {
  // expected-error @+1 {{operand 'weight' has type 'tensor<2x4x8xf32>'; give the shape 4x8, or what is broadcast to it}}
  %l = sinter.bce_with_logits(%a0, %a1, weight = %a2) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<2x4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @bce_with_logits_pos_weight(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<5xf32>) {
  // expected-error @+1 {{operand 'pos_weight' has type 'tensor<5xf32>'; give the shape 4x8}}
  %l = sinter.bce_with_logits(%a0, %a1, pos_weight = %a2) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<5xf32>) -> tensor<f32>
  return
}

// -----

func.func @nll_rows(%a0: tensor<4x8xf32>, %a1: tensor<5xi64>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<5xi64>'; give the shape 4}}
  %l = sinter.nll(%a0, %a1) : (tensor<4x8xf32>, tensor<5xi64>) -> tensor<f32>
  return
}

// -----

func.func @nll_rank(%a0: tensor<4x8x3xf32>, %a1: tensor<4x8xi64>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x8xi64>'; give the shape 4x3}}
  %l = sinter.nll(%a0, %a1) : (tensor<4x8x3xf32>, tensor<4x8xi64>) -> tensor<f32>
  return
}

// -----

func.func @nll_alone(%a0: tensor<8xf32>, %a1: tensor<1xi64>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<1xi64>'; give a tensor without dimensions}}
  %l = sinter.nll(%a0, %a1) : (tensor<8xf32>, tensor<1xi64>) -> tensor<f32>
  return
}

// -----

func.func @nll_labels(%a0: tensor<4x8xf32>, %a1: tensor<4xf32>) {
  // expected-error @+1 {{operand 'target' has elements of type 'f32'; give integers}}
  %l = sinter.nll(%a0, %a1) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @nll_weight(%a0: tensor<4x8xf32>, %a1: tensor<4xi64>, %a2: tensor<7xf32>) {
  // expected-error @+1 {{operand 'weight' has type 'tensor<7xf32>'; give one element for each of the 8 columns}}
  %l = sinter.nll(%a0, %a1, weight = %a2) : (tensor<4x8xf32>, tensor<4xi64>, tensor<7xf32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_rows(%a0: tensor<4x8xf32>, %a1: tensor<5xi64>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<5xi64>'; give the shape 4}}
  %l = sinter.cross_entropy(%a0, %a1) : (tensor<4x8xf32>, tensor<5xi64>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_rank(%a0: tensor<4x8x3xf32>, %a1: tensor<4x8xi64>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x8xi64>'; give the shape 4x3}}
  %l = sinter.cross_entropy(%a0, %a1) : (tensor<4x8x3xf32>, tensor<4x8xi64>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_alone(%a0: tensor<8xf32>, %a1: tensor<1xi64>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<1xi64>'; give the shape 8}}
  %l = sinter.cross_entropy(%a0, %a1) : (tensor<8xf32>, tensor<1xi64>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_labels(%a0: tensor<4x8xf32>, %a1: tensor<4xf32>) {
  // expected-error @+1 {{operand 'target' has elements of type 'f32'; give integers}}
  %l = sinter.cross_entropy(%a0, %a1) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_weight(%a0: tensor<4x8xf32>, %a1: tensor<4xi64>, %a2: tensor<7xf32>) {
  // expected-error @+1 {{operand 'weight' has type 'tensor<7xf32>'; give one element for each of the 8 columns}}
  %l = sinter.cross_entropy(%a0, %a1, weight = %a2) : (tensor<4x8xf32>, tensor<4xi64>, tensor<7xf32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_probabilities(%a0: tensor<4x8xf32>, %a1: tensor<4x7xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x7xf32>'; give the shape 4x8}}
  %l = sinter.cross_entropy(%a0, %a1) : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_smoothing(%a0: tensor<4x8xf32>, %a1: tensor<4xi64>) {
  // expected-error @+1 {{'label_smoothing' is 1.1, and has to be at most 1}}
  %l = sinter.cross_entropy(%a0, %a1) {label_smoothing = 1.1} : (tensor<4x8xf32>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_smoothing_below(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{'label_smoothing' is -0.1, and has to be at least 0}}
  %l = sinter.cross_entropy(%a0, %a1) {label_smoothing = -0.1} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_ignore_index(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{fails in every row: cross_entropy: ignore_index is not supported with probabilities as target}}
  %l = sinter.cross_entropy(%a0, %a1) {ignore_index = 3} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @gaussian_nll_var(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<8xf32>) {
  // expected-error @+1 {{operand 'var' has type 'tensor<8xf32>'; give the shape 4x8, with 1 for what is broadcast, or the shape 4}}
  %l = sinter.gaussian_nll(%a0, %a1, %a2) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<f32>
  return
}

// -----

func.func @gaussian_nll_var_of_one(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<1xf32>) {
  // expected-error @+1 {{operand 'var' has type 'tensor<1xf32>'; give the shape 4x8}}
  %l = sinter.gaussian_nll(%a0, %a1, %a2) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<1xf32>) -> tensor<f32>
  return
}

// -----

func.func @gaussian_nll_eps(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<4x8xf32>) {
  // expected-error @+1 {{'eps' is -1, and has to be at least 0}}
  %l = sinter.gaussian_nll(%a0, %a1, %a2) {eps = -1.0} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @cosine_embedding_target(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<4x1xf32>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x1xf32>'; give the shape 4}}
  %l = sinter.cosine_embedding(%a0, %a1, %a2) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<f32>
  return
}

// -----

func.func @cosine_embedding_rank(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>, %a2: tensor<4xf32>) {
  // expected-error @+1 {{operand 'input2' has 1 dimensions, and 'input1' has 2; give as many}}
  %l = sinter.cosine_embedding(%a0, %a1, %a2) : (tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @margin_ranking_rank(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<8xf32>) {
  // expected-error @+1 {{operand 'target' has 1 dimensions, and 'input1' has 2; give as many}}
  %l = sinter.margin_ranking(%a0, %a1, %a2) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<f32>
  return
}

// -----

func.func @triplet_margin_rank(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>, %a2: tensor<4x8xf32>) {
  // expected-error @+1 {{operand 'positive' has 1 dimensions, and 'anchor' has 2; give as many}}
  %l = sinter.triplet_margin(%a0, %a1, %a2) : (tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @triplet_margin_margin(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<4x8xf32>) {
  // expected-error @+1 {{'margin' is 0, and has to be above 0}}
  %l = sinter.triplet_margin(%a0, %a1, %a2) {margin = 0.0} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @triplet_margin_with_distance_rank(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>, %a2: tensor<4x8xf32>) {
  // expected-error @+1 {{operand 'positive' has 1 dimensions, and 'anchor' has 2; give as many}}
  %l = sinter.triplet_margin_with_distance(%a0, %a1, %a2) : (tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @triplet_margin_with_distance_margin(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<4x8xf32>) {
  // expected-error @+1 {{'margin' is 0, and has to be above 0}}
  %l = sinter.triplet_margin_with_distance(%a0, %a1, %a2) {margin = 0.0} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @triplet_margin_p(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %a2: tensor<4x8xf32>) {
  // expected-error @+1 {{'p' is -1, and has to be at least 0}}
  %l = sinter.triplet_margin(%a0, %a1, %a2) {p = -1.0} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @multi_margin_p(%a0: tensor<4x8xf32>, %a1: tensor<4xi64>) {
  // expected-error @+1 {{fails in every row: multi_margin: p is neither 1 nor 2}}
  %l = sinter.multi_margin(%a0, %a1) {p = 3} : (tensor<4x8xf32>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

func.func @multi_margin_rows(%a0: tensor<4x8xf32>, %a1: tensor<5xi64>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<5xi64>'; give the shape 4}}
  %l = sinter.multi_margin(%a0, %a1) : (tensor<4x8xf32>, tensor<5xi64>) -> tensor<f32>
  return
}

// -----

func.func @multi_margin_labels(%a0: tensor<4x8xf32>, %a1: tensor<4xf32>) {
  // expected-error @+1 {{operand 'target' has elements of type 'f32'; give integers}}
  %l = sinter.multi_margin(%a0, %a1) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @multi_margin_weight(%a0: tensor<4x8xf32>, %a1: tensor<4xi64>, %a2: tensor<5xf32>) {
  // expected-error @+1 {{operand 'weight' has type 'tensor<5xf32>'; give one element for each of the 8 columns}}
  %l = sinter.multi_margin(%a0, %a1, weight = %a2) : (tensor<4x8xf32>, tensor<4xi64>, tensor<5xf32>) -> tensor<f32>
  return
}

// -----

func.func @multilabel_margin_shape(%a0: tensor<4x8xf32>, %a1: tensor<4x7xi64>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4x7xi64>', and is as large as 'input' of type 'tensor<4x8xf32>'}}
  %l = sinter.multilabel_margin(%a0, %a1) : (tensor<4x8xf32>, tensor<4x7xi64>) -> tensor<f32>
  return
}

// -----

func.func @multilabel_margin_labels(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{operand 'target' has elements of type 'f32'; give integers}}
  %l = sinter.multilabel_margin(%a0, %a1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @multilabel_margin_rank(%a0: tensor<2x4x8xf32>, %a1: tensor<2x4x8xi64>) {
  // expected-error @+1 {{operand 'input' has rank 3, and 2 is needed}}
  %l = sinter.multilabel_margin(%a0, %a1) : (tensor<2x4x8xf32>, tensor<2x4x8xi64>) -> tensor<f32>
  return
}

// -----

func.func @ctc_blank(%a0: tensor<5x2x4xf32>, %a1: tensor<2x3xi64>, %a2: tensor<2xi64>, %a3: tensor<2xi64>) {
  // expected-error @+1 {{fails in every row: ctc: blank is negative or not less than the number of classes}}
  %l = sinter.ctc(%a0, %a1, %a2, %a3) {blank = 4} : (tensor<5x2x4xf32>, tensor<2x3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<f32>
  return
}

// -----

func.func @ctc_blank_below(%a0: tensor<5x2x4xf32>, %a1: tensor<2x3xi64>, %a2: tensor<2xi64>, %a3: tensor<2xi64>) {
  // expected-error @+1 {{fails in every row: ctc: blank is negative or not less than the number of classes}}
  %l = sinter.ctc(%a0, %a1, %a2, %a3) {blank = -1} : (tensor<5x2x4xf32>, tensor<2x3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<f32>
  return
}

// -----

func.func @ctc_alone(%a0: tensor<5x4xf32>, %a1: tensor<3xi64>, %a2: tensor<i64>, %a3: tensor<i64>) {
  // expected-error @+1 {{fails in every row: ctc: blank is negative or not less than the number of classes}}
  %l = sinter.ctc(%a0, %a1, %a2, %a3) {blank = 4} : (tensor<5x4xf32>, tensor<3xi64>, tensor<i64>, tensor<i64>) -> tensor<f32>
  return
}

// -----

func.func @ctc_lengths(%a0: tensor<5x2x4xf32>, %a1: tensor<2x3xi64>, %a2: tensor<3xi64>, %a3: tensor<2xi64>) {
  // expected-error @+1 {{operand 'input_lengths' has 3 rows in dimension 0, and there are 2}}
  %l = sinter.ctc(%a0, %a1, %a2, %a3) : (tensor<5x2x4xf32>, tensor<2x3xi64>, tensor<3xi64>, tensor<2xi64>) -> tensor<f32>
  return
}

// -----

func.func @ctc_targets(%a0: tensor<5x2x4xf32>, %a1: tensor<3x3xi64>, %a2: tensor<2xi64>, %a3: tensor<2xi64>) {
  // expected-error @+1 {{operand 'targets' has 3 rows in dimension 0, and there are 2}}
  %l = sinter.ctc(%a0, %a1, %a2, %a3) : (tensor<5x2x4xf32>, tensor<3x3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<f32>
  return
}

// -----

func.func @ctc_rank(%a0: tensor<5x2x4x1xf32>, %a1: tensor<2x3xi64>, %a2: tensor<2xi64>, %a3: tensor<2xi64>) {
  // expected-error @+1 {{operand 'log_probs' has rank 4, and 3 is needed}}
  %l = sinter.ctc(%a0, %a1, %a2, %a3) : (tensor<5x2x4x1xf32>, tensor<2x3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<f32>
  return
}

// -----

func.func @ctc_types(%a0: tensor<5x2x4xf32>, %a1: tensor<2x3xi64>, %a2: tensor<2xf32>, %a3: tensor<2xi64>) {
  // expected-error @+1 {{operand 'input_lengths' has elements of type 'f32'; give integers}}
  %l = sinter.ctc(%a0, %a1, %a2, %a3) : (tensor<5x2x4xf32>, tensor<2x3xi64>, tensor<2xf32>, tensor<2xi64>) -> tensor<f32>
  return
}

// -----

func.func @ctc_reduction(%a0: tensor<5x2x4xf32>, %a1: tensor<2x3xi64>, %a2: tensor<2xi64>, %a3: tensor<2xi64>) {
  // expected-error @+1 {{'reduction' is one of "mean", "sum", "none"}}
  %l = sinter.ctc(%a0, %a1, %a2, %a3) {reduction = "batchmean"} : (tensor<5x2x4xf32>, tensor<2x3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<f32>
  return
}

// -----

func.func @ohem_nothing(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{fails in every row: ohem: neither k nor threshold is given}}
  %l = sinter.ohem(%x) : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @lovasz_softmax_places(%x: tensor<9x4xf32>, %t: tensor<4xi64>) {
  // expected-error @+1 {{operand 'target' has type 'tensor<4xi64>'; give one element for each of the 9 columns}}
  %l = sinter.lovasz_softmax(%x, %t) : (tensor<9x4xf32>, tensor<4xi64>) -> tensor<f32>
  return
}

// -----

func.func @sinkhorn_vector(%x: tensor<9xf32>) {
  // expected-error @+1 {{has rows along dimension -2, and operands of rank 1}}
  %l = sinter.sinkhorn(%x) : (tensor<9xf32>) -> tensor<f32>
  return
}

// -----

func.func @sinkhorn_turns(%x: tensor<9x4xf32>) {
  // expected-error @+1 {{'iterations' is 0, and has to be at least 1}}
  %l = sinter.sinkhorn(%x) {iterations = 0} : (tensor<9x4xf32>) -> tensor<f32>
  return
}
