"""Speech and sound."""
import functools

from . import Model, ids, model


@model("torchaudio")
def conformer():
    import torch
    import torchaudio

    class Encoder(torch.nn.Module):
        """Without the mask of lengths, whose size depends on them."""
        def __init__(self):
            super().__init__()
            self.layers = torchaudio.models.Conformer(input_dim=16, num_heads=2, ffn_dim=32, num_layers=2,
                                                      depthwise_conv_kernel_size=5).conformer_layers

        def forward(self, x):
            x = x.transpose(0, 1)
            for layer in self.layers:
                x = layer(x, None)
            return x.transpose(0, 1)
    return Model(Encoder(), lambda b: (torch.randn(b, 12, 16),))


@model("torchaudio")
def conv_tasnet():
    import torch
    import torchaudio
    return Model(torchaudio.models.ConvTasNet(num_sources=2, enc_kernel_size=4, enc_num_feats=16, msk_kernel_size=3,
                                              msk_num_feats=8, msk_num_hidden_feats=16, msk_num_layers=2,
                                              msk_num_stacks=1), lambda b: (torch.randn(b, 1, 64),))


@model("torchaudio")
def deepspeech():
    import torch
    import torchaudio
    return Model(torchaudio.models.DeepSpeech(n_feature=16, n_hidden=16, n_class=9),
                 lambda b: (torch.randn(b, 1, 8, 16),), loss="classes")


@model("torchaudio")
def wav2letter():
    import torch
    import torchaudio
    return Model(torchaudio.models.Wav2Letter(num_classes=9, input_type="mfcc", num_features=13),
                 lambda b: (torch.randn(b, 13, 32),))


@model("torchaudio")
def emformer():
    import torch
    import torchaudio
    return Model(torchaudio.models.Emformer(16, 2, 32, 2, segment_length=4, right_context_length=0),
                 lambda b: (torch.randn(b, 12, 16), torch.full((b,), 12)), pick=lambda y: y[0])


@model("transformers")
def whisper_encoder():
    import torch
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder
    module = WhisperEncoder(WhisperConfig(vocab_size=61, d_model=32, encoder_layers=2, encoder_attention_heads=4,
                                          encoder_ffn_dim=64, num_mel_bins=8, max_source_positions=16))
    return Model(module, lambda b: (torch.randn(b, 8, 32),), pick=lambda y: y.last_hidden_state)


@model("transformers")
def wav2vec2():
    import torch
    from transformers import Wav2Vec2Config, Wav2Vec2Model
    module = Wav2Vec2Model(Wav2Vec2Config(hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                                          intermediate_size=64, conv_dim=(16, 16), conv_stride=(4, 2),
                                          conv_kernel=(8, 3), num_conv_pos_embeddings=4,
                                          num_conv_pos_embedding_groups=2))
    return Model(module, lambda b: (torch.randn(b, 200),), pick=lambda y: y.last_hidden_state)


@model("transformers")
def ast():
    import torch
    from transformers import ASTConfig, ASTModel
    module = ASTModel(ASTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
                                patch_size=4, frequency_stride=4, time_stride=4, max_length=16, num_mel_bins=8))
    return Model(module, lambda b: (torch.randn(b, 16, 8),), pick=lambda y: y.last_hidden_state)


def known_strides(module):
    """EnCodec's convolutions with numbers where they keep tensors, whose values an export would have to ask for."""
    for conv in module.modules():
        if "padding_total" in dict(conv.named_buffers(recurse=False)):
            for name in ("stride", "kernel_size", "padding_total"):
                number = int(getattr(conv, name))
                delattr(conv, name)
                setattr(conv, name, number)
            conv._get_extra_padding_for_conv1d = functools.partial(left_over, conv)
    return module


def left_over(conv, x):
    """How much a signal lacks for a whole number of steps."""
    return (conv.kernel_size - conv.padding_total - x.shape[-1]) % conv.stride


@model("transformers")
def encodec_encoder():
    import torch
    from transformers import EncodecConfig
    from transformers.models.encodec.modeling_encodec import EncodecEncoder
    module = EncodecEncoder(EncodecConfig(num_filters=4, hidden_size=16, upsampling_ratios=[4, 2], num_lstm_layers=1))
    return Model(known_strides(module), lambda b: (torch.randn(b, 1, 64),))


@model()
def gru_keywords():
    import torch
    from torch import nn

    class Keywords(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.gru = nn.Conv1d(13, 16, 5, 2, 2), nn.GRU(16, 16, batch_first=True)
            self.head = nn.Linear(16, 10)

        def forward(self, x):
            h = torch.relu(self.conv(x)).transpose(1, 2)
            start = torch.zeros(1, x.shape[0], 16, dtype=x.dtype)
            return self.head(self.gru(h, start)[0][:, -1])
    return Model(Keywords(), lambda b: (torch.randn(b, 13, 16),), loss="classes")
