"""How a provider is used. Values only; where they come from is ``settings`` and ``compose``'s business."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from drawwell.protocols import Prompts

__all__ = ["ProviderOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderOptions:
    """Everything that a provider needs besides the name of its model.

    Attributes:
        base_url: address of the service; empty for the provider's own, or what its usual variable says.
        dimension: numbers in a vector, for models that can give fewer; 0 for the model's own.
        prompts: the form of texts; None for the model's own, which the table of known models says.
        window_tokens: the most that the model reads of one text; 0 for the model's own.
        timeout_seconds: for one request.
        attempts: requests in all when they fail in a way that may pass.
        retry_seconds: before the second attempt; doubled, with jitter, for each further one.
        max_concurrent: requests at one time.
        threads: of a local model; 0 for one per core.
        models: folder of the models on this machine.
        offline: whether nothing may be fetched.
        ca_file: certificates to trust besides the usual; empty for none.
        environment: where keys are looked up, by their usual names. Never shown.
    """

    base_url: str = ""
    dimension: int = 0
    prompts: Prompts | None = None
    window_tokens: int = 0
    timeout_seconds: float = 60.0
    attempts: int = 5
    retry_seconds: float = 1.0
    max_concurrent: int = 3
    threads: int = 0
    models: Path = Path()
    offline: bool = False
    ca_file: str = ""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
