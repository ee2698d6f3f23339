"""Language models and other sequences of tokens."""
from . import Model, ids, model, rows

VOCABULARY = 61
LENGTH = 12


def tokens(batch):
    return (ids(batch, LENGTH, VOCABULARY),)


PLAIN = dict(vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
             max_position_embeddings=32)
GROUPED = PLAIN | dict(num_key_value_heads=2, use_cache=False, pad_token_id=0)
GPT = dict(vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=4, n_positions=32, use_cache=False)


def encoder(name, config, more={}, suffix="Model"):
    """The last hidden states of transformers' NAMEModel."""
    import transformers
    module = getattr(transformers, name + suffix)(getattr(transformers, name + "Config")(**config | more))
    return Model(module, tokens, pick=lambda y: y.last_hidden_state)


def decoder(name, config, more={}, suffix="ForCausalLM"):
    """The logits of transformers' NAMEForCausalLM."""
    import transformers
    module = getattr(transformers, name + suffix)(getattr(transformers, name + "Config")(**config | more))
    return Model(module, tokens, pick=lambda y: y.logits, loss="classes")


def pair(name, config, more={}):
    """The logits of an encoder with a decoder."""
    import transformers
    made = getattr(transformers, name + "Config")(**dict(vocab_size=VOCABULARY, use_cache=False) | config | more)
    module = getattr(transformers, name + "ForConditionalGeneration")(made)
    return Model(module, lambda b: (ids(b, LENGTH, VOCABULARY), ids(b, 7, VOCABULARY)), loss="classes",
                 pick=lambda y: y.logits, call=lambda m, x, z: m(input_ids=x, decoder_input_ids=z))


BART = dict(d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4,
            encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=32)
T5 = dict(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4)

rows({
    "bert": ("Bert", PLAIN),
    "roberta": ("Roberta", PLAIN),
    "distilbert": ("DistilBert", dict(vocab_size=VOCABULARY, dim=32, n_layers=2, n_heads=4, hidden_dim=64,
                                      max_position_embeddings=32)),
    "albert": ("Albert", PLAIN, dict(embedding_size=16)),
    "electra": ("Electra", PLAIN, dict(embedding_size=16)),
    "mpnet": ("MPNet", PLAIN),
    "deberta_v2": ("DebertaV2", PLAIN, dict(relative_attention=True, pos_att_type=["p2c", "c2p"], position_buckets=8)),
    "convbert": ("ConvBert", PLAIN, dict(embedding_size=32)),
    "squeezebert": ("SqueezeBert", PLAIN, dict(embedding_size=32)),
    "mobilebert": ("MobileBert", PLAIN, dict(intra_bottleneck_size=16, embedding_size=16, num_feedforward_networks=1)),
    "nystromformer": ("Nystromformer", PLAIN, dict(num_landmarks=12, segment_means_seq_len=12)),
    "modernbert": ("ModernBert", PLAIN, dict(pad_token_id=0, global_attn_every_n_layers=2, local_attention=4)),
    "roformer": ("RoFormer", PLAIN, dict(embedding_size=32)),
    "megatron_bert": ("MegatronBert", PLAIN),
    "xlnet": ("XLNet", dict(vocab_size=VOCABULARY, d_model=32, n_layer=2, n_head=4, d_inner=64)),
    "fnet": ("FNet", PLAIN),
    "t5_encoder": ("T5", T5 | dict(vocab_size=VOCABULARY, is_encoder_decoder=False), {}, "EncoderModel"),
}, encoder, "transformers")

rows({
    "gpt2": ("GPT2", GPT, {}, "LMHeadModel"),
    "gpt_neo": ("GPTNeo", dict(vocab_size=VOCABULARY, hidden_size=32, num_layers=2, num_heads=4, window_size=4,
                               attention_types=[[["global", "local"], 1]], max_position_embeddings=32,
                               use_cache=False)),
    "gptj": ("GPTJ", GPT, dict(rotary_dim=4)),
    "gpt_neox": ("GPTNeoX", PLAIN, dict(use_cache=False)),
    "opt": ("OPT", dict(vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, ffn_dim=64, num_attention_heads=4,
                        max_position_embeddings=32, word_embed_proj_dim=32, use_cache=False)),
    "bloom": ("Bloom", dict(vocab_size=VOCABULARY, hidden_size=32, n_layer=2, n_head=4, use_cache=False)),
    "llama": ("Llama", GROUPED),
    "mistral": ("Mistral", GROUPED, dict(sliding_window=4)),
    "qwen2": ("Qwen2", GROUPED),
    "qwen3": ("Qwen3", GROUPED, dict(head_dim=8)),
    "gemma": ("Gemma", GROUPED, dict(head_dim=8)),
    "gemma2": ("Gemma2", GROUPED, dict(head_dim=8, sliding_window=4)),
    "phi": ("Phi", GROUPED),
    "phi3": ("Phi3", GROUPED),
    "falcon": ("Falcon", dict(vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                              use_cache=False)),
    "olmo2": ("Olmo2", GROUPED),
    "stablelm": ("StableLm", GROUPED),
    "starcoder2": ("Starcoder2", GROUPED),
    "cohere": ("Cohere", GROUPED),
    "granite": ("Granite", GROUPED),
    "mixtral": ("Mixtral", GROUPED, dict(num_local_experts=4, num_experts_per_tok=2,
                                           experts_implementation="batched_mm")),
    "nemotron": ("Nemotron", GROUPED),
    "diffllama": ("DiffLlama", GROUPED),
    "mamba2": ("Mamba2", dict(vocab_size=VOCABULARY, hidden_size=16, num_hidden_layers=2, state_size=4, head_dim=8,
                              num_heads=4, n_groups=2, chunk_size=4, use_cache=False)),
    "mamba": ("Mamba", dict(vocab_size=VOCABULARY, hidden_size=16, num_hidden_layers=2, state_size=4, use_cache=False)),
}, decoder, "transformers")

rows({
    "bart": ("Bart", BART),
    "t5": ("T5", T5),
    "pegasus": ("Pegasus", BART),
}, pair, "transformers")


@model()
def lstm_tagger():
    import torch
    from torch import nn

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.lstm = nn.Embedding(VOCABULARY, 16), nn.LSTM(16, 16, batch_first=True)
            self.head = nn.Linear(16, 9)

        def forward(self, x):
            start = torch.zeros(1, x.shape[0], 16, dtype=self.head.weight.dtype)
            return self.head(self.lstm(self.embed(x), (start, start))[0])
    return Model(Tagger(), tokens, loss="classes")


@model()
def lstm_steps():
    """Fifty steps of a cell, and a classifier of the last state."""
    import torch
    from torch import nn

    class Steps(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.head = nn.LSTMCell(6, 16), nn.Linear(16, 5)

        def forward(self, x):
            h = c = torch.zeros(x.shape[0], 16, dtype=x.dtype)
            for t in range(x.shape[1]):
                h, c = self.cell(x[:, t], (h, c))
            return self.head(h)
    return Model(Steps(), lambda b: (torch.randn(b, 50, 6),), loss="classes")


@model()
def transformer_encoder():
    from torch import nn
    layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True, norm_first=True)
    module = nn.Sequential(nn.Embedding(VOCABULARY, 32), nn.TransformerEncoder(layer, 2, enable_nested_tensor=False))
    return Model(module, tokens)
