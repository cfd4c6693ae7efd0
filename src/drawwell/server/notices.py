"""Telling clients that resources changed: on the connection in the handshake era, on listen streams after it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)

from drawwell.errors import LimitExceeded
from drawwell.server.tools.spec import Change

__all__ = ["Notices"]

_MAX_SUBSCRIPTIONS = 1000

Context = ServerRequestContext[Any, Any]


class Notices:
    """Who wants to know of what, and the way to tell them. To be used on the event loop only."""

    def __init__(self) -> None:
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._sessions: list[ServerSession] = []
        self._subscribed: set[str] = set()  # of handshake-era clients
        self._listened: Counter[str] = Counter()  # of listen streams

    async def on_initialized(self, ctx: Context, _params: types.NotificationParams) -> None:
        """A client of a standing connection has finished its handshake."""
        self._sessions.append(ctx.session)

    async def on_subscribe(self, _ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """A handshake-era client wants to know of changes of one resource."""
        if len(self._subscribed) >= _MAX_SUBSCRIPTIONS:
            raise LimitExceeded(f"There are {_MAX_SUBSCRIPTIONS} subscriptions already", "Unsubscribe from some")
        self._subscribed.add(str(params.uri))
        return types.EmptyResult()

    async def on_unsubscribe(self, _ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """It no longer does."""
        self._subscribed.discard(str(params.uri))
        return types.EmptyResult()

    async def on_listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve one listen stream."""
        uris = list(params.notifications.resource_subscriptions or ())
        self._listened.update(uris)
        try:
            return await self._listen(ctx, params)
        finally:
            self._listened.subtract(uris)
            self._listened += Counter()  # drops those that are down to nothing

    async def publish(self, change: Change) -> None:
        """Tell everyone concerned."""
        for session in self._sessions:
            await session.send_resource_list_changed()
            for uri in _concerned(change, self._subscribed):
                await session.send_resource_updated(uri)
        await self._bus.publish(ResourcesListChanged())
        for uri in _concerned(change, self._listened):
            await self._bus.publish(ResourceUpdated(uri=uri))

    def close(self) -> None:
        """End all listen streams."""
        self._listen.close()


def _concerned(change: Change, wanted: set[str] | Counter[str]) -> list[str]:
    return sorted(uri for uri in wanted if uri in change.uris or uri.startswith(change.prefixes))
