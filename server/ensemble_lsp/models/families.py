"""Who is who: the lineages of models, and which models of each provider sit by default.

The provider table is dated: see `AS_OF`. To bring it up to date, edit `PROVIDERS`; a test says which names
litellm's bundled table does not know or knows to retire soon.
"""

import re
from dataclasses import dataclass

AS_OF = "2026-11-30"
"""When the table below was last compared with litellm's (1.110): names, prices, retirement dates."""


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider of hosted models: who receives what is sent, and its models by role.

    `draft` is cheap and quick, `anchor` the one to trust day by day, `strong` who is asked when a question
    stays open. `others` are further lineages that the same key reaches. All are litellm model strings.
    """

    prefix: str
    """litellm's name of the provider: the first part of its model strings."""
    recipient: str
    variables: tuple[str, ...]
    """Environment variables that hold its key, the first that is set wins."""
    draft: str = ""
    anchor: str = ""
    strong: str = ""
    others: tuple[str, ...] = ()
    key_optional: bool = False
    """Logs in by other means as well, which litellm finds by itself."""
    reasoning_effort: str | None = None
    """Asked of models that think before they answer by default, so that thinking does not eat the answer."""

    @property
    def seats(self) -> tuple[str, ...]:
        """The models that sit when this is the only provider, the anchor first."""
        return tuple(dict.fromkeys(model for model in (self.anchor, *self.others, self.draft) if model))


# In the order in which they are seated: the first whose key is there gives the anchor.
PROVIDERS: tuple[Provider, ...] = (
    Provider(
        prefix="anthropic",
        recipient="Anthropic",
        variables=("ANTHROPIC_API_KEY",),
        draft="anthropic/claude-haiku-5-5",
        anchor="anthropic/claude-sonnet-5-5",
        strong="anthropic/claude-opus-5-5",
    ),
    Provider(
        prefix="openai",
        recipient="OpenAI",
        variables=("OPENAI_API_KEY",),
        draft="openai/gpt-6-luna",
        anchor="openai/gpt-6.1-terra",
        strong="openai/gpt-6.1-sol",
        reasoning_effort="low",
    ),
    Provider(
        prefix="gemini",
        recipient="Google",
        variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        draft="gemini/gemini-3.5-flash-lite",
        anchor="gemini/gemini-3.8-flash",
        strong="gemini/gemini-4-argon",
        reasoning_effort="low",
    ),
    Provider(
        prefix="mistral",
        recipient="Mistral",
        variables=("MISTRAL_API_KEY",),
        draft="mistral/devstral-small-latest",
        anchor="mistral/devstral-latest",
        strong="mistral/mistral-large-4",
    ),
    Provider(
        prefix="deepseek",
        recipient="DeepSeek",
        variables=("DEEPSEEK_API_KEY",),
        draft="deepseek/deepseek-v4-flash",
        anchor="deepseek/deepseek-v4-pro",
        strong="deepseek/deepseek-v4-pro",
    ),
    Provider(
        prefix="xai",
        recipient="xAI",
        variables=("XAI_API_KEY",),
        draft="xai/grok-4.20-non-reasoning",
        anchor="xai/grok-4.3",
        strong="xai/grok-4.7",
    ),
    Provider(
        prefix="groq",
        recipient="Groq",
        variables=("GROQ_API_KEY",),
        draft="groq/openai/gpt-oss-20b",
        anchor="groq/openai/gpt-oss-120b",
        strong="groq/openai/gpt-oss-120b",
        others=("groq/qwen/qwen3.8-27b",),
    ),
    Provider(
        prefix="cerebras",
        recipient="Cerebras",
        variables=("CEREBRAS_API_KEY",),
        draft="cerebras/qwen-3.8-27b",
        anchor="cerebras/gpt-oss-120b",
        strong="cerebras/gpt-oss-120b",
        others=("cerebras/gemma-4-31b",),
    ),
    Provider(
        prefix="together_ai",
        recipient="Together",
        variables=("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY"),
        draft="together_ai/Qwen/Qwen3.7-Plus",
        anchor="together_ai/deepseek-ai/DeepSeek-V4.1-Flash",
        strong="together_ai/moonshotai/Kimi-K3.1-Pro",
        others=("together_ai/zai-org/GLM-5.3-Flash",),
    ),
    Provider(
        prefix="fireworks_ai",
        recipient="Fireworks",
        variables=("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY"),
        draft="fireworks_ai/accounts/fireworks/models/glm-5p3-flash",
        anchor="fireworks_ai/accounts/fireworks/models/deepseek-v4p1-flash",
        strong="fireworks_ai/accounts/fireworks/models/kimi-k3p1-pro",
        others=("fireworks_ai/accounts/fireworks/models/qwen3p7-plus",),
    ),
    # Known by their keys; whose models sit is for the person to say, since deployments or names differ.
    Provider(prefix="openrouter", recipient="OpenRouter", variables=("OPENROUTER_API_KEY",)),
    Provider(prefix="azure", recipient="Azure", variables=("AZURE_API_KEY",), key_optional=True),
    Provider(
        prefix="bedrock",
        recipient="Amazon Bedrock",
        variables=("AWS_BEARER_TOKEN_BEDROCK",),
        key_optional=True,
    ),
    Provider(prefix="cohere", recipient="Cohere", variables=("COHERE_API_KEY", "CO_API_KEY")),
    Provider(prefix="moonshot", recipient="Moonshot", variables=("MOONSHOT_API_KEY",)),
    Provider(prefix="zai", recipient="Z.ai", variables=("ZAI_API_KEY",)),
    Provider(prefix="perplexity", recipient="Perplexity", variables=("PERPLEXITYAI_API_KEY",)),
    Provider(prefix="nvidia_nim", recipient="NVIDIA", variables=("NVIDIA_NIM_API_KEY",)),
)

