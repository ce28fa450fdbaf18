"""What the gateway needs of the embedded model: where it listens, and the key it asks for."""

from typing import Protocol


class EmbeddedEndpoint(Protocol):
    """The embedded model's server, started when it is first asked for.

    `model` is the name after "embedded/".
    """

    async def base_url(self, model: str) -> str:
        """Return the OpenAI-compatible API base ("http://127.0.0.1:PORT/v1") that serves `model`.

        Ask before each request: the server may have been started anew. Raises `WeightsUnavailable` or
        `ModelUnavailable`.
        """
        ...

    def api_key(self, model: str) -> str:
        """Return the key that every request to the model's server must carry; without it the answer is 401."""
        ...
