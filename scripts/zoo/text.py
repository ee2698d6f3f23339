"""Language models and other sequences of tokens."""
from . import Model, ids, model

VOCABULARY = 61
LENGTH = 12


def tokens(batch):
    return (ids(batch, LENGTH, VOCABULARY),)


def plain(**more):
    """The configuration of most encoders."""
    return dict(vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
                max_position_embeddings=32) | more


def hidden(module, **more):
    return Model(module, tokens, pick=lambda y: y.last_hidden_state, **more)


def logits(module, **more):
    return Model(module, tokens, pick=lambda y: y.logits, loss="classes", **more)


@model("transformers")
def bert():
    from transformers import BertConfig, BertModel
    return hidden(BertModel(BertConfig(**plain()), add_pooling_layer=False))


@model("transformers")
def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel
    return logits(GPT2LMHeadModel(GPT2Config(vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=4, n_positions=32,
                                             use_cache=False)))


@model("transformers")
def llama():
    from transformers import LlamaConfig, LlamaForCausalLM
    return logits(LlamaForCausalLM(LlamaConfig(**plain(num_key_value_heads=2, use_cache=False))))


@model("transformers")
def t5_encoder():
    from transformers import T5Config, T5EncoderModel
    return hidden(T5EncoderModel(T5Config(vocab_size=VOCABULARY, d_model=32, d_kv=8, d_ff=64, num_layers=2,
                                          num_heads=4)))