# Word of the model's name to its lineage. The word that stands first in the name decides, so that a
# distillation ("deepseek-r1-distill-qwen") counts for the vendor that trained it.
_LINEAGES: tuple[tuple[str, str], ...] = (
    (r"gpt|chatgpt|davinci|codex|(?<![a-z0-9])o[134](?![a-z0-9])", "gpt"),
    (r"claude", "claude"),
    (r"gemini|learnlm", "gemini"),
    (r"gemma|codegemma", "gemma"),
    (r"codellama|tinyllama|llama|vicuna|wizardcoder", "llama"),
    (r"qwen|qwq|qvq|codeqwen", "qwen"),
    (r"mistral|mixtral|codestral|devstral|ministral|magistral|pixtral|voxtral|leanstral", "mistral"),
    (r"deepseek", "deepseek"),
    (r"grok", "grok"),
    (r"(?<![a-z])phi(?![a-z])", "phi"),
    (r"smollm", "smollm"),
    (r"starcoder|starchat", "starcoder"),
    (r"granite", "granite"),
    (r"command|c4ai|aya", "command"),
    (r"(?<![a-z])yi(?![a-z])", "yi"),
    (r"glm|codegeex", "glm"),
    (r"kimi|moonlight", "kimi"),
    (r"minimax", "minimax"),
    (r"nemotron|minitron", "nemotron"),
    (r"olmo|tulu", "olmo"),
    (r"falcon", "falcon"),
    (r"internlm", "internlm"),
    (r"nova", "nova"),
    (r"jamba", "jamba"),
    (r"ernie", "ernie"),
    (r"hunyuan", "hunyuan"),
    (r"seed-oss|doubao", "seed"),
    (r"stable-code|stablelm", "stablelm"),
)
_COMPILED = tuple((re.compile(pattern), family) for pattern, family in _LINEAGES)
_BILLIONS = re.compile(r"(?<![a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)\s*([bm])(?![a-z])", re.IGNORECASE)


def family_of(model: str) -> str:
    """Return the lineage of a model named in any of the usual ways.

    "openai/gpt-6-luna", "qwen2.5-coder:7b" (Ollama), "Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", a hub's
    "mistralai/Devstral-Small". For a name that tells nothing, the name's first word.
    """
    name = model.lower().rsplit("/", maxsplit=1)[-1].removesuffix(".gguf")
    family = _lineage(name) or _lineage(model.lower().partition("/")[2])
    if family:
        return family
    word = re.match(r"[a-z]+", name)
    return word[0] if word else "unknown"


def billions_of(name: str) -> float | None:
    """Return the number of parameters, in billions, that a model's name states; None when it states none."""
    found = _BILLIONS.search(name)
    if found is None:
        return None
    size = float(found[2]) * (1 if found[3].lower() == "b" else 0.001)
    return size * int(found[1]) if found[1] else size


def provider_of(model: str) -> Provider | None:
    """Return the provider that a litellm model string names, or None for one that is not in the table."""
    prefix = model.partition("/")[0]
    return next((provider for provider in PROVIDERS if provider.prefix == prefix), None)


def reasoning_effort_of(model: str) -> str | None:
    """Return how much a hosted model is asked to think, or None to leave it at its default."""
    provider = provider_of(model)
    return provider.reasoning_effort if provider else None


def is_claude(model: str) -> bool:
    """Whether the model is Anthropic's, by whomever it is hosted."""
    return "claude" in model.lower()


def _lineage(name: str) -> str:
    found = [
        (match.start(), family)
        for pattern, family in _COMPILED
        if (match := pattern.search(name)) is not None
    ]
    return min(found)[1] if found else ""
